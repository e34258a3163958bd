package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is forced goes the way of what the store decides.
 */
@WebMvcTest
@AutoConfigureRateLimit
@ExtendWith(OutputCaptureExtension.class)
class ForcedOutcomesTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private RateLimitOutcomes outcomes;

	@Autowired
	private RateLimiterRegistry registry;

	@Test
	void rejectedRequestHasFieldsAndAProblemAndIsCounted() {
		this.outcomes.force("login", RateLimitOutcome.REJECTED);
		assertThat(this.mvc.get().uri("/login")).isRateLimited()
			.hasRetryAfter(Duration.ofMinutes(1))
			.hasRemaining("login", 0)
			.hasViolatedPolicies("login");
		assertThat(this.registry.policy("login").count(RateLimitOutcome.REJECTED)).isPositive();
	}

	@Test
	void timeToComeBackIsTheTestsOwn() {
		this.outcomes.force("login", RateLimitOutcome.REJECTED, Duration.ofMillis(7100));
		assertThat(this.mvc.get().uri("/login")).isRateLimited().hasRetryAfter(Duration.ofSeconds(8));
		this.outcomes.forceAll(RateLimitOutcome.UNAVAILABLE, Duration.ofSeconds(2));
		assertThat(this.mvc.get().uri("/search")).isUnavailable().hasRetryAfter(Duration.ofSeconds(2));
		assertThat(this.mvc.get().uri("/login")).isRateLimited();
	}

	@Test
	void bannedClientGetsTheProblemOfABan() {
		this.outcomes.force("login", RateLimitOutcome.BANNED, Duration.ofHours(1));
		assertThat(this.mvc.get().uri("/login")).isBanned().hasRetryAfter(Duration.ofHours(1));
		assertThat(this.registry.decide("login", "me")).isBanned();
	}

	@Test
	void allowedRequestTakesNothing() {
		this.outcomes.force("login", RateLimitOutcome.ALLOWED);
		for (int i = 0; i < 3; i++) {
			assertThat(this.mvc.get().uri("/login")).isAllowed().hasStatusOk().hasRemaining("login", 1);
		}
		this.outcomes.release();
		assertThat(this.mvc.get().uri("/login")).isAllowed();
		assertThat(this.mvc.get().uri("/login")).isRateLimited();
	}

	@Test
	void delayedRequestWaits() {
		this.outcomes.force("queue", RateLimitOutcome.DELAYED, Duration.ofMillis(50));
		long start = System.nanoTime();
		assertThat(this.mvc.get().uri("/queue").exchange(Duration.ofMinutes(1))).isAllowed().hasStatusOk();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
		assertThat(this.registry.policy("queue").count(RateLimitOutcome.DELAYED)).isPositive();
		assertThat(this.registry.decide("queue", "me")).hasOutcome(RateLimitOutcome.DELAYED)
			.hasDelay(Duration.ofMillis(50));
		assertThat(this.registry.policy("queue").decideWithoutDelay("me", 1)).hasOutcome(RateLimitOutcome.QUEUE_FULL)
			.hasRetryAfter(Duration.ofMillis(50));
	}

	@Test
	void policyThatReservesPermitsDelaysAndHasNoRoomForThoseWhoWait() {
		this.registry.register(RateLimitPolicy.builder("reserving")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)))
			.maxWait(Duration.ofSeconds(10))
			.build());
		this.outcomes.force("reserving", RateLimitOutcome.DELAYED, Duration.ofSeconds(2));
		assertThat(this.registry.decide("reserving", "me")).hasOutcome(RateLimitOutcome.DELAYED)
			.hasDelay(Duration.ofSeconds(2));
		assertThat(this.registry.policy("reserving").decideWithoutDelay("me", 1))
			.hasOutcome(RateLimitOutcome.QUEUE_FULL)
			.hasRetryAfter(Duration.ofSeconds(2));
		this.outcomes.force("reserving", RateLimitOutcome.QUEUE_FULL, Duration.ofSeconds(3));
		assertThat(this.registry.decide("reserving", "me")).hasOutcome(RateLimitOutcome.QUEUE_FULL)
			.hasRetryAfter(Duration.ofSeconds(3));
	}

	@Test
	void policyThatReservesPermitsIsNotSaidToBeInAStoreThatCannot(CapturedOutput output) {
		this.registry.register(RateLimitPolicy.builder("reserving too")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)))
			.maxWait(Duration.ofSeconds(10))
			.build());
		assertThat(output).doesNotContain("reserves no permits");
	}

	@Test
	void fullQueueRejects() {
		this.outcomes.force("queue", RateLimitOutcome.QUEUE_FULL, Duration.ofSeconds(3));
		assertThat(this.mvc.get().uri("/queue")).isRateLimited()
			.hasRetryAfter(Duration.ofSeconds(3))
			.hasViolatedPolicies("queue");
		assertThat(this.registry.policy("queue").count(RateLimitOutcome.QUEUE_FULL)).isPositive();
	}

	@ParameterizedTest
	@EnumSource(names = "RETURNED", mode = EnumSource.Mode.EXCLUDE)
	void outcomeOfAllIsThatOfAnnotatedPoliciesToo(RateLimitOutcome outcome) {
		this.outcomes.forceAll(outcome);
		boolean allowed = outcome == RateLimitOutcome.ALLOWED || outcome == RateLimitOutcome.DELAYED;
		for (String uri : List.of("/search", "/history?user=me", "/login")) {
			assertThat(this.mvc.get().uri(uri))
				.hasStatus(allowed ? 200 : (outcome == RateLimitOutcome.UNAVAILABLE) ? 503 : 429);
		}
	}

	@Test
	void policyWithoutQueueAllowsOrRejectsAtOnceWhatOthersDelay() {
		this.outcomes.forceAll(RateLimitOutcome.DELAYED);
		assertThat(this.registry.decide("login", "me")).hasOutcome(RateLimitOutcome.ALLOWED);
		assertThat(this.registry.policy("login").decideWithoutDelay("me", 1)).hasOutcome(RateLimitOutcome.ALLOWED);
		this.outcomes.forceAll(RateLimitOutcome.QUEUE_FULL);
		assertThat(this.registry.decide("login", "me")).hasOutcome(RateLimitOutcome.REJECTED);
		assertThat(this.registry.decide("queue", "me")).hasOutcome(RateLimitOutcome.QUEUE_FULL);
	}

	@Test
	void policyThatInformsLetsPassWhatExceeds() {
		this.registry.register(RateLimitPolicy.builder("informing")
			.limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)))
			.mode(RateLimitMode.INFORM)
			.build());
		this.outcomes.force("informing", RateLimitOutcome.EXCEEDED);
		assertThat(this.registry.decide("informing", "me")).isAllowed().isExceeded();
		this.outcomes.force("informing", RateLimitOutcome.ALLOWED);
		assertThat(this.registry.decide("informing", "me")).isAllowed().hasOutcome(RateLimitOutcome.ALLOWED);
	}

	@Test
	void looksAndOtherPoliciesAreNotForced() {
		this.outcomes.force("login", RateLimitOutcome.REJECTED);
		assertThat(this.registry.peek("login", "me").remaining()).isOne();
		assertThat(this.mvc.get().uri("/search")).isAllowed();
	}

	@Test
	void whatCannotBeIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.outcomes.force("logn", RateLimitOutcome.REJECTED))
			.withMessageStartingWith("There is no rate limit policy named 'logn'. Did you mean 'login'? Known: '");
		assertThatIllegalArgumentException().isThrownBy(() -> this.outcomes.force("login", RateLimitOutcome.DELAYED))
			.withMessageContaining("leaky bucket")
			.withMessageContaining("max-wait");
		assertThatIllegalArgumentException().isThrownBy(() -> this.outcomes.force("login", RateLimitOutcome.QUEUE_FULL))
			.withMessageContaining("leaky bucket")
			.withMessageContaining("max-wait");
		assertThatIllegalArgumentException().isThrownBy(() -> this.outcomes.force("login", RateLimitOutcome.EXCEEDED))
			.withMessageContaining("its mode is enforce");
		assertThatIllegalArgumentException().isThrownBy(() -> this.outcomes.forceAll(RateLimitOutcome.RETURNED));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.outcomes.forceAll(RateLimitOutcome.BANNED, Duration.ZERO));
	}

	@RepeatedTest(2)
	void everyTestBeginsWithNothingForced() {
		assertThat(this.mvc.get().uri("/login")).isAllowed();
		this.outcomes.forceAll(RateLimitOutcome.REJECTED);
		this.outcomes.force("queue", RateLimitOutcome.BANNED);
	}

}
