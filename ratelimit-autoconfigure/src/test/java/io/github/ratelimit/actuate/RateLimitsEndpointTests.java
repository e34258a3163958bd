package io.github.ratelimit.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

import static io.github.ratelimit.actuate.Answers.check;
import static org.assertj.core.api.Assertions.assertThat;

class RateLimitsEndpointTests extends ActuatorTest {

	@Autowired
	private LocalRateLimitStore store;

	@Autowired
	private MeterRegistry meters;

	@AfterEach
	void forgetEverything() {
		this.clock.advance(Duration.ofDays(1));
		this.store.forgetIdle();
	}

	@Test
	void showsEveryPolicyWithItsNumbersAndWhereItIsApplied() {
		check(get(""), 200, "$.store", "caffeine", "$.policies.length()", 3, "$.policies.login.key", "clientAddress",
				"$.policies.login.appliedTo", List.of(Map.of("place", "rule GET /login")),
				"$.policies['SearchController.search'].key", "header('X-Api-Key')",
				"$.policies['SearchController.search'].appliedTo",
				List.of(Map.of("place", "SearchController.search()")), "$.policies.queue.appliedTo",
				List.of(Map.of("place", "SearchController.queue()")), "$.policies.login.alias", "p1");
	}

	@Test
	void showsOnlyTheNumbersThatAnAlgorithmUses() {
		assertThat(body("")).contains("""
				"limits":[{"algorithm":"sliding-window-log","limit":2,"window":60,"countRejected":false},\
				{"algorithm":"token-bucket","limit":10,"window":3600,"burst":5}]""").contains("""
				"limits":[{"algorithm":"leaky-bucket","limit":1000,"window":1,"burst":1000,"delay":0,\
				"nodelay":false}]""");
	}

	@Test
	void realRequestsAreCountedAndMeasuredWithoutTellingWhoseTheyWere() {
		RateLimiter search = this.registry.policy("SearchController.search");
		long allowed = search.count(RateLimitOutcome.ALLOWED);
		long rejected = search.count(RateLimitOutcome.REJECTED);
		for (int i = 0; i < 3; i++) {
			this.client.get().uri("/search").header("X-Api-Key", "s3cret").exchange();
		}
		assertThat(body(""))
			.contains("\"requests\":{\"allowed\":" + (allowed + 2)
					+ ",\"banned\":0,\"delayed\":0,\"exceeded\":0,\"queue_full\":0,\"rejected\":" + (rejected + 1)
					+ ",\"returned\":0,\"unavailable\":0}")
			.doesNotContain("s3cret", "127.0.0.1");
		assertThat(counted("SearchController.search", "allowed")).isEqualTo(allowed + 2);
		assertThat(counted("SearchController.search", "rejected")).isEqualTo(rejected + 1);
	}

	@Test
	void requestThatWaitedIsCountedOnceAndItsDelayIsTimed() {
		double before = counted("queue", "delayed");
		for (int i = 0; i < 3; i++) {
			check(ask("/queue"), 200);
		}
		assertThat(counted("queue", "delayed") - before).isGreaterThanOrEqualTo(2);
		Timer timer = this.meters.get("ratelimit.delay").tags("policy", "queue").timer();
		assertThat(timer.count()).isEqualTo((long) counted("queue", "delayed"));
		assertThat(timer.max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(2);
	}

	private double counted(String policy, String outcome) {
		return this.meters.get("ratelimit.requests")
			.tags("policy", policy, "outcome", outcome)
			.functionCounter()
			.count();
	}

	@Test
	void showsHowAKeyStandsWithEachLimitAndWithAllOfThem() {
		check(ask("/login"), 200);
		assertThat(body("/login?key=127.0.0.1")).isEqualTo("""
				{"policy":"login","key":"127.0.0.1",\
				"standing":{"remaining":1,"nextPermitAfter":60,"resetAfter":360},\
				"limits":[{"limit":{"algorithm":"sliding-window-log","limit":2,"window":60,"countRejected":false},\
				"standing":{"remaining":1,"nextPermitAfter":60,"resetAfter":60}},\
				{"limit":{"algorithm":"token-bucket","limit":10,"window":3600,"burst":5},\
				"standing":{"remaining":4,"nextPermitAfter":360,"resetAfter":360}}]}""");
	}

	@Test
	void lookingAtAKeyChangesNothing() {
		String before = body("");
		assertThat(body("/login?key=nobody")).isEqualTo(body("/login?key=nobody")).contains("\"remaining\":2");
		assertThat(body("")).isEqualTo(before);
	}

	@Test
	void resetGivesAKeyAllItsPermits() {
		for (int status : new int[] { 200, 200, 429 }) {
			check(ask("/login"), status);
		}
		check(delete("/login?key=127.0.0.1"), 204);
		assertThat(body("/login?key=127.0.0.1")).contains("\"remaining\":2");
		check(ask("/login"), 200);
	}

	/*
	 * Whether there is such a policy is told first, with the nearest one; then whether
	 * there is a key.
	 */
	@ParameterizedTest
	@CsvSource({ "GET", "DELETE" })
	void policyThatDoesNotExistIsNotFoundAndAKeyThatIsMissingIsABadRequest(HttpMethod method) {
		for (String query : List.of("", "?key=", "?key=127.0.0.1")) {
			check(this.client.method(method).uri("/actuator/ratelimits/lgoin" + query).exchange(), 404, "$.message",
					"There is no rate limit policy named 'lgoin'. Did you mean 'login'?", "$.policies",
					List.of("SearchController.search", "login", "queue"));
			if (!query.equals("?key=127.0.0.1")) {
				check(this.client.method(method).uri("/actuator/ratelimits/login" + query).exchange(), 400);
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "GET, '', 200", "GET, /login?key=a, 200", "GET, /login, 400", "GET, /lgoin, 404",
			"DELETE, /login?key=a, 204", "GET, /login/history, 200", "GET, /login/override, 404",
			"DELETE, /login/override, 404", "POST, /login, 400", "POST, /simulate, 400" })
	void noAnswerIsStored(String method, String path, int status) {
		check(this.client.method(HttpMethod.valueOf(method))
			.uri("/actuator/ratelimits" + path)
			.contentType(MediaType.APPLICATION_JSON)
			.exchange(), status, HttpHeaders.CACHE_CONTROL, "no-store");
	}

}
