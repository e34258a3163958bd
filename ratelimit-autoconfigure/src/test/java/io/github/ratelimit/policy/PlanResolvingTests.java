package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a resolver is asked which plan a key has: seldom, and never so that a request fails
 * or waits for long.
 */
@ExtendWith(OutputCaptureExtension.class)
class PlanResolvingTests extends LocalPolicies {

	private static final Duration REFRESH = Duration.ofMinutes(1);

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(50);

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicInteger asked = new AtomicInteger();

	private final AtomicReference<String> answer = new AtomicReference<>("pro");

	@AfterEach
	void release() {
		this.released.countDown();
	}

	private StoreRateLimiter limiter(RateLimitPlanResolver resolver, Duration timeout) {
		return limiter(resolver, timeout, 10_000);
	}

	private StoreRateLimiter limiter(RateLimitPlanResolver resolver, Duration timeout, long maximumSize) {
		PlanSettings settings = new PlanSettings(resolver, REFRESH, timeout, maximumSize, this.clock);
		return new StoreRateLimiterRegistry(this.store, List.of(), settings).register(RateLimitPolicy.builder("api")
			.limit(bucket(2))
			.plans(Map.of("pro", RateLimitPlan.of(bucket(60)), "gold", RateLimitPlan.of(bucket(600))))
			.build());
	}

	private String answered(RateLimitPolicy policy, String key) {
		this.asked.incrementAndGet();
		return this.answer.get();
	}

	private String hanging(RateLimitPolicy policy, String key) throws InterruptedException {
		this.asked.incrementAndGet();
		this.released.await();
		return this.answer.get();
	}

	private static long limit(StoreRateLimiter limiter, String key) {
		return limiter.version(key).policy().limits().get(0).limit();
	}

	private static void awaitLimit(StoreRateLimiter limiter, String key, long limit) {
		Awaitility.await().atMost(LONG).until(() -> limit(limiter, key) == limit);
	}

