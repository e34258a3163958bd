package io.github.ratelimit.expression;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests when an expression that names the plan is asked: at once where the answer is at
 * hand, else in the background, while requests have the policy's own limits.
 */
class PlanQuestionTests {

	private static final Duration REFRESH = Duration.ofMinutes(1);

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SECOND = Duration.ofSeconds(1);

	/* The bytes that an answer takes beside its key. */
	private static final long BYTES = 56 + 64;

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 10_000);

	private final CountDownLatch released = new CountDownLatch(1);

	private final AtomicInteger asked = new AtomicInteger();

	@AfterEach
	void close() {
		this.released.countDown();
		this.store.close();
	}

	private String hanging(RateLimitPolicy policy, String key) throws InterruptedException {
		this.asked.incrementAndGet();
		this.released.await();
		return "pro";
	}

	private void awaitAsked(int times) {
		Awaitility.await().atMost(LONG).until(() -> this.asked.get() == times);
	}

	private StoreRateLimiter limiter(PlanSettings settings, RateLimitPolicy.Builder policy) {
		return new StoreRateLimiterRegistry(this.store, List.of(), settings).register(policy.limit(bucket(2))
			.plans(Map.of("pro", RateLimitPlan.of(bucket(60)), "gold", RateLimitPlan.of(bucket(600))))
			.build());
	}

	private static RateLimit bucket(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	private static long capacity(StoreRateLimiter limiter, String key) {
		return limiter.effectivePolicy(key).policy().capacity();
	}

	/*
	 * An expression says whose plan it is. The bean's answer takes its time.
	 */
	private PolicyBinding binding(String plan, Duration timeout) {
		return binding(plan, new PlanSettings(null, REFRESH, timeout, 10_000, this.clock));
	}

	private PolicyBinding binding(String plan, PlanSettings settings) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("resolver", (RateLimitPlanResolver) this::hanging);
		StoreRateLimiter limiter = limiter(settings, RateLimitPolicy.builder("api").key("header('X-User')").plan(plan));
		return new PolicyBinder(beans, null, null, new RateLimitFindings()).bind(limiter, new AppliedLocation("here"),
				null, "ratelimit.rules[0]");
	}

	private static long capacity(PolicyBinding binding, RequestView request) {
		List<PermitRequest> asked = new ArrayList<>();
		binding.resolve(RateLimitContext.of(request), null, asked);
		return asked.get(0).effectivePolicy().policy().capacity();
	}

	private static TestRequest request(String user, String plan) {
		return new TestRequest(null, Map.of("X-User", user, "X-Plan", plan));
	}

	@Test
	void aPlanAtHandIsLookedForAnewWhenItIsTimeAndNotBefore() {
		PolicyBinding binding = binding("header('X-Plan')", LONG);
		assertThat(binding.limiter().decide("ann", 1).remaining()).as("asked by hand").isEqualTo(1);
		assertThat(capacity(binding, request("ann", "pro"))).isEqualTo(60);
		assertThat(capacity(binding.limiter(), "ann")).isEqualTo(60);
		this.clock.advance(REFRESH.minusNanos(1));
		assertThat(capacity(binding, request("ann", ""))).isEqualTo(60);
		this.clock.advanceNanos(1);
		assertThat(capacity(binding, request("ann", ""))).isEqualTo(2);
	}

	@Test
	void aPlanAtHandIsNotWaitedForWhileAnotherRequestTellsIt() {
		PolicyBinding binding = binding("header('X-Plan')", LONG);
		RequestView crossed = mock(RequestView.class);
		given(crossed.header("X-User")).willReturn("ann");
		given(crossed.header("X-Plan")).willAnswer((call) -> {
			assertThat(capacity(binding, request("ann", "pro"))).isEqualTo(60);
			return "pro";
		});
		assertThat(capacity(binding, crossed)).isEqualTo(60);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isZero();
	}

	@Test
	void requestsThatCannotBeReadAreAskedLaterEachTime() {
		PolicyBinding binding = binding("@resolver.resolvePlan(null, header('X-Plan'))", LONG);
		RequestView unreadable = mock(RequestView.class);
		given(unreadable.header("X-User")).willReturn("ann");
		given(unreadable.header("X-Plan")).willThrow(new IllegalStateException("recycled"));
		for (long failures : new long[] { 1, 2, 2 }) {
			assertThat(capacity(binding, unreadable)).isEqualTo(2);
			Awaitility.await()
				.until(() -> binding.limiter().failures(RateLimitExpression.PLAN), Predicate.isEqual(failures));
			this.clock.advance(SECOND);
		}
		this.released.countDown();
		Awaitility.await().atMost(LONG).until(() -> capacity(binding, request("ann", "pro")) == 60);
	}

	@Test
	void aQuestionThatEndsWithAnErrorBeforeItIsAskedIsAskedAgainAndFailsNoRequest() {
		PolicyBinding binding = binding("@resolver.resolvePlan(null, header('X-Plan'))", LONG);
		RequestView first = mock(RequestView.class);
		given(first.header("X-User")).willReturn("ann");
		given(first.header("X-Plan")).willThrow(new InternalError("no thread"));
		assertThat(capacity(binding, first)).isEqualTo(2);
		this.released.countDown();
		this.clock.advance(SECOND);
		Awaitility.await().atMost(LONG).until(() -> capacity(binding, request("ann", "pro")) == 60);
	}

	/*
	 * Each keeps 20 kB, of the 128 kB that the questions of a policy may take.
	 */
	@Test
	void whatQuestionsKeepOfTheirRequestsIsCountedAndBounded() {
		MemoryBudget memory = new MemoryBudget(1 << 20);
		PolicyBinding binding = binding("@resolver.resolvePlan(null, header('X-Plan'))",
				new PlanSettings(null, REFRESH, Duration.ZERO, 10_000, memory, this.clock));
		for (int i = 0; i < 100; i++) {
			assertThat(capacity(binding, request("user" + i, "x".repeat(10_000)))).isEqualTo(2);
		}
		long keys = 100 * (MemoryBudget.ofEntry(6) + BYTES);
		assertThat(memory.used()).isBetween(120_000L, 120_000 + keys);
		this.released.countDown();
		awaitAsked(6);
		Awaitility.await().atMost(LONG).until(() -> memory.used() <= keys);
		this.clock.advance(SECOND);
		Awaitility.await().atMost(LONG).until(() -> capacity(binding, request("user99", "pro")) == 60);
	}

	@Test
	void aQuestionThatNobodyHadTimeForIsAskedSoon() {
		PolicyBinding binding = binding("@resolver.resolvePlan(null, header('X-Plan'))", Duration.ZERO);
		for (int i = 0; i < 1100; i++) {
			assertThat(capacity(binding, request("user" + i, "pro"))).isEqualTo(2);
		}
		awaitAsked(4);
		this.released.countDown();
		Awaitility.await().atMost(LONG).until(() -> capacity(binding, request("user0", "pro")) == 60);
		assertThat(capacity(binding, request("user1099", "pro"))).isEqualTo(2);
		this.clock.advance(SECOND);
		Awaitility.await().atMost(LONG).until(() -> capacity(binding, request("user1099", "pro")) == 60);
	}

}
