package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is counted and logged of decisions in shadow.
 */
class ShadowReportTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(RateLimiter.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final LocalRateLimitStore store = new LocalRateLimitStore(ManualClock.atMidnight(), 10);

	@BeforeEach
	void listen() {
		this.lines.start();
		this.logger.addAppender(this.lines);
		this.logger.setLevel(Level.DEBUG);
	}

	@AfterEach
	void close() {
		this.logger.setLevel(null);
		this.logger.detachAppender(this.lines);
		this.store.close();
	}

	@Test
	void onlyKeysThatWouldHaveBeenRejectedAreCountedAndLogged() {
		StoreRateLimiter limiter = register(this.store);
		limiter.decide("allowed", 1);
		limiter.decide("secret", 3);
		assertThat(shadow(limiter).rejectedKeys()).isEqualTo(1);
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.singleElement()
			.asString()
			.matches(
					"The rate limit policy 'tried' would have rejected the key with the hash [0-9a-f]{16}, permanently");
	}

	@Test
	void aListenerThatFailsIsLoggedOnce() {
		StoreRateLimiter limiter = register(this.store, (policy, key, decision, outcome) -> {
			throw new IllegalStateException("for this test");
		});
		List<Integer> lines = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			limiter.decide("key", 1);
			lines.add((int) this.lines.list.stream().filter((line) -> line.getLevel() == Level.WARN).count());
		}
		assertThat(lines).containsExactly(1, 1, 1);
	}

	@Test
	void aStoreThatFailsBeforeItAnswersIsCounted() {
		StoreRateLimiter limiter = register(new FailingStore());
		assertThat(new Acquisition(ManualClock.atMidnight()).take(List.of(PermitRequest.of(limiter, "key", 1))))
			.isTrue();
		assertThat(shadow(limiter).dropped()).isEqualTo(1);
	}

	@Test
	void aShadowLimitThatTheStoreCannotHoldIsNamed() {
		RateLimit log = RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 131_057, Duration.ofMinutes(1));
		RateLimitPolicy policy = RateLimitPolicy.builder("api").limit(two()).shadowLimits(List.of(two(), log)).build();
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new StoreRateLimiterRegistry(this.store, List.of()).register(policy))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("shadow-limits[1].limit"));
	}

	private static StoreRateLimiter register(RateLimitStore store, RateLimitListener... listeners) {
		return new StoreRateLimiterRegistry(store, List.of(listeners))
			.register(RateLimitPolicy.builder("tried").limit(two()).mode(RateLimitMode.SHADOW).build());
	}

	private static RateLimit two() {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofMinutes(1));
	}

	private static RateLimitShadow shadow(StoreRateLimiter limiter) {
		RateLimitShadow shadow = limiter.shadow();
		assertThat(shadow).isNotNull();
		return shadow;
	}

	/**
	 * A store that cannot even be asked.
	 */
	private static final class FailingStore implements RateLimitStore, PolicyDecider {

		@Override
		public String name() {
			return "failing";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this;
		}

		@Override
		public CompletionStage<RateLimitDecision> decideAsync(String key, long permits) {
			throw new IllegalStateException("for this test");
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			throw new IllegalStateException("for this test");
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			throw new IllegalStateException("for this test");
		}

		@Override
		public void reset(String key) {
			throw new IllegalStateException("for this test");
		}

	}

}
