package io.github.ratelimit.web;

import java.util.ArrayList;
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

	Entries read(Function<String, Enumeration<String>> headers) {
		return new Entries(headers.apply(this.name), this.named);
	}

	@Override
	public IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers) {
		return walk(proxy, read(headers));
	}

	IpAddress walk(IpAddress proxy, Entries entries) {
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

	/**
	 * Walks the addresses of {@code X-Forwarded-For} or {@code Forwarded} header lines
	 * from the right, which is where the nearest proxy wrote. Reading in that direction,
	 * whatever a client put to the left, unbalanced quotes included, cannot change what a
	 * proxy appended.
	 */
	static final class Entries {

		private final List<String> lines;

		private final boolean named;

		private int line;

		private int end;

		/**
		 * Starts to the right of the last line.
		 * @param lines the header's lines, in the order in which they came
		 * @param named whether the address is the element's {@code for} parameter
		 */
		Entries(Enumeration<String> lines, boolean named) {
			this.lines = lines.hasMoreElements() ? new ArrayList<>(Collections.list(lines)) : List.of();
			this.named = named;
			this.line = this.lines.size();
			this.end = -1;
		}

		boolean isEmpty() {
			return this.lines.isEmpty();
		}

		/**
		 * Steps over an entry.
		 * @return {@code false} if there is none left
		 */
		private boolean hasNext() {
			while (this.end < 0) {
				if (this.line == 0) {
					return false;
				}
				this.end = this.lines.get(--this.line).length();
			}
			return true;
		}

		/**
		 * Reads the next entry to the left.
		 * @return its address, or {@code null} if there is no entry left or this one is
		 * not an address
		 */
		@Nullable IpAddress next() {
			if (!hasNext()) {
				return null;
			}
			String text = this.lines.get(this.line);
			int last = this.end;
			int comma = previous(text, last, ',', 0);
			this.end = comma;
			return this.named ? parameter(text, comma + 1, last) : IpAddress.parseNode(text, comma + 1, last);
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

	}

}
