package io.github.ratelimit.benchmarks.http.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads of a response what it takes to know its status and its end.
 */
final class ResponseReader {

	private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);

	private static final int STATUS_AT = "HTTP/1.1 ".length();

	private final int status;

	/**
	 * Creates a reader.
	 * @param status the status that every response must have
	 */
	ResponseReader(int status) {
		this.status = status;
	}

	/**
	 * Whether a response is complete.
	 * @param received what was received, up to the buffer's position
	 * @return {@code true} if nothing is missing
	 */
	boolean isComplete(ByteBuffer received) {
		int end = received.position();
		int line = 0;
		int length = -1;
		for (int at = 1; at < end; at++) {
			if (received.get(at) != '\n' || received.get(at - 1) != '\r') {
				continue;
			}
			if (at == line + 1) {
				return check(received, length, at + 1);
			}
			line = at + 1;
			length = (length < 0 && isContentLength(received, line, end)) ? number(received, line, end) : length;
		}
		return false;
	}

	private boolean check(ByteBuffer received, int length, int body) {
		int found = (received.get(STATUS_AT) - '0') * 100 + (received.get(STATUS_AT + 1) - '0') * 10
				+ received.get(STATUS_AT + 2) - '0';
		if (found != this.status || length < 0) {
			throw new IllegalStateException("Expected a response of known length with status " + this.status
					+ ", but got: " + StandardCharsets.ISO_8859_1.decode(received.duplicate().flip()));
		}
		return received.position() == body + length;
	}

	private static boolean isContentLength(ByteBuffer received, int line, int end) {
		if (end - line < CONTENT_LENGTH.length) {
			return false;
		}
		for (int i = 0; i < CONTENT_LENGTH.length; i++) {
			// letters in lower case; the colon and the hyphen have this bit set already
			if ((received.get(line + i) | 0x20) != CONTENT_LENGTH[i]) {
				return false;
			}
		}
		return true;
	}

	private static int number(ByteBuffer received, int line, int end) {
		int number = 0;
		for (int at = line + CONTENT_LENGTH.length; at < end && received.get(at) != '\r'; at++) {
			number = (received.get(at) == ' ') ? number : number * 10 + received.get(at) - '0';
		}
		return number;
	}

}
