package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.function.Function;

/**
 * A list of addresses that each proxy on the way has added to: the client is the nearest
 * one that is not a trusted proxy itself.
 *
 * @param name the header's name
 * @param named whether an address is the {@code for} parameter of its element
 * @param trusted the proxies that are believed
 */
record ForwardedList(String name, boolean named, TrustedProxies trusted) implements ClientHeader {

	static final String STANDARD = "Forwarded";

	static final String COMMON = "X-Forwarded-For";

	/* More proxies than anybody has in a row; a forged header does not buy more work. */
	private static final int MOST_HOPS = 64;

	static ForwardedList standard(TrustedProxies trusted) {
		return new ForwardedList(STANDARD, true, trusted);
	}

	static ForwardedList common(TrustedProxies trusted) {
		return new ForwardedList(COMMON, false, trusted);
	}

	ForwardedFor read(Function<String, Enumeration<String>> headers) {
		return new ForwardedFor(headers.apply(this.name), this.named);
	}

	@Override
	public IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		return walk(proxy, read(headers));
	}

	IpAddress walk(IpAddress proxy, ForwardedFor entries) {
		IpAddress address = proxy;
		for (int hop = 0; hop < MOST_HOPS; hop++) {
			IpAddress next = entries.next();
			if (next == null) {
				return address;
			}
			address = next;
			if (!this.trusted.contains(address)) {
				return address;
			}
		}
		return address;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
