package io.github.ratelimit.web.address;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A list of addresses that each proxy on the way has added to: the client is the nearest
 * one that is not a trusted proxy itself.
 *
 * @param name the header's name
 * @param trusted the proxies that are believed
 */
record ForwardedList(String name, TrustedProxies trusted) implements ClientAddressResolver.ClientHeader {

	static final String STANDARD = "Forwarded";

	static final String COMMON = "X-Forwarded-For";

	/* This is more than anybody has in a row; a forged header does not buy more work. */
	private static final int MAX_HOPS = 64;

	List<String> lines(Function<String, Enumeration<String>> headers) {
		Enumeration<String> lines = headers.apply(this.name);
		if (!lines.hasMoreElements()) {
			return List.of();
		}
		return Collections.list(lines);
	}

	@Override
	public FoundClient client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		return client(proxy, lines(headers));
	}

	/**
	 * Walks the addresses from the right, which is where the nearest proxy wrote. Reading
	 * in that direction, whatever a client put to the left, unbalanced quotes included,
	 * cannot change what a proxy appended. Elements that are empty count as not there
	 * (RFC 9110, section 5.6.1.2). One with an escaped character counts as no address:
	 * from the right it cannot be told where a quoted text with escapes begins.
	 * @param proxy the nearest proxy
	 * @param lines the header's lines, in the order in which they came
	 * @return the client's address, or that of the last proxy before what is no address
	 */
	FoundClient client(IpAddress proxy, List<String> lines) {
		IpAddress address = proxy;
		int hops = 0;
		for (int i = lines.size() - 1; i >= 0; i--) {
			String line = lines.get(i);
			int end = line.length();
			while (end >= 0) {
				int comma = previous(line, end, ',');
				String element = line.substring(comma + 1, end);
				end = comma;
				if (element.isBlank()) {
					continue;
				}

				IpAddress next = address(element);
				if (next == null) {
					return FoundClient.untold(address);
				}
				address = next;
				hops++;
				if (this.trusted.find(address) < 0) {
					return FoundClient.told(address);
				}
				if (hops == MAX_HOPS) {
					return FoundClient.untold(address);
				}
			}
		}
		return new FoundClient(address, hops > 0, List.of());
	}

	private @Nullable IpAddress address(String element) {
		if (element.indexOf('\\') >= 0) {
			return null;
		}
		return this.name.equals(STANDARD) ? parameter(element) : IpAddress.parseNode(element);
	}

	/*
	 * Finds a separator to the left that does not stand in a quoted text.
	 */
	private static int previous(String text, int end, char separator) {
		int at = end - 1;
		while (at >= 0) {
			char c = text.charAt(at);
			if (c == separator) {
				return at;
			}

			if (c == '"') {
				int open = text.lastIndexOf('"', at - 1);
				if (open >= 0) {
					at = open;
				}
			}
			at--;
		}
		return -1;
	}

	private static @Nullable IpAddress parameter(String element) {
		int end = element.length();
		while (end >= 0) {
			int semicolon = previous(element, end, ';');
			String pair = element.substring(semicolon + 1, end).strip();
			if (pair.regionMatches(true, 0, "for=", 0, 4)) {
				return IpAddress.parseNode(pair.substring(4));
			}
			end = semicolon;
		}
		return null;
	}

}
