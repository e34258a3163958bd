package io.github.ratelimit.web.address;

import org.jspecify.annotations.Nullable;

/**
 * A range of addresses: an address, or the first bits of one ({@code 10.0.0.0/8}).
 *
 * @param address the address
 * @param bits how many of its bits count
 */
record AddressRange(IpAddress address, int bits) {

	/* How many bits stand before an IPv4 address that is written as one of IPv6. */
	private static final int MAPPED = 96;

	/**
	 * Parses an address or CIDR range.
	 * @param text such as {@code 10.0.0.0/8}, {@code 192.0.2.1} or {@code fd00::/8}
	 * @return the range, or {@code null} if the text is neither
	 */
	static @Nullable AddressRange parse(String text) {
		int slash = text.indexOf('/');
		if (slash < 0) {
			IpAddress only = IpAddress.parse(text);
			return (only != null) ? new AddressRange(only, only.bits()) : null;
		}

		IpAddress address = IpAddress.parse(text.substring(0, slash));
		String digits = text.substring(slash + 1);
		if (address == null || !digits.matches("[0-9]{1,3}")) {
			return null;
		}
		int bits = Integer.parseInt(digits);
		boolean mapped = !address.isV6() && text.indexOf(':') >= 0;
		if (mapped) {
			bits -= MAPPED;
		}
		if (bits < 0 || bits > address.bits()) {
			return null;
		}
		return new AddressRange(address, bits);
	}

	boolean contains(IpAddress other) {
		return this.address.sharesPrefix(other, this.bits);
	}

	/**
	 * The same range, with the first of its addresses.
	 */
	AddressRange canonical() {
		return new AddressRange(this.address.network(this.bits), this.bits);
	}

	/**
	 * Writes the range.
	 * @return such as {@code 10.0.0.0/8} or {@code 2001:db8:0:0:0:0:0:1/128}, or an IPv4
	 * address alone if all of its bits count
	 */
	String text() {
		String text = this.address.text(this.address.bits());
		if (this.address.isV6() && this.bits < this.address.bits()) {
			return this.address.text(this.bits);
		}
		if (!this.address.isV6() && this.bits == this.address.bits()) {
			return text;
		}
		return text + "/" + this.bits;
	}

}
