package io.github.ratelimit.integration.devtools;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that DevTools restarts, with new classes in the same process.
 */
@Timeout(300)
class RestartTests {

	/** Spring's caches would otherwise keep classes until memory runs short. */
	private static final String FORGET_SOFT_REFERENCES = "-XX:SoftRefLRUPolicyMSPerMB=0";

	/** Those of the process and of this start; the last one's may take its time. */
	private static final int REMAINING = 3;

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private Process process;

	private BufferedReader output;

	private int port;

	@BeforeEach
	void start() throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", FORGET_SOFT_REFERENCES, "-cp", System.getProperty("java.class.path"),
				Application.class.getName())
			.redirectErrorStream(true)
			.start();
		this.output = this.process.inputReader(StandardCharsets.UTF_8);
		awaitStart();
	}

	@AfterEach
	void stop() throws IOException {
		this.process.destroyForcibly();
		this.output.close();
	}

	@Test
	void limitsHoldAfterEachRestartAndNothingHoldsOnToWhatWasBefore() throws Exception {
		assertThat(get("/loader").body()).isEqualTo("RestartClassLoader");
		assertLimits();
		for (int i = 0; i < 4; i++) {
			get("/restart");
			awaitStart();
			assertLimits();
		}
		await().atMost(Duration.ofMinutes(1)).until(() -> Integer.parseInt(get("/loaders").body()) <= REMAINING);
	}

	private void assertLimits() {
		assertThat(List.of("/handler", "/argument/7", "/rule"))
			.allSatisfy((path) -> assertThat(IntStream.range(0, 3).mapToObj((i) -> status(path))).containsExactly(200,
					200, 429));
	}

	private void awaitStart() throws IOException {
		StringBuilder read = new StringBuilder();
		String line = this.output.readLine();
		while (line != null && !line.startsWith("port ")) {
			read.append(line).append('\n');
			line = this.output.readLine();
		}
		assertThat(line).as(read.toString()).isNotNull();
		this.port = Integer.parseInt(line.substring("port ".length()));
	}

	private int status(String path) {
		try {
			return get(path).statusCode();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path)).build();
		return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
	}

}
