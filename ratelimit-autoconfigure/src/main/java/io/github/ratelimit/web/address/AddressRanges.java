package io.github.ratelimit.web.address;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.RateLimitClock;

/**
 * Ranges of addresses, each until a moment. To find an address costs a look for each
 * length that a range has, which are at most 33 of IPv4 and 129 of IPv6, however many
 * ranges there are.
 */
final class AddressRanges {

	private final Map<Integer, Map<IpAddress, Long>> networks = new TreeMap<>();

	private final RateLimitClock clock;

	/**
	 * Creates ranges of which there is none.
	 * @param clock the time of their ends
	 */
	AddressRanges(RateLimitClock clock) {
		this.clock = clock;
	}

	/**
	 * Adds a range. It is not called any more once another thread looks.
	 * @param range the range
	 * @param endNanos the time of its end, of several the last
	 */
	void add(AddressRange range, long endNanos) {
		this.networks.computeIfAbsent(range.bits(), (bits) -> new HashMap<>())
			.merge(range.canonical().address(), endNanos, Math::max);
	}

	boolean isEmpty() {
		return this.networks.isEmpty();
	}

	/**
	 * Whether an address is in a range that has not ended.
	 */
	boolean contain(IpAddress address) {
		for (Map.Entry<Integer, Map<IpAddress, Long>> ofLength : this.networks.entrySet()) {
			int bits = ofLength.getKey();
			if (bits > address.bits()) {
				return false;
			}
			Long end = ofLength.getValue().get(address.network(bits));
			if (end != null && this.clock.nanos() < end) {
				return true;
			}
		}
		return false;
	}

}
