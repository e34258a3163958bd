package io.github.ratelimit.web.servlet;

import java.util.Map;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failed logins that are told by the status of their answer, of which the client has a
 * say: why a charge is for all from 400.
 */
class ChargeByStatusTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, "one: 5 per 1d; key='all'; charge=status == 401",
				"every: 5 per 1d; key='all'; charge=status >= 400", "/one -> one", "/every -> every");
	}

	@Test
	void whoAcceptsNoTextGuessesForFreeWhereOneStatusIsCharged() {
		assertThat(IntStream.range(0, 20).map((i) -> guess("one"))).containsOnly(406);
		assertThat(server.limiter().policy("one").peek("all").remaining()).isEqualTo(5);
	}

	@Test
	void whoAcceptsNoTextIsChargedWhereEveryStatusFrom400Is() {
		assertThat(IntStream.range(0, 6).map((i) -> guess("every"))).containsExactly(406, 406, 406, 406, 406, 429);
	}

	@Test
	void aChargeForOneStatusIsFound() {
		assertThat(server.bean(RateLimitFindings.class).list())
			.filteredOn((finding) -> finding.code() == FindingCode.ONE_STATUS_CHARGED)
			.extracting(RateLimitFinding::policy)
			.containsExactly("one");
	}

	private static int guess(String policy) {
		int status = server.form("/" + policy, "password=guess", "Accept", "image/png").status();
		RateLimiter limiter = server.limiter().policy(policy);
		TestServer.await(() -> limiter.count(RateLimitOutcome.ALLOWED) == TestServer.settled(limiter));
		return status;
	}

	@RestController
	static class Controller {

		@PostMapping({ "/one", "/every" })
		ResponseEntity<Map<String, String>> login(@RequestParam String password) {
			return password.equals("secret") ? ResponseEntity.noContent().build()
					: ResponseEntity.status(401).body(Map.of("error", "wrong"));
		}

	}

}
