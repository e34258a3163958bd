package io.github.ratelimit.sample.ai;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page shows, and that it has all that it needs.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SampleAiTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	/* What a call reserves: three words and what is around them, and an answer's most. */
	private static final int RESERVED = 3 + 4 + 150;

	@LocalServerPort
	private int port;

	@Autowired
	private RateLimiterRegistry limits;

	@Autowired
	private StorytellerModel model;

	@BeforeEach
	void forget() {
		this.model.pause(Duration.ofMillis(1));
		this.limits.policies().forEach((limiter) -> limiter.reset("everybody"));
	}

	@Test
	void budgetGoesDownUntilCallsAreRejected() throws Exception {
		assertThat(get("/budget")).isEqualTo("{\"tokens\":600,\"calls\":20,\"spend\":20000}");

		assertThat(get("/chat?question=hello%20hello%20hello")).startsWith("You ask, and I answer.")
			.endsWith("its owner sleeps better.");
		int words = StorytellerModel.WORDS.size();
		awaitBudget("{\"tokens\":" + (600 - 3 - words) + ",\"calls\":19,\"spend\":" + (20000 - 9 - 15 * words) + "}");

		int answered = 1;
		HttpResponse<String> last = send("/chat?question=hello%20hello%20hello");
		while (last.statusCode() == 200) {
			answered++;
			last = send("/chat?question=hello%20hello%20hello");
		}
		assertThat(answered).isEqualTo((600 - RESERVED) / (3 + words) + 1);
		assertThat(last.statusCode()).isEqualTo(429);
		assertThat(last.headers().firstValue("Retry-After")).isPresent();
		assertThat(last.body()).contains("\"violated-policies\":[\"tokens\"]");
	}

	@Test
	void answerThatIsStoppedCostsWhatWasReserved() throws Exception {
		this.model.pause(Duration.ofMillis(200));
		try (InputStream answer = CLIENT
			.send(request("/chat?question=hello%20hello%20hello"), HttpResponse.BodyHandlers.ofInputStream())
			.body()) {
			assertThat(answer.read()).isEqualTo('Y');
		}
		awaitBudget("{\"tokens\":" + (600 - RESERVED) + ",\"calls\":19,\"spend\":" + (20000 - 7 * 3 - 150 * 15) + "}");
	}

	@Test
	void pageLoadsNothingFromElsewhereAndHasAllThatItsScriptLooksFor() throws Exception {
		String page = get("/");
		assertThat(page).doesNotContain("://").doesNotContainPattern("(src|href)=\"(?!data:,)");
		assertThat(Pattern.compile("element\\('(\\w+)'\\)").matcher(page).results()).isNotEmpty()
			.allSatisfy((id) -> assertThat(page).contains("id=\"" + id.group(1) + '"'));
	}

	/* That somebody has left is known once the server cannot write to them. */
	private void awaitBudget(String expected) throws Exception {
		for (int i = 0; i < 500 && !get("/budget").equals(expected); i++) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}
		assertThat(get("/budget")).isEqualTo(expected);
	}

	private String get(String path) throws IOException, InterruptedException {
		HttpResponse<String> response = send(path);
		assertThat(response.statusCode()).as(path).isEqualTo(200);
		return response.body();
	}

	private HttpResponse<String> send(String path) throws IOException, InterruptedException {
		return CLIENT.send(request(path), HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path)).build();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class StandingClock {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

	}

}
