package io.github.ratelimit.policy;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * When an expression is asked again which plan a key has.
 */
class PlanQuestionsTests extends LocalPolicies {

	private static final Method METHOD = ClassUtils.getMethod(Object.class, "toString");

	private static final Duration REFRESH = Duration.ofMinutes(1);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final Plans plans = new Plans();

	PlanQuestionsTests() {
		this.beans.registerSingleton("plans", this.plans);
	}

	@AfterEach
	void release() {
		this.plans.released.countDown();
	}

	@Test
	void aPlanAtHandIsLookedForAnewWhenItIsTimeAndNotBefore() {
		PolicyBinding binding = binding("header('X-Plan')", Duration.ofSeconds(30));
		assertThat(limit(binding, request("ann", "pro"))).isEqualTo(60);
		this.clock.advance(REFRESH.minusNanos(1));
		assertThat(limit(binding, request("ann", ""))).isEqualTo(60);
		this.clock.advanceNanos(1);
		assertThat(limit(binding, request("ann", ""))).isEqualTo(2);
	}

	@Test
	void whoAsksByHandKeepsNoCallFromBeingAsked() {
		PolicyBinding binding = binding("header('X-Plan')", Duration.ofSeconds(30));
		assertThat(binding.limiter().decide("ann", 1).remaining()).isEqualTo(1);
		assertThat(limit(binding, request("ann", "pro"))).isEqualTo(60);
		assertThat(binding.limiter().version("ann").policy().capacity()).isEqualTo(60);
	}

	@Test
	void requestsThatCannotBeReadAreAskedLaterEachTime() {
		PolicyBinding binding = binding("@plans.of(header('X-Plan'))", Duration.ofSeconds(30));
		RequestView unreadable = mock(RequestView.class);
		given(unreadable.header("X-User")).willReturn("ann");
		given(unreadable.header("X-Plan")).willThrow(new IllegalStateException("recycled"));
		assertThat(limit(binding, unreadable)).isEqualTo(2);
		this.clock.advance(SECOND);
		assertThat(limit(binding, unreadable)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isEqualTo(2);
		this.clock.advance(SECOND);
		assertThat(limit(binding, unreadable)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isEqualTo(2);
		this.clock.advance(SECOND);
		this.plans.released.countDown();
		awaitLimit(binding, request("ann", "pro"), 60);
	}

	@Test
	void aQuestionThatNobodyHadTimeForIsAskedSoon() {
		PolicyBinding binding = binding("@plans.of(header('X-Plan'))", Duration.ZERO);
		for (int i = 0; i < 1100; i++) {
			assertThat(limit(binding, request("user" + i, "pro"))).isEqualTo(2);
		}
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.plans.asked.get() == 4);
		this.plans.released.countDown();
		awaitLimit(binding, request("user0", "pro"), 60);
		assertThat(limit(binding, request("user1099", "pro"))).isEqualTo(2);
		this.clock.advance(SECOND);
		awaitLimit(binding, request("user1099", "pro"), 60);
	}

	private static void awaitLimit(PolicyBinding binding, RequestView request, long limit) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> limit(binding, request) == limit);
	}

	private static TestRequest request(String user, String plan) {
		return new TestRequest(null, Map.of("X-User", user, "X-Plan", plan));
	}

	private static long limit(PolicyBinding binding, RequestView request) {
		PermitRequest resolved = binding.resolve(RateLimitContext.of(request));
		assertThat(resolved).isNotNull();
		return resolved.version().policy().capacity();
	}

	private PolicyBinding binding(String plan, Duration timeout) {
		PlanSettings settings = new PlanSettings(null, REFRESH, timeout, 10_000, this.clock);
		StoreRateLimiter limiter = new StoreRateLimiterRegistry(this.store, List.of(), settings)
			.register(RateLimitPolicy.builder("api")
				.key("header('X-User')")
				.limit(bucket(2))
				.plan(plan)
				.plans(Map.of("pro", RateLimitPlan.of(bucket(60))))
				.build());
		return new PolicyBinder(this.beans, PolicyBinder.defaultKey("clientAddress", this.beans)).bindMethod(limiter,
				METHOD, "here", "", "", "", "");
	}

	/**
	 * Says the plan once it is released.
	 */
	public static final class Plans {

		private final CountDownLatch released = new CountDownLatch(1);

		private final AtomicInteger asked = new AtomicInteger();

		public @Nullable String of(@Nullable String plan) throws InterruptedException {
			this.asked.incrementAndGet();
			this.released.await();
			return plan;
		}

	}

}
