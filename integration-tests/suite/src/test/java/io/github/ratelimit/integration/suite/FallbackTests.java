package io.github.ratelimit.integration.suite;

import java.time.Duration;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers with a fallback: a request that their limits reject is answered by it, with
 * its status and the header fields of the rejection.
 */
class FallbackTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Controller.class, "ruled: 2 per 1m",
				"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "/ruled/** -> ruled", "/soon/** -> soon");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@ValueSource(strings = { "items", "by-argument", "charged" })
	void fallbackAnswersWithItsStatusAndTheFieldsOfTheRejection(String limit) {
		String path = "/" + limit + "/1";
		String standing = "RateLimit: \"" + limit + "\";r=0;t=60";
		server.get(path).is(200, "Retry-After:", standing);
		Answer answer = server.get(path).is(203, "Retry-After: 60", standing);
		assertThat(answer.body()).isEqualTo("cached 1");
		assertThat(answer.all("RateLimit")).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource({ "items, 127.0.0.1", "by-argument, all1", "charged, 127.0.0.1" })
	void aDeniedKeyIsForbiddenAndABannedOneIsAnswered(String limit, String key) {
		RateLimitInterventions interventions = server.limiter().interventions();
		RateLimitIntervention banned = RateLimitIntervention.ban(limit, key, Duration.ofHours(1), null);
		RateLimitIntervention denied = new RateLimitIntervention(Target.ofKey(Kind.DENY, limit, key), null, null, null);
		interventions.put(banned);
		assertThat(server.get("/" + limit + "/1").is(203).body()).isEqualTo("cached 1");
		interventions.put(denied);
		server.get("/" + limit + "/1").is(403);
		interventions.remove(denied.target());
		interventions.remove(banned.target());
		server.get("/" + limit + "/1").is(200);
	}

	@Test
	void malformedRequestsCountAndAreMalformedToTheFallbackToo() {
		server.get("/items/x").is(400);
		assertThat(server.get("/items/1").is(203).body()).isEqualTo("cached 1");
		server.get("/items/x").is(400);
	}

	@Test
	void aRuleRejectsWithoutFallbackAndCountsWhatOneAnswers() {
		assertThat(server.get("/ruled/items/1").is(200).body()).isEqualTo("item 1");
		assertThat(server.get("/ruled/items/1").is(203).body()).isEqualTo("cached 1");
		assertThat(server.get("/ruled/items/1").is(429).body()).contains("\"violated-policies\":[\"ruled\"]");
		assertThat(server.limiter().policy("ruled").count(RateLimitOutcome.RETURNED)).isZero();
	}

	@Test
	void whatARuleDelaysIsDelayedEvenIfAFallbackAnswersIt() {
		long before = server.limiter().policy("soon").count(RateLimitOutcome.DELAYED);
		server.get("/soon/items/1").is(200);
		long begin = System.nanoTime();
		for (int i = 0; i < 3; i++) {
			assertThat(server.get("/soon/items/1").is(203).body()).isEqualTo("cached 1");
		}
		assertThat(System.nanoTime() - begin).isGreaterThan(100_000_000L);
		assertThat(server.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isEqualTo(before + 3);
	}

	@Test
	void fallbackAnswersADelayedRequestWhoseContextPathIsSpelledOtherwise() {
		try (TestServer inContext = TestServer.start(Controller.class, Stack.CURRENT.basePathProperty() + "=/app",
				"soon: 20 per 1s; algorithm=leaky-bucket; burst=20", "/soon/** -> soon")) {
			if (Difference.A_CONTEXT_PATH_HAS_ONE_SPELLING.here()) {
				assertThat(inContext.get("/%61pp/soon/items/1").status()).isIn(404, 500);
				return;
			}
			assertThat(inContext.get("/%61pp/soon/items/1").is(200).body()).isEqualTo("item 1");
			assertThat(inContext.get("/%61pp/soon/items/1").is(203).body()).isEqualTo("cached 1");
			assertThat(inContext.limiter().policy("soon").count(RateLimitOutcome.DELAYED)).isOne();
		}
	}

	@Test
	void whatTheFallbackThrowsFailsTheRequest() {
		server.get("/failing").is(200);
		server.get("/failing").is(500);
	}

	@RestController
	static class Controller {

		@RateLimited(name = "items", limit = 1, window = "1m", fallback = "cached")
		@GetMapping({ "/items/{id}", "/ruled/items/{id}", "/soon/items/{id}" })
		Mono<ResponseEntity<String>> items(@PathVariable int id) {
			return Mono.just(ResponseEntity.ok("item " + id));
		}

		@RateLimited(name = "by-argument", limit = 1, window = "1m", key = "'all' + #id", fallback = "cached")
		@GetMapping("/by-argument/{id}")
		Mono<ResponseEntity<String>> byArgument(@PathVariable int id) {
			return items(id);
		}

		@RateLimited(name = "charged", limit = 1, window = "1m", charge = "status == 500 ? 0 : 1", fallback = "cached")
		@GetMapping("/charged/{id}")
		Mono<ResponseEntity<String>> charged(@PathVariable int id) {
			return items(id);
		}

		Mono<ResponseEntity<String>> cached(int id, RateLimitExceededException rejection) {
			return Mono.just(ResponseEntity.status(203).body("cached " + id));
		}

		@RateLimited(limit = 1, window = "1m", fallback = "failed")
		@GetMapping("/failing")
		Mono<Void> failing() {
			return Mono.empty();
		}

		Mono<Void> failed() {
			throw new IllegalStateException("nothing is cached");
		}

	}

}
