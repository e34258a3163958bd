package io.github.ratelimit.web;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: an address, or the first bits of one ({@code 10.0.0.0/8}).
 *
 * @param address the address
 * @param bits how many of its bits count
 */
record AddressRange(IpAddress address, int bits) {

	/**
	 * Parses an address or CIDR range.
	 * @param text such as {@code 10.0.0.0/8}, {@code 192.0.2.1} or {@code fd00::/8}
	 * @return the range, or {@code null} if the text is neither
	 */
	static @Nullable AddressRange parse(String text) {
		int slash = text.indexOf('/');
		IpAddress address = IpAddress.parse(text, 0, (slash >= 0) ? slash : text.length());
		if (address == null) {
			return null;
		}
		int width = address.bits();
		int bits = (slash >= 0) ? bits(text.substring(slash + 1)) : width;
		if (slash >= 0 && !address.isV6() && text.indexOf(':') >= 0) {
			bits -= 96;
		}
		return (bits >= 0 && bits <= width) ? new AddressRange(address, bits) : null;
	}

	private static int bits(String text) {
		if (text.isEmpty() || text.length() > 3 || !text.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			return -1;
		}
		return Integer.parseInt(text);
	}

	boolean contains(IpAddress other) {
		return this.address.sharesPrefix(other, this.bits);
	}

}
