package io.github.ratelimit.web;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Walks the addresses of {@code X-Forwarded-For} or {@code Forwarded} header lines from
 * the right, which is where the nearest proxy wrote. Reading in that direction, whatever
 * a client put to the left, unbalanced quotes included, cannot change what a proxy
 * appended.
 */
final class ForwardedFor {

	private final List<String> lines;

	private final boolean named;

	private int line;

	private int end;

	/**
	 * Starts to the right of the last line.
	 * @param lines the header's lines, in the order in which they came
	 * @param named whether the address is the element's {@code for} parameter
	 */
	ForwardedFor(Enumeration<String> lines, boolean named) {
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
	 * @return its address, or {@code null} if there is no entry left or this one is not
	 * an address
	 */
	@Nullable IpAddress next() {
		if (!hasNext()) {
			return null;
		}
		String text = this.lines.get(this.line);
		int last = this.end;
		int comma = previous(text, last, ',', 0);
		this.end = comma;
		return this.named ? parameter(text, comma + 1, last) : node(text, comma + 1, last);
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
			while (first < last && isSpace(text.charAt(first))) {
				first++;
			}
			if (text.regionMatches(true, first, "for=", 0, 4)) {
				return node(text, first + 4, last);
			}
			last = semicolon;
		}
		return null;
	}

	/* An address, perhaps in quotes, perhaps in brackets, perhaps with a port. */
	static @Nullable IpAddress node(String text, int start, int end) {
		int first = start;
		int last = end;
		while (first < last && isSpace(text.charAt(first))) {
			first++;
		}
		while (last > first && isSpace(text.charAt(last - 1))) {
			last--;
		}
		if (last - first > 1 && text.charAt(first) == '"' && text.charAt(last - 1) == '"') {
			first++;
			last--;
		}
		if (first < last && text.charAt(first) == '[') {
			int bracket = text.indexOf(']', first);
			return (bracket >= 0 && bracket < last && isPort(text, bracket + 1, last))
					? IpAddress.parse(text, first + 1, bracket) : null;
		}
		int colon = text.indexOf(':', first);
		if (colon >= 0 && colon < last && text.lastIndexOf(':', last - 1) == colon) {
			return isPort(text, colon, last) ? IpAddress.parse(text, first, colon) : null;
		}
		return IpAddress.parse(text, first, last);
	}

	private static boolean isPort(String text, int start, int end) {
		return start == end || text.charAt(start) == ':';
	}

	private static boolean isSpace(char c) {
		return c == ' ' || c == '\t';
	}

}
