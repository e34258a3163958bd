package io.github.ratelimit.integration.documentation.recipes.upload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.integration.documentation.recipes.Outcomes;
import io.github.ratelimit.integration.documentation.recipes.Recipe;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UploadRecipeTests {

	private static final String BODY = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ntext\r\n--b--\r\n";

	private static final int PATIENCE_MILLIS = 60_000;

	@Test
	void someUploadsWaitAndTheNextIsRejectedBeforeItsBodyIsRead() throws IOException {
		try (Recipe recipe = Recipe.start("Upload", UploadController.class)) {
			assertThat(recipe.sendAtOnce(6,
					recipe.request("/uploads", "Content-Type", "multipart/form-data; boundary=b")
						.POST(HttpRequest.BodyPublishers.ofString(BODY))))
				.containsExactly(200, 200, 200, 200, 200, 429);
			assertThat(recipe.bean(Outcomes.class).count(RateLimitOutcome.DELAYED)).isEqualTo(2);
			assertThat(statusWithoutBody(recipe.port())).startsWith("HTTP/1.1 429 ");
		}
	}

	/*
	 * Announces a body, of which it never sends anything.
	 */
	private static String statusWithoutBody(int port) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout(PATIENCE_MILLIS);
			socket.getOutputStream()
				.write(("POST /uploads HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
						+ "Content-Length: 1000000000\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
				.readLine();
		}
	}

}
