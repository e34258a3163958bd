package io.github.ratelimit.web.servlet;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The lists of named items (RFC 9651) that {@code RateLimit-Policy} and {@code RateLimit}
 * are, to which every server on a request's way may add. What is no such list is left
 * out, because it would make all of the field invalid, and so is what is too long.
 */
final class NamedItems {

	/* All that others may add to a field, in characters, commas included. */
	private static final int MOST_OF_OTHERS = 2048;

	private final String text;

	private final Map<String, String> byName = new LinkedHashMap<>();

	private int at;

	private NamedItems(String text) {
		this.text = text;
	}

	/**
	 * Puts our items and those of others into one list. Of a name that both have, ours is
	 * kept.
	 * @param ours our items
	 * @param present the values that the field has, ours perhaps among them
	 * @return the list
	 */
	static String merged(String ours, Collection<String> present) {
		StringBuilder list = new StringBuilder(ours);
		others(ours, present).values().forEach((item) -> list.append(", ").append(item));
		return list.toString();
	}

	/**
	 * Takes our items out of a list.
	 * @param ours our items
	 * @param present the values that the field has
	 * @return the list of what others have added, or {@code null} if there is nothing
	 */
	static @Nullable String without(String ours, Collection<String> present) {
		Collection<String> others = others(ours, present).values();
		return others.isEmpty() ? null : String.join(", ", others);
	}

	private static Map<String, String> others(String ours, Collection<String> present) {
		Map<String, String> own = parse(ours);
		Map<String, String> others = new LinkedHashMap<>();
		int room = MOST_OF_OTHERS;
		for (String value : present) {
			if (value.length() > MOST_OF_OTHERS + ours.length()) {
				continue;
			}
			for (Map.Entry<String, String> item : parse(value).entrySet()) {
				int length = item.getValue().length() + 2;
				if (!own.containsKey(item.getKey()) && length <= room
						&& others.putIfAbsent(item.getKey(), item.getValue()) == null) {
					room -= length;
				}
			}
		}
		return others;
	}

	private static Map<String, String> parse(String value) {
		NamedItems items = new NamedItems(value);
		return items.list() ? items.byName : Map.of();
	}

	private boolean list() {
		skip(" \t");
		do {
			skip(" \t");
			int start = this.at;
			if (!string() || !parameters()) {
				return false;
			}
			String item = this.text.substring(start, this.at);
			this.byName.putIfAbsent(name(item), item);
			skip(" \t");
		}
		while (take(','));
		return this.at == this.text.length();
	}

	private static String name(String item) {
		NamedItems name = new NamedItems(item);
		name.string();
		return item.substring(0, name.at);
	}

	private boolean parameters() {
		while (take(';')) {
			skip(" ");
			if (!isLower(peek()) && peek() != '*') {
				return false;
			}
			while (isLower(peek()) || isDigit(peek()) || isOneOf("_-.*")) {
				this.at++;
			}
			if (take('=') && !bareItem()) {
				return false;
			}
		}
		return true;
	}

	private boolean bareItem() {
		char first = peek();
		if (first == '"') {
			return string();
		}
		if (first == '-' || isDigit(first)) {
			return number();
		}
		this.at++;
		return switch (first) {
			case '@' -> number();
			case '?' -> take('0') || take('1');
			case ':' -> bytes();
			default -> (isLetter(first) || first == '*') && token();
		};
	}

	private boolean string() {
		if (!take('"')) {
			return false;
		}
		for (char next = peek(); next >= ' ' && next <= '~'; next = peek()) {
			this.at++;
			if (next == '"') {
				return true;
			}
			if (next == '\\' && !take('"') && !take('\\')) {
				return false;
			}
		}
		return false;
	}

	private boolean number() {
		take('-');
		int whole = digits();
		return whole >= 1 && (take('.') ? whole <= 12 && isBetween(digits(), 1, 3) : whole <= 15);
	}

	private int digits() {
		int start = this.at;
		while (isDigit(peek())) {
			this.at++;
		}
		return this.at - start;
	}

	private boolean bytes() {
		while (isLetter(peek()) || isDigit(peek()) || isOneOf("+/=")) {
			this.at++;
		}
		return take(':');
	}

	private boolean token() {
		while (isLetter(peek()) || isDigit(peek()) || isOneOf("!#$%&'*+-.^_`|~:/")) {
			this.at++;
		}
		return true;
	}

	private void skip(String characters) {
		while (isOneOf(characters)) {
			this.at++;
		}
	}

	private boolean take(char character) {
		if (peek() != character) {
			return false;
		}
		this.at++;
		return true;
	}

	/* No character of a list is a NUL. */
	private char peek() {
		return (this.at < this.text.length()) ? this.text.charAt(this.at) : 0;
	}

	private boolean isOneOf(String characters) {
		return characters.indexOf(peek()) >= 0;
	}

	private static boolean isBetween(int number, int least, int most) {
		return number >= least && number <= most;
	}

	private static boolean isLower(char character) {
		return character >= 'a' && character <= 'z';
	}

	private static boolean isLetter(char character) {
		return isLower(character) || character >= 'A' && character <= 'Z';
	}

	private static boolean isDigit(char character) {
		return character >= '0' && character <= '9';
	}

}
