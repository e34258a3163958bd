package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.github.ratelimit.actuate.InvalidOperationException;
import io.github.ratelimit.actuate.OverrideReader;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Reads the text of a request to the endpoint, and no more of it than it may have.
 */
final class BoundedBody {

	private BoundedBody() {
	}

	/**
	 * Reads a request's body.
	 * @param request the request
	 * @param what what it should be, such as {@code override}
	 * @param tooLong the mistake of sending more than {@link OverrideReader#LONGEST}
	 * @throws InvalidOperationException if it is too long, or no text
	 */
	static String read(HttpServletRequest request, String what, InvalidOperationException tooLong) throws IOException {
		byte[] body = request.getInputStream().readNBytes(OverrideReader.LONGEST + 1);
		if (body.length > OverrideReader.LONGEST) {
			throw tooLong;
		}
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new InvalidOperationException(400, "The " + what + " is not in UTF-8.", "Send it in UTF-8.", null);
		}
	}

}
