package io.github.ratelimit.web;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An IP address, parsed from a literal and never from a name. An IPv4-mapped IPv6 address
 * is the IPv4 address.
 */
final class IpAddress {

	private static final int LONGEST = 64;

	private static final String PARTS_OF_V6 = "0123456789abcdefABCDEF:.";

	private final byte[] bytes;

	private IpAddress(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Parses an address.
	 * @param text the text that contains the address
	 * @param start where it starts
	 * @param end where it ends
	 * @return the address, or {@code null} if the text is not an IP address
	 */
	static @Nullable IpAddress parse(String text, int start, int end) {
		if (end - start < 2 || end - start > LONGEST) {
			return null;
		}
		int colon = text.indexOf(':', start);
		boolean v6 = colon >= 0 && colon < end;
		int zone = v6 ? text.indexOf('%', start) : -1;
		int last = (zone >= 0 && zone < end) ? zone : end;
		if (v6 ? !consistsOfV6(text, start, last) : !isV4(text, start, last)) {
			return null;
		}
		String literal = text.substring(start, last);
		try {
			return new IpAddress(InetAddress.getByName(v6 ? '[' + literal + ']' : literal).getAddress());
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/* In brackets nothing but an address is accepted, so that no name is looked up. */
	private static boolean consistsOfV6(String text, int start, int end) {
		for (int i = start; i < end; i++) {
			if (PARTS_OF_V6.indexOf(text.charAt(i)) < 0) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Parses an address as proxies note it: perhaps in quotes, perhaps in brackets,
	 * perhaps with a port.
	 */
	static @Nullable IpAddress parseNode(String text, int start, int end) {
		int first = start;
		int last = end;
		while (first < last && isSpace(text.charAt(first))) {
			first++;
		}
		while (last > first && isSpace(text.charAt(last - 1))) {
			last--;
		}
		if (last - first > 1 && text.charAt(first) == '"' && text.charAt(last - 1) == '"') {
			first++;
			last--;
		}
		if (first < last && text.charAt(first) == '[') {
			int bracket = text.indexOf(']', first);
			return (bracket >= 0 && bracket < last && isPort(text, bracket + 1, last)) ? parse(text, first + 1, bracket)
					: null;
		}
		int colon = text.indexOf(':', first);
		if (colon >= 0 && colon < last && text.lastIndexOf(':', last - 1) == colon) {
			return isPort(text, colon, last) ? parse(text, first, colon) : null;
		}
		return parse(text, first, last);
	}

	private static boolean isPort(String text, int start, int end) {
		return start == end || text.charAt(start) == ':';
	}

	static boolean isSpace(char c) {
		return c == ' ' || c == '\t';
	}

	/**
	 * Whether a text is an IPv4 address.
	 * @param text the text
	 * @return {@code true} if {@link #parse} would make it one
	 */
	static boolean isV4(String text) {
		return isV4(text, 0, text.length());
	}

	private static boolean isV4(String text, int start, int end) {
		int at = start;
		for (int i = 0; i < 4; i++) {
			int value = 0;
			int first = at;
			for (; at < end && at - first < 3; at++) {
				int digit = text.charAt(at) - '0';
				if (digit < 0 || digit > 9) {
					break;
				}
				value = value * 10 + digit;
			}
			boolean leadingZero = at - first > 1 && text.charAt(first) == '0';
			boolean separated = (i < 3) ? at < end && text.charAt(at) == '.' : at == end;
			if (at == first || value > 255 || leadingZero || !separated) {
				return false;
			}
			at++;
		}
		return true;
	}

	int bits() {
		return this.bytes.length * 8;
	}

	boolean isV6() {
		return this.bytes.length == 16;
	}

	/**
	 * Tells whether this address and another have their first bits in common.
	 * @param other the other address
	 * @param bits how many bits to compare
	 * @return {@code true} if both are of one family and agree
	 */
	boolean sharesPrefix(IpAddress other, int bits) {
		if (this.bytes.length != other.bytes.length) {
			return false;
		}
		int at = Arrays.mismatch(this.bytes, other.bytes);
		return at < 0 || at * 8 + Integer.numberOfLeadingZeros((this.bytes[at] ^ other.bytes[at]) & 0xff) - 24 >= bits;
	}

	/**
	 * Writes the address, an IPv6 address cut to its first bits.
	 * @param v6Prefix how many bits of an IPv6 address to keep
	 * @return such as {@code 192.0.2.1} or {@code 2001:db8:0:7::/64}
	 */
	String text(int v6Prefix) {
		return isV6() ? v6Text(v6Prefix) : (this.bytes[0] & 0xff) + "." + (this.bytes[1] & 0xff) + "."
				+ (this.bytes[2] & 0xff) + "." + (this.bytes[3] & 0xff);
	}

	private String v6Text(int prefix) {
		StringBuilder text = new StringBuilder(43);
		int groups = (prefix + 15) / 16;
		for (int i = 0; i < groups; i++) {
			int kept = Math.min(16, prefix - i * 16);
			int group = ((this.bytes[2 * i] & 0xff) << 8 | this.bytes[2 * i + 1] & 0xff) & 0xffff << (16 - kept);
			text.append((i > 0) ? ":" : "").append(Integer.toHexString(group));
		}
		if (groups < 8) {
			text.append("::");
		}
		if (prefix < 128) {
			text.append('/').append(prefix);
		}
		return text.toString();
	}

}
