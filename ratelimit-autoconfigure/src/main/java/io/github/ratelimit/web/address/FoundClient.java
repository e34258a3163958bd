package io.github.ratelimit.web.address;

import java.util.List;
import java.util.function.Predicate;

/**
 * Whom a request comes from, as far as that can be known.
 *
 * @param address the address whose budget the request uses
 * @param certain whether it was told that this is the client; otherwise it is that of the
 * last proxy that is known
 * @param others who else the client may be, if it is not certain
 */
record FoundClient(IpAddress address, boolean certain, List<IpAddress> others) {

	/**
	 * The client was told.
	 */
	static FoundClient told(IpAddress client) {
		return new FoundClient(client, true, List.of());
	}

	/**
	 * The client was not told, and the request counts as the proxy's.
	 */
	static FoundClient untold(IpAddress proxy) {
		return new FoundClient(proxy, false, List.of());
	}

	/**
	 * Whether the client may be one of certain addresses.
	 * @param addresses the addresses
	 */
	boolean mayBe(Predicate<IpAddress> addresses) {
		return addresses.test(this.address) || this.others.stream().anyMatch(addresses);
	}

}
