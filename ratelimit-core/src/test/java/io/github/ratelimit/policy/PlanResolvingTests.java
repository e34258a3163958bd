package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.Threads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a resolver or an expression is asked which plan a key has: seldom, and never so
 * that a request fails or waits for long.
 */
@ExtendWith(OutputCaptureExtension.class)
class PlanResolvingTests extends LocalPolicies {

	private static final Duration REFRESH = Duration.ofMinutes(1);

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(50);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicInteger asked = new AtomicInteger();

	private volatile String answer = "pro";

	/* What the resolver does; a test may change it. */
	private volatile RateLimitPlanResolver resolver = this::answered;

	@AfterEach
	void release() {
		this.released.countDown();
	}

	private String answered(RateLimitPolicy policy, String key) {
		this.asked.incrementAndGet();
		return this.answer;
	}

	private String hanging(RateLimitPolicy policy, String key) throws InterruptedException {
		this.asked.incrementAndGet();
		this.released.await();
		return this.answer;
	}

	private String failing(RateLimitPolicy policy, String key) {
		throw new AssertionError("down, says " + key);
	}

	private StoreRateLimiter limiter(Duration timeout, long maximumSize) {
		return limiter(new PlanSettings((policy, key) -> this.resolver.resolvePlan(policy, key), REFRESH, timeout,
				maximumSize, this.clock), RateLimitPolicy.builder("api"));
	}

	private StoreRateLimiter limiter(Duration timeout) {
		return limiter(timeout, 10_000);
	}

	private StoreRateLimiter limiter(PlanSettings settings, RateLimitPolicy.Builder policy) {
		return new StoreRateLimiterRegistry(this.store, List.of(), settings).register(policy.limit(bucket(2))
			.plans(Map.of("pro", RateLimitPlan.of(bucket(60)), "gold", RateLimitPlan.of(bucket(600))))
			.build());
	}

	private static void awaitCapacity(StoreRateLimiter limiter, String key, long limit) {
		Awaitility.await().atMost(LONG).until(() -> capacity(limiter, key) == limit);
	}

	private static void awaitFailures(StoreRateLimiter limiter, long failures) {
		Awaitility.await().atMost(LONG).until(() -> limiter.failures(RateLimitExpression.PLAN) == failures);
	}

	private void awaitAsked(int times) {
		Awaitility.await().atMost(LONG).until(() -> this.asked.get() == times);
	}

