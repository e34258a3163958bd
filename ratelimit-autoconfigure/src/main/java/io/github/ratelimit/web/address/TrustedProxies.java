package io.github.ratelimit.web.address;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

/**
 * The proxies that are believed: a few addresses, and ranges of them.
 */
final class TrustedProxies {

	private final List<Range> ranges = new ArrayList<>();

	/**
	 * Parses addresses and ranges.
	 * @param texts addresses or CIDR ranges
	 * @throws InvalidRateLimitException if a text is neither
	 */
	TrustedProxies(List<String> texts) {
		for (String text : texts) {
			Range range = Range.parse(text.strip());
			if (range == null) {
				throw new InvalidRateLimitException("trusted-proxies", '"' + text + '"',
						"is neither an IP address nor a range of them",
						"Use an address such as 192.0.2.1, or a CIDR range such as 10.0.0.0/8 or fd00::/8. "
								+ "Host names are not resolved.");
			}
			this.ranges.add(range);
		}
	}

	int size() {
		return this.ranges.size();
	}

	/**
	 * Finds the first range of an address.
	 * @param address the address
	 * @return the range's index, or -1 if the address is not trusted
	 */
	int find(IpAddress address) {
		for (int i = 0; i < this.ranges.size(); i++) {
			if (this.ranges.get(i).contains(address)) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * A range of addresses: an address, or the first bits of one ({@code 10.0.0.0/8}).
	 *
	 * @param address the address
	 * @param bits how many of its bits count
	 */
	private record Range(IpAddress address, int bits) {

		/**
		 * Parses an address or CIDR range.
		 * @param text such as {@code 10.0.0.0/8}, {@code 192.0.2.1} or {@code fd00::/8}
		 * @return the range, or {@code null} if the text is neither
		 */
		static @Nullable Range parse(String text) {
			int slash = text.indexOf('/');
			if (slash < 0) {
				IpAddress only = IpAddress.parse(text);
				return (only != null) ? new Range(only, only.bits()) : null;
			}

			IpAddress address = IpAddress.parse(text.substring(0, slash));
			String digits = text.substring(slash + 1);
			if (address == null || !digits.matches("[0-9]{1,3}")) {
				return null;
			}
			int bits = Integer.parseInt(digits);
			boolean mapped = !address.isV6() && text.indexOf(':') >= 0;
			if (mapped) {
				bits -= 96;
			}
			if (bits < 0 || bits > address.bits()) {
				return null;
			}
			return new Range(address, bits);
		}

		boolean contains(IpAddress other) {
			return this.address.sharesPrefix(other, this.bits);
		}

	}

}
