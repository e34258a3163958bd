package io.github.ratelimit.web.mcp;

import java.util.HexFormat;

/**
 * Writes texts as JSON, in ASCII.
 */
final class JsonText {

	private static final HexFormat HEX = HexFormat.of();

	private JsonText() {
	}

	/**
	 * Quotes a text. What a browser might take for a tag is escaped, too.
	 * @param text any text, also one that is not well-formed
	 * @return a string of JSON
	 */
	static String quote(String text) {
		StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c < ' ' || c > '~' || c == '<') {
				quoted.append("\\u").append(HEX.toHexDigits(c));
			}
			else {
				if (c == '"' || c == '\\') {
					quoted.append('\\');
				}
				quoted.append(c);
			}
		}
		return quoted.append('"').toString();
	}

}
