package io.github.ratelimit.web.address;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.InvalidRateLimitException;

/**
 * The proxies that are believed: a few addresses, and ranges of them.
 */
final class TrustedProxies {

	private final List<AddressRange> ranges = new ArrayList<>();

	/**
	 * Parses addresses and ranges.
	 * @param texts addresses or CIDR ranges
	 * @throws InvalidRateLimitException if a text is neither
	 */
	TrustedProxies(List<String> texts) {
		for (String text : texts) {
			AddressRange range = AddressRange.parse(text.strip());
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

}
