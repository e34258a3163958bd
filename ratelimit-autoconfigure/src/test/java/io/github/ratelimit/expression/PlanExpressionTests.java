package io.github.ratelimit.expression;

import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PlanQuestion;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.test.ManualClock;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests a plan that an expression names: what it sees, on which thread, and what becomes
 * of one that fails.
 */
class PlanExpressionTests {

	private static final TestRequest REQUEST = new TestRequest("ann", Map.of("X-Plan", "pro"));

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final Plans plans = new Plans();

	PlanExpressionTests() {
		this.beans.registerSingleton("plans", this.plans);
	}

	private PolicyBinding binding(String plan) {
		PlanSettings settings = new PlanSettings(null, Duration.ofMinutes(1), Duration.ofSeconds(30), 100,
				ManualClock.atMidnight());
		StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(
				new LocalRateLimitStore(ManualClock.atMidnight(), 10), List.of(), settings);
		RateLimitPolicy policy = RateLimitPolicy.builder("api")
			.key("'all'")
			.limit(perMinute(2))
			.plan(plan)
			.plans(Map.of("pro", RateLimitPlan.of(perMinute(60)), "staff", RateLimitPlan.unlimited()))
			.build();
		return new PolicyBinder(this.beans, null, null, new RateLimitFindings()).bind(registry.register(policy),
				new AppliedLocation("Service.call()"), Bindings.METHOD, null);
	}

