package io.github.ratelimit.integration.suite;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Requests that meet limits at several places: rules, a handler and services behind it.
 * Each policy is paid once, at its highest cost, and what one rejects takes nothing of
 * the others.
 */
@ExtendWith(OutputCaptureExtension.class)
class SeveralLimitsTests {

	@AutoClose
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(Application.class, "both: 100 per 100h; key='one'", "once: 1 per 1h",
				"mail: 10 per 10h; key='all'", "ruled: 100 per 100h; key='all'", "handled: 10 per 10h; key='all'",
				"one: 1 per 1h; key='all'", "charged: 10 per 10h; key='all'; charge=status >= 400", "/both/** -> both",
				"/twice/** -> once", "/twice/a -> once", "/mail/ruled/** -> mail", "/api/** -> ruled",
				"/charged -> ruled");
	}

	@BeforeEach
	void forget() {
		server.forget();
	}

	@ParameterizedTest
	@CsvSource({ "/both/annotated, 99", "/both/argument?name=a, 99", "/both/costly, 95" })
	void aRuleAndAnAnnotationOfOnePolicyCountOnceAtTheHigherCost(String path, long remaining) {
		Answer response = server.get(path).is(200);
		assertThat(response.field("RateLimit")).contains("\"both\";r=" + remaining + ";t=" + 3600 * remaining);
		assertThat(remaining("both", "one")).isEqualTo(remaining);
	}

	@Test
	void anAnnotationWithAnotherKeyThanTheRulesIsAnotherBudget() {
		server.get("/both/other-key");
		assertThat(remaining("both", "one")).isEqualTo(99);
		assertThat(remaining("both", "two")).isEqualTo(99);
	}

	@Test
	void twoRulesOfOnePolicyCountOnce() {
		assertThat(server.get("/twice/a").status()).isNotEqualTo(429);
		server.get("/twice/a").is(429);
	}

	@ParameterizedTest
	@CsvSource({ "/mail/ruled/send?times=1, 9", "/mail/annotated, 9", "/mail/both, 9", "/mail/send?times=3, 7",
			"/mail/ruled/send?times=4, 6", "/mail/ruled/bulk, 5" })
	void aServiceBehindARuleAHandlerOrAnotherServiceIsPaidOnceForEachTimeItIsCalled(String path, long remaining) {
		server.get(path).is(200);
		assertThat(remaining("mail", "all")).isEqualTo(remaining);
		server.get(path);
		assertThat(remaining("mail", "all")).as("after the next request").isEqualTo(2 * remaining - 10);
	}

	@ParameterizedTest
	@CsvSource({ "/mail/ruled/now?times=1, 9, 8", "/mail/now?times=3, 7, 7", "/mail/ruled/now?times=4, 6, 5",
			"/mail/ruled/bulk/now, 5, 4", "/mail/annotated/now, 9, 8", "/mail/both/now, 9, 8" })
	void aServiceThatReturnsAValueIsPaidAsOften(String path, long remaining, long unknown) {
		server.get(path).is(200);
		assertThat(remaining("mail", "all"))
			.isEqualTo(Difference.PLAIN_CALLS_DO_NOT_KNOW_THEIR_REQUEST.here() ? unknown : remaining);
	}

	@Test
	void aServiceWithoutAKeyIsLimitedByTheClient() {
		server.get("/helped").is(200);
		assertThat(remaining("Services.help", "127.0.0.1")).isZero();
		server.get("/helped").is(429);
	}

	@Test
	void theFieldsOfRuleHandlerAndServiceAreOneSet() {
		server.get("/api/mono")
			.is(200, "RateLimit-Policy: \"ruled\";q=100;w=360000, \"handled\";q=10;w=36000, \"one\";q=1;w=3600",
					"X-RateLimit-Limit: 1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/api/mono", "/api/future", "/api/answered" })
	void aRejectionBeforeTheResponseIsAnAnswerAndWhatRuleAndHandlerTookGoesBack(String path, CapturedOutput output) {
		exhaust("one");
		Answer rejected = server.get(path).is(429, "Retry-After: 3600");
		assertThat(rejected.body()).isEqualTo(path.equals("/api/answered") ? "rejected by one" : """
				{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
				"title":"Request cannot be satisfied as assigned quota has been exceeded",\
				"status":429,"violated-policies":["one"]}""");
		assertThat(rejected.all("RateLimit")).singleElement()
			.asString()
			.contains("\"one\";r=0", "\"ruled\";r=100", "\"handled\";r=10");
		assertThat(remaining("ruled", "all")).isEqualTo(100);
		assertThat(remaining("handled", "all")).isEqualTo(10);
		assertThat(output).doesNotContain("ERROR", "WARN", "RateLimitExceededException");
	}

	@Test
	void aRejectionInTheMiddleOfTheResponseEndsItAndIsNoError(CapturedOutput output) {
		exhaust("one");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> server.get("/api/flux"))
			.withCauseInstanceOf(IOException.class);
		if (Difference.THE_SERVER_LOGS_WHAT_ENDS_A_RESPONSE.here()) {
			return;
		}
		assertThat(output).doesNotContain("ERROR", "WARN", "RateLimitExceededException");
	}

	@Test
	void whatTheHandlersLimitRejectsTakesNothingOfTheRule() {
		exhaust("handled");
		server.get("/api/mono").is(429);
		assertThat(remaining("ruled", "all")).isEqualTo(100);
		assertThat(remaining("one", "all")).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/mail/send?times=11, 0", "/mail/ruled/send?times=11, 0", "/mail/once, 9", "/mail/ruled/once, 9" })
	void aRejectionLeavesWhatEarlierCallsHaveUsedSoThatALoopIsNotFree(String path, long remaining) {
		exhaust("one");
		server.get(path).is(429);
		assertThat(remaining("mail", "all")).isEqualTo(remaining);
	}

	@Test
	void whatIsChargedByItsOutcomeIsLeftToTheCharge() {
		exhaust("one");
		server.get("/charged").is(429);
		server.awaitSettled("charged");
		assertThat(remaining("ruled", "all")).isEqualTo(100);
		assertThat(remaining("charged", "all")).isEqualTo(9);
	}

	@Test
	void aRejectionThatTheHandlerCatchesLeavesTheRequestItsPermits() {
		exhaust("one");
		assertThat(server.get("/api/caught").body()).isEqualTo("nothing new");
		assertThat(remaining("ruled", "all")).isEqualTo(99);
		assertThat(remaining("handled", "all")).isEqualTo(9);
	}

	private static void exhaust(String policy) {
		server.limiter().decide(policy, "all", remaining(policy, "all"));
	}

	private static long remaining(String policy, String key) {
		return server.limiter().peek(policy, key).remaining();
	}

	@RestController
	@Import({ Services.class, Mailer.class, Answering.class, Mail.class })
	static class Application {

		private final Services services;

		Application(Services services) {
			this.services = services;
		}

		@RateLimited("both")
		@GetMapping("/both/annotated")
		String annotated() {
			return "annotated";
		}

		@RateLimited("both")
		@RateLimited(limit = 10, window = "1h", key = "#name")
		@GetMapping("/both/argument")
		Mono<String> argument(String name) {
			return Mono.just(name);
		}

		@RateLimited(policy = "both", cost = "5")
		@GetMapping("/both/costly")
		String costly() {
			return "costly";
		}

		@RateLimited(policy = "both", key = "'two'")
		@GetMapping("/both/other-key")
		String otherKey() {
			return "other";
		}

		@GetMapping("/helped")
		Mono<String> helped() {
			return this.services.help();
		}

		@RateLimited("handled")
		@GetMapping("/api/mono")
		Mono<String> mono() {
			return this.services.helpOnce();
		}

		@RateLimited("handled")
		@GetMapping("/api/future")
		CompletableFuture<String> future() {
			return this.services.helpOnce().toFuture();
		}

		@RateLimited("handled")
		@GetMapping("/api/caught")
		Mono<String> caught() {
			return this.services.helpOnce().onErrorReturn(RateLimitExceededException.class, "nothing new");
		}

		@RateLimited("handled")
		@GetMapping(path = "/api/flux", produces = "text/event-stream")
		Flux<String> flux() {
			return Flux.concat(Flux.just("a"), this.services.helpOnce());
		}

		@RateLimited("charged")
		@GetMapping("/charged")
		Mono<String> charged() {
			return this.services.helpOnce();
		}

	}

	@RestController
	static class Answering {

		private final Services services;

		Answering(Services services) {
			this.services = services;
		}

		@RateLimited("handled")
		@GetMapping("/api/answered")
		Mono<String> answered() {
			return this.services.helpOnce();
		}

		@ExceptionHandler
		ResponseEntity<String> rejected(RateLimitExceededException ex) {
			return ResponseEntity.status(429).body("rejected by " + ex.policy().name());
		}

	}

	@Component
	static class Services {

		@RateLimited(limit = 1, window = "1h")
		public Mono<String> help() {
			return Mono.just("helped");
		}

		@RateLimited("one")
		public Mono<String> helpOnce() {
			return Mono.just("helped once");
		}

		@RateLimited("mail")
		public Mono<Void> publish() {
			return Mono.empty();
		}

		@RateLimited("mail")
		public void publishNow() {
		}

	}

	@RestController
	static class Mail {

		private final Mailer mailer;

		private final Services newsletter;

		Mail(Mailer mailer, Services newsletter) {
			this.mailer = mailer;
			this.newsletter = newsletter;
		}

		@GetMapping({ "/mail/send", "/mail/ruled/send" })
		Mono<Void> send(@RequestParam int times) {
			return Flux.range(0, times).concatMap((i) -> this.mailer.send()).then();
		}

		@GetMapping({ "/mail/now", "/mail/ruled/now" })
		void sendNow(@RequestParam int times) {
			for (int i = 0; i < times; i++) {
				this.mailer.sendNow();
			}
		}

		@GetMapping("/mail/ruled/bulk")
		Mono<Void> bulk() {
			return this.mailer.bulk();
		}

		@GetMapping("/mail/ruled/bulk/now")
		void bulkNow() {
			this.mailer.bulkNow();
		}

		@RateLimited("mail")
		@GetMapping("/mail/annotated")
		Mono<Void> annotated() {
			return send(1);
		}

		@RateLimited("mail")
		@GetMapping("/mail/annotated/now")
		void annotatedNow() {
			sendNow(1);
		}

		@GetMapping("/mail/both/now")
		void bothNow() {
			this.newsletter.publishNow();
			sendNow(1);
		}

		@GetMapping({ "/mail/once", "/mail/ruled/once" })
		Mono<String> once() {
			return send(1).then(this.newsletter.helpOnce());
		}

		@GetMapping("/mail/both")
		Mono<Void> both() {
			return this.newsletter.publish().then(send(1));
		}

	}

	@Component
	static class Mailer {

		@RateLimited("mail")
		public Mono<Void> send() {
			return Mono.empty();
		}

		@RateLimited("mail")
		public void sendNow() {
		}

		@RateLimited(policy = "mail", cost = "5")
		public Mono<Void> bulk() {
			return Mono.empty();
		}

		@RateLimited(policy = "mail", cost = "5")
		public void bulkNow() {
		}

	}

}
