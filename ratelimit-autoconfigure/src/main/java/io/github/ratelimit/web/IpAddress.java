package io.github.ratelimit.web;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An IP address, parsed from a literal and never from a name. An IPv4-mapped IPv6 address
 * is the IPv4 address.
 */
final class IpAddress {

	private static final int LONGEST = 64;

	private static final long NOT_AN_ADDRESS = -1;

	private final byte[] bytes;

	private IpAddress(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Parses an address.
	 * @param text the text that contains the address
	 * @return the address, or {@code null} if the text is not an IP address
	 */
	static @Nullable IpAddress parse(String text) {
		return parse(text, 0, text.length());
	}

	static @Nullable IpAddress parse(String text, int start, int end) {
		if (end - start < 2 || end - start > LONGEST) {
			return null;
		}
		int colon = text.indexOf(':', start);
		byte[] bytes = (colon >= 0 && colon < end) ? v6(text, start, end) : v4Bytes(text, start, end);
		return (bytes != null) ? new IpAddress(unmapped(bytes)) : null;
	}

	/**
	 * Whether a text is an IPv4 address.
	 * @param text the text
	 * @return {@code true} if {@link #parse} would make it one
	 */
	static boolean isV4(String text) {
		return v4(text, 0, text.length()) != NOT_AN_ADDRESS;
	}

	private static byte @Nullable [] v4Bytes(String text, int start, int end) {
		long address = v4(text, start, end);
		return (address != NOT_AN_ADDRESS)
				? new byte[] { (byte) (address >> 24), (byte) (address >> 16), (byte) (address >> 8), (byte) address }
				: null;
	}

	private static long v4(String text, int start, int end) {
		long address = 0;
		int at = start;
		for (int i = 0; i < 4; i++) {
			int value = 0;
			int first = at;
			while (at < end && at - first < 3 && isDigit(text.charAt(at))) {
				value = value * 10 + text.charAt(at++) - '0';
			}
			boolean leadingZero = at - first > 1 && text.charAt(first) == '0';
			boolean separated = (i < 3) ? at < end && text.charAt(at) == '.' : at == end;
			if (at == first || value > 255 || leadingZero || !separated) {
				return NOT_AN_ADDRESS;
			}
			address = address << 8 | value;
			at++;
		}
		return address;
	}

	private static byte @Nullable [] v6(String text, int start, int end) {
		int zone = text.indexOf('%', start);
		int last = (zone >= 0 && zone < end) ? zone : end;
		byte[] bytes = new byte[16];
		int filled = 0;
		int gap = -1;
		int at = start;
		if (text.startsWith("::", start)) {
			gap = 0;
			at += 2;
		}
		while (at < last) {
			int stop = Math.min(nextColon(text, at), last);
			int dot = text.indexOf('.', at);
			if (dot >= 0 && dot < stop) {
				byte[] tail = (stop == last && filled <= 12) ? v4Bytes(text, at, stop) : null;
				if (tail == null) {
					return null;
				}
				System.arraycopy(tail, 0, bytes, filled, 4);
				filled += 4;
				break;
			}
			int group = hex(text, at, stop);
			if (group < 0 || filled > 14) {
				return null;
			}
			bytes[filled++] = (byte) (group >> 8);
			bytes[filled++] = (byte) group;
			at = stop + 1;
			if (stop < last && at == last) {
				return null;
			}
			if (at < last && text.charAt(at) == ':') {
				if (gap >= 0) {
					return null;
				}
				gap = filled;
				at++;
			}
		}
		return expanded(bytes, filled, gap);
	}

	private static int nextColon(String text, int from) {
		int colon = text.indexOf(':', from);
		return (colon >= 0) ? colon : text.length();
	}

	private static byte @Nullable [] expanded(byte[] bytes, int filled, int gap) {
		if (gap < 0) {
			return (filled == 16) ? bytes : null;
		}
		if (filled > 14) {
			return null;
		}
		byte[] expanded = new byte[16];
		System.arraycopy(bytes, 0, expanded, 0, gap);
		System.arraycopy(bytes, gap, expanded, 16 - (filled - gap), filled - gap);
		return expanded;
	}

	private static int hex(String text, int start, int end) {
		if (end == start || end - start > 4) {
			return -1;
		}
		int value = 0;
		for (int i = start; i < end; i++) {
			int digit = (text.charAt(i) < 128) ? Character.digit(text.charAt(i), 16) : -1;
			if (digit < 0) {
				return -1;
			}
			value = value << 4 | digit;
		}
		return value;
	}

	private static boolean isDigit(char c) {
		return c >= '0' && c <= '9';
	}

	private static byte[] unmapped(byte[] bytes) {
		if (bytes.length != 16 || bytes[10] != -1 || bytes[11] != -1) {
			return bytes;
		}
		for (int i = 0; i < 10; i++) {
			if (bytes[i] != 0) {
				return bytes;
			}
		}
		return Arrays.copyOfRange(bytes, 12, 16);
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
		int whole = bits / 8;
		for (int i = 0; i < whole; i++) {
			if (this.bytes[i] != other.bytes[i]) {
				return false;
			}
		}
		int rest = bits % 8;
		return rest == 0 || (this.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0;
	}

	/**
	 * Writes the address, an IPv6 address cut to its first bits.
	 * @param v6Prefix how many bits of an IPv6 address to keep
	 * @return such as {@code 192.0.2.1} or {@code 2001:db8:0:7::/64}
	 */
	String text(int v6Prefix) {
		return isV6() ? v6Text(v6Prefix) : v4Text();
	}

	private String v4Text() {
		StringBuilder text = new StringBuilder(15);
		for (int i = 0; i < 4; i++) {
			text.append((i > 0) ? "." : "").append(this.bytes[i] & 0xff);
		}
		return text.toString();
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
