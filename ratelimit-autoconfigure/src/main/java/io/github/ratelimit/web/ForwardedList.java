package io.github.ratelimit.web;

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
 * @param named whether an address is the {@code for} parameter of its element
 * @param trusted the proxies that are believed
 */
record ForwardedList(String name, boolean named, TrustedProxies trusted) implements ClientAddressResolver.ClientHeader {

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

	List<String> lines(Function<String, Enumeration<String>> headers) {
		Enumeration<String> lines = headers.apply(this.name);
		return lines.hasMoreElements() ? Collections.list(lines) : List.of();
	}

	@Override
	public IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		return client(proxy, lines(headers));
	}

	/**
	 * Walks the addresses from the right, which is where the nearest proxy wrote. Reading
	 * in that direction, whatever a client put to the left, unbalanced quotes included,
	 * cannot change what a proxy appended.
	 * @param proxy the nearest proxy
	 * @param lines the header's lines, in the order in which they came
	 * @return the client's address, or that of the last proxy before what is no address
	 */
	IpAddress client(IpAddress proxy, List<String> lines) {
		IpAddress address = proxy;
		int hops = 0;
		for (int i = lines.size() - 1; i >= 0; i--) {
			String line = lines.get(i);
			int end = line.length();
			while (end >= 0) {
				int comma = previous(line, end, ',', 0);
				IpAddress next = this.named ? parameter(line, comma + 1, end)
						: IpAddress.parseNode(line, comma + 1, end);
				if (next == null) {
					return address;
				}
				address = next;
				hops++;
				if (hops == MOST_HOPS || this.trusted.find(address) < 0) {
					return address;
				}
				end = comma;
			}
		}
		return address;
	}

	/* Finds a separator to the left that does not stand in a quoted text. */
	private static int previous(String text, int end, char separator, int start) {
		int at = end - 1;
		while (at >= start) {
			char c = text.charAt(at);
			if (c == separator) {
				return at;
			}
			if (c == '"') {
				int open = text.lastIndexOf('"', at - 1);
				at = (open >= start) ? open : at;
			}
			at--;
		}
		return start - 1;
	}

	private static @Nullable IpAddress parameter(String text, int start, int end) {
		int last = end;
		while (last > start) {
			int semicolon = previous(text, last, ';', start);
			int first = semicolon + 1;
			while (first < last && IpAddress.isSpace(text.charAt(first))) {
				first++;
			}
			if (text.regionMatches(true, first, "for=", 0, 4)) {
				return IpAddress.parseNode(text, first + 4, last);
			}
			last = semicolon;
		}
		return null;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