	private static RateLimit perMinute(long limit) {
		return RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, limit, Duration.ofMinutes(1));
	}

	private static long limit(PolicyBinding binding, @Nullable RequestView request) {
		assertThat(binding.constant()).isNull();
		PermitRequest resolved = Bindings.resolve(binding, request, "pro", List.of());
		assertThat(resolved).isNotNull();
		return binding.limiter().effectivePolicy(resolved.key()).policy().limits().get(0).limit();
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X-Plan')", "'pro'", "#user", "principal.name == 'ann' ? 'pro' : null",
			"header('X-None') ?: parameter('X-Plan')", "@plans.of(request)", "@plans.echo(header('X-' + 'Plan'))",
			"@plans.of(#root)" })
	void isFoundOutOnTheRequestsThreadUnlessABeanIsCalled(String plan) {
		PolicyBinding binding = binding(plan);
		assertThat(binding.planQuestion(RateLimitContext.of(REQUEST)).isQuick()).isTrue();
		assertThat(limit(binding, REQUEST)).isEqualTo(60);
		assertThat(this.plans.thread.get()).isIn(null, Thread.currentThread());
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "@plans.echo(header('X-Plan'))", "@plans.ofUser(principal)", "@plans.ofUser(principal.name)",
					"@plans.echo(#user)", "@plans.echo(clientAddress == '192.0.2.7' ? 'pro' : path)" })
	void isFoundOutInTheBackgroundWhereABeanIsCalledWithWhatTheRequestSaid(String plan) {
		PolicyBinding binding = binding(plan);
		assertThat(binding.planQuestion(RateLimitContext.of(REQUEST)).isQuick()).isFalse();
		assertThat(limit(binding, REQUEST)).isEqualTo(60);
		assertThat(this.plans.thread.get()).isNotNull().isNotEqualTo(Thread.currentThread());
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "@plans.mono(header('X-Plan'))", "@plans.stage(header('X-Plan'))", "@plans.mono(request)",
			"@plans.stage(request)", "path == null ? 'a' : @plans.mono(header('X-Plan'))",
			"@plans.any(header('X-Plan'))" })
	void isAwaitedWhereItIsNotThereYet(String plan) {
		PolicyBinding binding = binding(plan);
		assertThat(limit(binding, REQUEST)).isEqualTo(60);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "@plans.failingMono(header('X-Plan'))", "@plans.failingMono(request)",
			"@plans.failingStage(header('X-Plan'))", "@plans.flux(header('X-Plan'))" })
	void aPlanThatFailsLaterLeavesThePolicysOwnLimitsAndIsCounted(String plan) {
		PolicyBinding binding = binding(plan);
		assertThat(limit(binding, REQUEST)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
	}

	@Test
	void aPlanThatFailsLaterIsCountedBeforeAnybodyKnows() {
		PolicyBinding binding = binding("@plans.held(request)");
		CompletableFuture<@Nullable String> plan = ask(binding);
		CompletableFuture<Long> failures = plan
			.handle((name, failure) -> binding.limiter().failures(RateLimitExpression.PLAN));
		assertThat(failures).isNotDone();
		this.plans.held.tryEmitError(new IllegalStateException("down"));
		assertThat(failures).isCompletedWithValue(1L);
	}

	@Test
	void aPlanThatNobodyWaitsForIsCancelledAndCountedOnce() {
		PolicyBinding binding = binding("@plans.held(request)");
		CompletableFuture<@Nullable String> plan = ask(binding);
		assertThat(this.plans.held.currentSubscriberCount()).isOne();
		plan.cancel(true);
		assertThat(this.plans.held.currentSubscriberCount()).isZero();
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
	}

	private static CompletableFuture<@Nullable String> ask(PolicyBinding binding) {
		PlanQuestion question = binding.planQuestion(RateLimitContext.of(REQUEST));
		assertThat(question).isNotNull();
		return question.ask();
	}

	@Test
	void aPlanThatIsNotThereYetIsAwaitedOnNoEventLoop() {
		PolicyBinding binding = binding("@plans.held(request)");
		Scheduler loop = Schedulers.newParallel("loop", 1);
		try {
			Long limit = Mono.fromCallable(() -> limit(binding, REQUEST)).subscribeOn(loop).block();
			assertThat(limit).isEqualTo(2);
			this.plans.held.tryEmitValue("pro");
			Awaitility.await().until(() -> limit(binding, REQUEST) == 60);
		}
		finally {
			loop.dispose();
		}
	}

	@ParameterizedTest
	@CsvSource({ "@plans.fails(header('X-Plan'))", "header('X-Plan').foo", "@plans.fails(request)" })
	void aFailureLeavesThePolicysOwnLimitsAndIsCounted(String plan) {
		PolicyBinding binding = binding(plan);
		assertThat(limit(binding, REQUEST)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
		assertThat(limit(binding, REQUEST)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
	}

	@Test
	void outsideOfARequestAFailureIsNoExceptionForTheCaller() {
		PolicyBinding binding = binding("@plans.fails(header('X-Plan'))");
		assertThat(limit(binding, null)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
	}

	@Test
	void aRequestThatCannotBeReadFailsThePlanAndNotTheRequest() {
		PolicyBinding binding = binding("@plans.echo(header('X-Plan'))");
		RequestView unreadable = mock(RequestView.class);
		given(unreadable.header("X-Plan")).willThrow(new IllegalStateException("recycled"));
		assertThat(limit(binding, unreadable)).isEqualTo(2);
		assertThat(binding.limiter().failures(RateLimitExpression.PLAN)).isOne();
		assertThat(this.plans.thread.get()).isNull();
	}

	@Test
	void anUnlimitedCallerIsAskedNothing() {
		assertThat(Bindings.resolve(binding("'staff'"), REQUEST, "pro", List.of())).isNull();
	}

	@Test
	void readsTheUserAsAKeyDoes() {
		assertThat(binding("claim('plan')").principalReader()).isEqualTo(RateLimitExpression.PLAN);
		assertThat(binding("@plans.ofUser(principal)").principalReader()).isNotNull();
		assertThat(binding("@plans.echo(header('X-Plan'))").needsPrincipal()).isTrue();
		assertThat(binding("header('X-Plan')").needsPrincipal()).isFalse();
		assertThat(binding("#user").needsArguments()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', quoteCharacter = '"', textBlock = """
			status           | which is known only when the call is over
			@nobody.of(path) | names the bean 'nobody', which does not exist
			#usr             | which is not a parameter of the method
			header(          | cannot be parsed
			@plans.fluxes()  | uses '@plans.fluxes()', but a Flux has no value yet when the call is limited
			'p' + @plans.mono(path) | uses '@plans.mono(path)', but a Mono has no value yet
			""")
	void aMistakeFailsStartUp(String plan, String reason) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> binding(plan))
			.withMessageStartingWith(
					"The plan expression '" + plan + "' of the policy 'api', applied to Service.call() ")
			.withMessageContaining(reason);
	}

	/**
	 * Knows plans, and on which thread it was asked.
	 */
	public static final class Plans {

		final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

		final Sinks.One<String> held = Sinks.one();

		public @Nullable String echo(@Nullable String plan) {
			this.thread.set(Thread.currentThread());
			return plan;
		}

		public String of(Object request) {
			this.thread.set(Thread.currentThread());
			return "pro";
		}

		public @Nullable String ofUser(@Nullable Principal user) {
			return (user != null) ? ofUser(user.getName()) : null;
		}

		public @Nullable String ofUser(String name) {
			return echo(name.equals("ann") ? "pro" : null);
		}

		public Mono<String> mono(Object any) {
			return Mono.just("pro").subscribeOn(Schedulers.parallel());
		}

		public CompletionStage<String> stage(Object any) {
			return CompletableFuture.supplyAsync(() -> "pro").minimalCompletionStage();
		}

		public Object any(Object any) {
			return mono(any);
		}

		public Mono<String> held(Object any) {
			return this.held.asMono();
		}

		public Mono<String> failingMono(Object any) {
			return Mono.<String>error(new IllegalStateException("down")).subscribeOn(Schedulers.parallel());
		}

		public CompletionStage<String> failingStage(Object any) {
			return CompletableFuture.supplyAsync(() -> fails(any));
		}

		public Object flux(Object any) {
			return Flux.just("pro");
		}

		public Flux<String> fluxes() {
			return Flux.just("pro");
		}

		public String fails(@Nullable Object any) {
			throw new IllegalStateException("down");
		}

	}

}
