package io.github.ratelimit.web.address;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An IP address, parsed from a literal and never from a name. An IPv4-mapped IPv6 address
 * is the IPv4 address.
 */
final class IpAddress {

	private static final int MAX_LENGTH = 64;

	/* Nothing but an address is accepted in brackets, so that no name is looked up. */
	private static final Pattern PARTS_OF_V6 = Pattern.compile("[0-9a-fA-F:.]+");

	private final byte[] bytes;

	private IpAddress(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Parses an address.
	 * @param text a text
	 * @return the address, or {@code null} if the text is not an IP address
	 */
	static @Nullable IpAddress parse(String text) {
		if (text.length() < 2 || text.length() > MAX_LENGTH) {
			return null;
		}
		if (text.indexOf(':') >= 0) {
			return parseV6(text);
		}
		return isV4(text) ? ofLiteral(text) : null;
	}

	private static @Nullable IpAddress parseV6(String text) {
		int zone = text.indexOf('%');
		String address = (zone >= 0) ? text.substring(0, zone) : text;
		if (address.indexOf(':') < 0 || !PARTS_OF_V6.matcher(address).matches()) {
			return null;
		}
		return ofLiteral('[' + address + ']');
	}

	private static @Nullable IpAddress ofLiteral(String literal) {
		try {
			return new IpAddress(InetAddress.getByName(literal).getAddress());
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/**
	 * Parses an address as proxies note it: perhaps in quotes, perhaps in brackets,
	 * perhaps with a port.
	 */
	static @Nullable IpAddress parseNode(String node) {
		String text = node.strip();
		if (text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")) {
			text = text.substring(1, text.length() - 1);
		}
		if (text.startsWith("[")) {
			return parseBracketed(text);
		}

		int colon = text.indexOf(':');
		if (colon >= 0 && text.lastIndexOf(':') == colon) {
			return parse(text.substring(0, colon));
		}
		return parse(text);
	}

	private static @Nullable IpAddress parseBracketed(String text) {
		int bracket = text.indexOf(']');
		boolean last = bracket == text.length() - 1;
		if (bracket < 0 || (!last && !text.startsWith(":", bracket + 1))) {
			return null;
		}
		return parse(text.substring(1, bracket));
	}

	/**
	 * Whether a text is an IPv4 address.
	 * @param text the text
	 * @return {@code true} if {@link #parse} would make it one
	 */
	static boolean isV4(String text) {
		int parts = 1;
		int value = -1;
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '.' && value >= 0) {
				parts++;
				value = -1;
			}
			else if (c >= '0' && c <= '9' && value != 0 && value < 26) {
				value = Math.max(value, 0) * 10 + c - '0';
			}
			else {
				return false;
			}

			if (value > 255) {
				return false;
			}
		}
		return parts == 4 && value >= 0;
	}

	int bits() {
		return this.bytes.length * 8;
	}

	boolean isV6() {
		return this.bytes.length == 16;
	}

	/**
	 * Whether this address and another have their first bits in common.
	 * @param other the other address
	 * @param bits how many bits to compare
	 * @return {@code true} if both are of one family and agree
	 */
	boolean sharesPrefix(IpAddress other, int bits) {
		if (this.bytes.length != other.bytes.length) {
			return false;
		}
		int at = Arrays.mismatch(this.bytes, other.bytes);
		if (at < 0) {
			return true;
		}
		int sharedOfByte = Integer.numberOfLeadingZeros((this.bytes[at] ^ other.bytes[at]) & 0xff) - 24;
		return at * 8 + sharedOfByte >= bits;
	}

	/**
	 * The first address of a network that this one is in.
	 * @param bits how many bits all addresses of the network have in common
	 * @return this address with its other bits cleared
	 */
	IpAddress network(int bits) {
		byte[] network = this.bytes.clone();
		for (int i = bits; i < bits(); i++) {
			network[i / 8] &= (byte) ~(0x80 >> i % 8);
		}
		return new IpAddress(network);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof IpAddress address && Arrays.equals(this.bytes, address.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	/**
	 * Writes the address, an IPv6 address cut to its first bits.
	 * @param v6Prefix how many bits of an IPv6 address to keep
	 * @return such as {@code 192.0.2.1} or {@code 2001:db8:0:7::/64}
	 */
	String text(int v6Prefix) {
		if (isV6()) {
			return v6Text(v6Prefix);
		}
		return unsigned(0) + "." + unsigned(1) + "." + unsigned(2) + "." + unsigned(3);
	}

	private String v6Text(int prefix) {
		StringBuilder text = new StringBuilder(43);
		int groups = (prefix + 15) / 16;
		for (int i = 0; i < groups; i++) {
			if (i > 0) {
				text.append(':');
			}
			int kept = Math.min(16, prefix - i * 16);
			int group = (unsigned(2 * i) << 8) | unsigned(2 * i + 1);
			text.append(Integer.toHexString(group & 0xffff << (16 - kept)));
		}

		if (groups < 8) {
			text.append("::");
		}
		if (prefix < 128) {
			text.append('/').append(prefix);
		}
		return text.toString();
	}

	private int unsigned(int index) {
		return this.bytes[index] & 0xff;
	}

}
