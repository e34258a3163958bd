package io.github.ratelimit.web.mcp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Reads the values of header fields that have the texts of a body. Those that a field
 * cannot have are encoded as {@code =?base64?…?=}.
 */
final class FieldText {

	private static final String PREFIX = "=?base64?";

	private static final String SUFFIX = "?=";

	private FieldText() {
	}

	/**
	 * Decodes a value.
	 * @param value the value of a field
	 * @return its text; the value itself if it is not encoded, or cannot be decoded
	 */
	static String decode(String value) {
		boolean encoded = value.length() >= PREFIX.length() + SUFFIX.length() && value.startsWith(PREFIX)
				&& value.endsWith(SUFFIX);
		if (!encoded) {
			return value;
		}
		try {
			byte[] bytes = Base64.getDecoder()
				.decode(value.substring(PREFIX.length(), value.length() - SUFFIX.length()));
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (IllegalArgumentException | CharacterCodingException ex) {
			return value;
		}
	}

}