	@Test
	void aKeyIsAskedForOnceHoweverManyRequestsComeAtOnce() {
		StoreRateLimiter limiter = limiter(this::answered, LONG);
		List<Long> limits = Threads.run(16, (i) -> limit(limiter, "acme"));
		assertThat(limits).containsOnly(60L);
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void anAnswerIsRememberedAndAskedForAnewInTheBackgroundWhenItIsOld() {
		StoreRateLimiter limiter = limiter(this::answered, LONG);
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		this.answer.set("gold");
		this.clock.advance(REFRESH.minusNanos(1));
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		assertThat(this.asked).hasValue(1);
		this.clock.advanceNanos(1);
		limit(limiter, "acme");
		awaitLimit(limiter, "acme", 600);
		assertThat(this.asked).hasValue(2);
	}

	@Test
	void theLastAnswerHoldsWhileTheNextOneHangsAndItIsNotAskedForTwice() {
		AtomicReference<RateLimitPlanResolver> resolver = new AtomicReference<>(this::answered);
		StoreRateLimiter limiter = limiter((policy, key) -> resolver.get().resolvePlan(policy, key), LONG);
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		this.answer.set("gold");
		resolver.set(this::hanging);
		for (int i = 0; i < 10; i++) {
			this.clock.advance(REFRESH);
			assertThat(limit(limiter, "acme")).isEqualTo(60);
		}
		Awaitility.await().atMost(LONG).until(() -> this.asked.get() == 2);
		this.released.countDown();
		awaitLimit(limiter, "acme", 600);
	}

	@Test
	void theFirstAnswerIsWaitedForOnceAndNoLongerThanTheTimeout() {
		StoreRateLimiter limiter = limiter(this::hanging, SHORT);
		assertThat(limit(limiter, "acme")).isEqualTo(2);
		long before = System.nanoTime();
		for (int i = 0; i < 1000; i++) {
			assertThat(limit(limiter, "acme")).isEqualTo(2);
		}
		assertThat(System.nanoTime() - before).isLessThan(1000 * SHORT.toNanos() / 2);
		this.released.countDown();
		awaitLimit(limiter, "acme", 60);
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void hangingQuestionsHoldAFewThreadsAndOthersAreNotWaitedForOnceTooManyWait(CapturedOutput output) {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		StoreRateLimiter limiter = limiter(this::hanging, Duration.ZERO);
		for (int i = 0; i < 3000; i++) {
			assertThat(limit(limiter, "key" + i)).isEqualTo(2);
		}
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().equals("ratelimit-plans") && !before.contains(thread))
			.hasSizeLessThanOrEqualTo(4);
		assertThat(this.asked.get()).isLessThanOrEqualTo(4);
		assertThat(output.getAll()).containsOnlyOnce("are asked for faster than they are told");
		this.released.countDown();
		awaitLimit(limiter, "key0", 60);
		assertThat(limit(limiter, "key2999")).isEqualTo(2);
		this.clock.advance(Duration.ofSeconds(1));
		awaitLimit(limiter, "key2999", 60);
	}

	@Test
	void aFloodOfInventedKeysKeepsNoCallerFromItsPlanThatComesAgain() {
		StoreRateLimiter limiter = limiter(this::hanging, Duration.ZERO);
		for (int i = 0; i < 3000; i++) {
			limit(limiter, "invented" + i);
		}
		limit(limiter, "acme");
		this.clock.advance(Duration.ofSeconds(1));
		for (int i = 0; i < 3000; i++) {
			limit(limiter, "more" + i);
		}
		assertThat(limit(limiter, "acme")).isEqualTo(2);
		this.released.countDown();
		awaitLimit(limiter, "acme", 60);
	}

	@Test
	void aFailureLeavesTheLastAnswerAndIsCounted(CapturedOutput output) {
		AtomicReference<RateLimitPlanResolver> resolver = new AtomicReference<>(this::answered);
		StoreRateLimiter limiter = limiter((policy, key) -> resolver.get().resolvePlan(policy, key), LONG);
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		resolver.set((policy, key) -> {
			throw new AssertionError("down, says " + key);
		});
		this.clock.advance(REFRESH);
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		assertThat(limit(limiter, "tiny")).isEqualTo(2);
		Awaitility.await().atMost(LONG).until(() -> limiter.failures(RateLimitExpression.PLAN) == 2);
		assertThat(output.getAll()).containsOnlyOnce("could not be found out: java.lang.AssertionError")
			.doesNotContain("down, says");
		this.answer.set("gold");
		resolver.set(this::answered);
		this.clock.advance(REFRESH);
		limit(limiter, "acme");
		awaitLimit(limiter, "acme", 600);
		awaitLimit(limiter, "tiny", 600);
	}

	@Test
	void aFirstQuestionThatFailedIsAskedAgainLaterEachTimeAndAtLastAsSeldomAsOthers() {
		AtomicReference<RateLimitPlanResolver> resolver = new AtomicReference<>((policy, key) -> {
			throw new java.io.IOException("down");
		});
		StoreRateLimiter limiter = limiter((policy, key) -> resolver.get().resolvePlan(policy, key), LONG);
		int failures = 0;
		for (int seconds : new int[] { 0, 1, 2, 4, 8, 16, 32, 60, 60, 60 }) {
			if (seconds > 0) {
				this.clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
				assertThat(limit(limiter, "acme")).isEqualTo(2);
				this.clock.advanceNanos(1);
			}
			assertThat(limit(limiter, "acme")).isEqualTo(2);
			long asked = ++failures;
			Awaitility.await().atMost(LONG).until(() -> limiter.failures(RateLimitExpression.PLAN) == asked);
		}
		resolver.set(this::answered);
		this.clock.advance(REFRESH);
		limit(limiter, "acme");
		awaitLimit(limiter, "acme", 60);
	}

	@Test
	void itIsSaidOnceThatAllThreadsHangWhateverElseWasSaid(CapturedOutput output) {
		AtomicReference<RateLimitPlanResolver> resolver = new AtomicReference<>((policy, key) -> {
			throw new java.io.IOException("down");
		});
		StoreRateLimiter limiter = limiter((policy, key) -> resolver.get().resolvePlan(policy, key), SHORT);
		limit(limiter, "failing");
		Awaitility.await().atMost(LONG).until(() -> limiter.failures(RateLimitExpression.PLAN) == 1);
		resolver.set(this::hanging);
		for (int i = 0; i < 4; i++) {
			limit(limiter, "secret" + i);
		}
		Awaitility.await().atMost(LONG).until(() -> this.asked.get() == 4);
		this.clock.advance(Duration.ofSeconds(10).minusNanos(1));
		limit(limiter, "secret4");
		assertThat(output).doesNotContain("No plan of the rate limit policy");
		this.clock.advanceNanos(1);
		limit(limiter, "secret5");
		limit(limiter, "secret6");
		limit(limiter, "secret7");
		assertThat(output)
			.containsOnlyOnce("No plan of the rate limit policy 'api' can be found out, because all 4 threads that ask "
					+ "have waited for 10 seconds or longer. Set a time-out in the client")
			.doesNotContain("secret");
	}

	@Test
	void aFlappingResolverNeverFailsARequest() {
		Map<String, Integer> turns = new ConcurrentHashMap<>();
		StoreRateLimiter limiter = limiter((policy, key) -> switch (turns.merge(key, 1, Integer::sum) % 3) {
			case 0 -> throw new IllegalStateException("down");
			case 1 -> "pro";
			default -> null;
		}, LONG);
		Threads.run(8, (thread) -> {
			for (int i = 0; i < 2000; i++) {
				assertThat(limiter.decide("key" + i % 50, 1)).isNotNull();
				if (i % 100 == 0) {
					this.clock.advance(REFRESH);
				}
			}
			return thread;
		});
	}

	@Test
	void aForgottenPlanIsAskedForByTheNextRequest() {
		StoreRateLimiter limiter = limiter(this::answered, LONG);
		assertThat(limit(limiter, "acme")).isEqualTo(60);
		this.answer.set("gold");
		limiter.forgetPlan("acme");
		assertThat(limit(limiter, "acme")).isEqualTo(600);
		assertThat(this.asked).hasValue(2);
	}

	@Test
	void anAnswerFromBeforeItWasForgottenIsLost() throws InterruptedException {
		CountDownLatch first = new CountDownLatch(1);
		StoreRateLimiter limiter = limiter((policy, key) -> {
			if (this.asked.getAndIncrement() == 0) {
				first.countDown();
				this.released.await();
				return "pro";
			}
			return "gold";
		}, SHORT);
		assertThat(limit(limiter, "acme")).isEqualTo(2);
		assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
		limiter.forgetPlan("acme");
		awaitLimit(limiter, "acme", 600);
		this.released.countDown();
		limiter.forgetPlan("other");
		awaitLimit(limiter, "other", 600);
		assertThat(limit(limiter, "acme")).isEqualTo(600);
	}

	@Test
	void anInterruptedRequestGoesOnInterruptedWithThePolicysOwnLimits() {
		StoreRateLimiter limiter = limiter(this::hanging, LONG);
		Thread.currentThread().interrupt();
		assertThat(limit(limiter, "acme")).isEqualTo(2);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void inventedKeysDriveOutOneAnotherAndNotThoseThatAreInUse() {
		StoreRateLimiter limiter = limiter(this::answered, LONG, 100);
		limit(limiter, "acme");
		for (int i = 0; i < 2000; i++) {
			limit(limiter, "invented" + i);
			limit(limiter, "acme");
		}
		assertThat(this.asked).hasValue(2001);
	}

}