	@Test
	void aKeyIsAskedForOnceHoweverManyRequestsComeAtOnce() {
		StoreRateLimiter limiter = limiter(LONG);
		assertThat(Threads.run(16, (i) -> capacity(limiter, "acme"))).containsOnly(60L);
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void anAnswerIsRememberedAndAskedForAnewInTheBackgroundWhenItIsOld() {
		StoreRateLimiter limiter = limiter(LONG);
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
		this.answer = "gold";
		this.clock.advance(REFRESH.minusNanos(1));
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
		assertThat(this.asked).hasValue(1);
		this.clock.advanceNanos(1);
		capacity(limiter, "acme");
		awaitCapacity(limiter, "acme", 600);
		assertThat(this.asked).hasValue(2);
	}

	@Test
	void theLastAnswerHoldsWhileTheNextOneHangsAndItIsNotAskedForTwice() {
		StoreRateLimiter limiter = limiter(LONG);
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
		this.answer = "gold";
		this.resolver = this::hanging;
		for (int i = 0; i < 10; i++) {
			this.clock.advance(REFRESH);
			assertThat(capacity(limiter, "acme")).isEqualTo(60);
		}
		awaitAsked(2);
		this.released.countDown();
		awaitCapacity(limiter, "acme", 600);
	}

	@Test
	void theFirstAnswerIsWaitedForOnceAndNoLongerThanTheTimeout() {
		this.resolver = this::hanging;
		StoreRateLimiter limiter = limiter(SHORT);
		assertThat(capacity(limiter, "acme")).isEqualTo(2);
		long before = System.nanoTime();
		for (int i = 0; i < 1000; i++) {
			assertThat(capacity(limiter, "acme")).isEqualTo(2);
		}
		assertThat(System.nanoTime() - before).isLessThan(1000 * SHORT.toNanos() / 2);
		this.released.countDown();
		awaitCapacity(limiter, "acme", 60);
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void hangingQuestionsHoldAFewThreadsAndOthersAreNotWaitedForOnceTooManyWait(CapturedOutput output) {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.resolver = this::hanging;
		StoreRateLimiter limiter = limiter(Duration.ZERO);
		for (int i = 0; i < 3000; i++) {
			assertThat(capacity(limiter, "key" + i)).isEqualTo(2);
		}
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().equals("ratelimit-plans") && !before.contains(thread))
			.hasSizeLessThanOrEqualTo(4);
		assertThat(this.asked.get()).isLessThanOrEqualTo(4);
		assertThat(output.getAll()).containsOnlyOnce("are asked for faster than they are told");
		this.released.countDown();
		awaitCapacity(limiter, "key0", 60);
		assertThat(capacity(limiter, "key2999")).isEqualTo(2);
		this.clock.advance(SECOND);
		awaitCapacity(limiter, "key2999", 60);
	}

	@Test
	void aFloodOfInventedKeysKeepsNoCallerFromItsPlanThatComesAgain() {
		this.resolver = this::hanging;
		StoreRateLimiter limiter = limiter(Duration.ZERO);
		for (int i = 0; i < 3000; i++) {
			capacity(limiter, "invented" + i);
		}
		capacity(limiter, "acme");
		this.clock.advance(SECOND);
		for (int i = 0; i < 3000; i++) {
			capacity(limiter, "more" + i);
		}
		assertThat(capacity(limiter, "acme")).isEqualTo(2);
		this.released.countDown();
		awaitCapacity(limiter, "acme", 60);
	}

	@Test
	void aFailureLeavesTheLastAnswerAndIsCounted(CapturedOutput output) {
		StoreRateLimiter limiter = limiter(LONG);
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
		this.resolver = this::failing;
		this.clock.advance(REFRESH);
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
		assertThat(capacity(limiter, "tiny")).isEqualTo(2);
		awaitFailures(limiter, 2);
		assertThat(output.getAll()).containsOnlyOnce("could not be found out: java.lang.AssertionError")
			.doesNotContain("down, says");
		this.answer = "gold";
		this.resolver = this::answered;
		this.clock.advance(REFRESH);
		capacity(limiter, "acme");
		awaitCapacity(limiter, "acme", 600);
		awaitCapacity(limiter, "tiny", 600);
	}

	@Test
	void aFirstQuestionThatFailedIsAskedAgainLaterEachTimeAndAtLastAsSeldomAsOthers() {
		this.resolver = this::failing;
		StoreRateLimiter limiter = limiter(LONG);
		int failures = 0;
		for (int seconds : new int[] { 0, 1, 2, 4, 8, 16, 32, 60, 60, 60 }) {
			if (seconds > 0) {
				this.clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
				assertThat(capacity(limiter, "acme")).isEqualTo(2);
				this.clock.advanceNanos(1);
			}
			assertThat(capacity(limiter, "acme")).isEqualTo(2);
			awaitFailures(limiter, ++failures);
		}
		this.resolver = this::answered;
		this.clock.advance(REFRESH);
		capacity(limiter, "acme");
		awaitCapacity(limiter, "acme", 60);
	}

	@Test
	void itIsSaidOnceThatAllThreadsHangWhateverElseWasSaid(CapturedOutput output) {
		this.resolver = this::failing;
		StoreRateLimiter limiter = limiter(SHORT);
		capacity(limiter, "failing");
		awaitFailures(limiter, 1);
		this.resolver = this::hanging;
		for (int i = 0; i < 4; i++) {
			capacity(limiter, "secret" + i);
		}
		awaitAsked(4);
		this.clock.advance(Duration.ofSeconds(10).minusNanos(1));
		capacity(limiter, "secret4");
		assertThat(output).doesNotContain("No plan of the rate limit policy");
		this.clock.advanceNanos(1);
		capacity(limiter, "secret5");
		capacity(limiter, "secret6");
		assertThat(output)
			.containsOnlyOnce("No plan of the rate limit policy 'api' can be found out, because all 4 threads that ask "
					+ "have waited for 10 seconds or longer. Set a time-out in the client")
			.doesNotContain("secret");
	}

	@Test
	void aFlappingResolverNeverFailsARequest() {
		Map<String, Integer> turns = new ConcurrentHashMap<>();
		this.resolver = (policy, key) -> switch (turns.merge(key, 1, Integer::sum) % 3) {
			case 0 -> throw new IllegalStateException("down");
			case 1 -> "pro";
			default -> null;
		};
		StoreRateLimiter limiter = limiter(LONG);
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
	void aForgottenPlanIsAskedForByTheNextRequestAndAnAnswerFromBeforeIsLost() {
		this.resolver = (policy, key) -> {
			hanging(policy, key);
			return "pro";
		};
		StoreRateLimiter limiter = limiter(SHORT);
		assertThat(capacity(limiter, "acme")).isEqualTo(2);
		awaitAsked(1);
		this.resolver = (policy, key) -> "gold";
		limiter.forgetPlan("acme");
		awaitCapacity(limiter, "acme", 600);
		this.released.countDown();
		awaitCapacity(limiter, "other", 600);
		assertThat(capacity(limiter, "acme")).isEqualTo(600);
	}

	@Test
	void anInterruptedRequestGoesOnInterruptedWithThePolicysOwnLimits() {
		this.resolver = this::hanging;
		StoreRateLimiter limiter = limiter(LONG);
		Thread.currentThread().interrupt();
		assertThat(capacity(limiter, "acme")).isEqualTo(2);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aThreadThatMustNotBlockGoesOnWithThePolicysOwnLimits() {
		this.resolver = this::hanging;
		StoreRateLimiter limiter = limiter(LONG);
		assertThat(Mono.fromSupplier(() -> capacity(limiter, "acme")).subscribeOn(Schedulers.parallel()).block())
			.isEqualTo(2);
		this.released.countDown();
		assertThat(capacity(limiter, "acme")).isEqualTo(60);
	}

	@Test
	void inventedKeysDriveOutOneAnotherAndNotThoseThatAreInUse() {
		StoreRateLimiter limiter = limiter(LONG, 100);
		capacity(limiter, "acme");
		for (int i = 0; i < 2000; i++) {
			capacity(limiter, "invented" + i);
			capacity(limiter, "acme");
		}
		assertThat(this.asked).hasValue(2001);
	}

	@Test
	void aPlanThatIsNeverThereIsCancelledAndAskedForAgain() {
		StoreRateLimiter limiter = limiter(new PlanSettings(null, REFRESH, SHORT, 10, this.clock),
				RateLimitPolicy.builder("api").plan("'unused'"));
		NeverThere never = new NeverThere();
		assertThat(limit(limiter, never)).isEqualTo(2);
		Awaitility.await().atMost(LONG).until(never::isCancelled);
		assertThat(never.longest).isPositive();
		this.clock.advance(SECOND);
		Awaitility.await().atMost(LONG).until(() -> limit(limiter, CompletableFuture.completedFuture("pro")) == 60);
	}

	private static long limit(StoreRateLimiter limiter, CompletableFuture<String> plan) {
		return limiter.effectivePolicy("acme", new LaterPlan(plan)).policy().limits().get(0).limit();
	}

	private record LaterPlan(CompletableFuture<String> plan) implements PlanQuestion {

		@Override
		public boolean isQuick() {
			return false;
		}

		@Override
		public boolean mayBlock() {
			return true;
		}

		@Override
		public CompletableFuture<String> ask() {
			return this.plan;
		}

		@Override
		public PlanQuestion detached() {
			return this;
		}

	}

	/**
	 * A value for which it is waited as long as it is waited at most, in no time.
	 */
	private static final class NeverThere extends CompletableFuture<String> {

		volatile long longest;

		@Override
		public String get(long timeout, TimeUnit unit) throws TimeoutException {
			this.longest = timeout;
			throw new TimeoutException();
		}

	}

}
