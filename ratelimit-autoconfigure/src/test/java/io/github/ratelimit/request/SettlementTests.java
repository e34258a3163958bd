package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.ForwardingStates;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What a request has reserved is settled once, with what it is charged.
 */
class SettlementTests {

	private static final Method METHOD = ClassUtils.getMethod(Object.class, "toString");

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore local = new LocalRateLimitStore(this.clock, 100);

	private RateLimiterRegistry limiter = new StoreRateLimiterRegistry(this.local, List.of());

	private final PolicyBinder binder;

	private RateLimitMode mode = RateLimitMode.ENFORCE;

	SettlementTests() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		this.binder = new PolicyBinder(beans, PolicyBinder.defaultKey("'all'", beans));
	}

	@AfterEach
	void close() {
		this.local.close();
	}

	@ParameterizedTest
	@CsvSource({ "true, 6, KEPT", "false, 10, RETURNED", "3, 7, RETURNED", "4, 6, KEPT", "9, 1, CHARGED" })
	void whatWasNotUsedGoesBackAndWhatWasUsedBeyondIsTaken(String charge, long remaining, RateLimitSettlement way) {
		PermitRequest request = request("calls", "4", charge);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(request))).isTrue();
		assertThat(remaining(request)).isEqualTo(6);
		settle(acquisition);
		assertThat(remaining(request)).isEqualTo(remaining);
		for (RateLimitSettlement settlement : RateLimitSettlement.values()) {
			assertThat(request.limiter().settlements(settlement)).isEqualTo((settlement == way) ? 1 : 0);
		}
	}

	@Test
	void whatIsSettledOnceIsNotSettledAgain() {
		PermitRequest request = request("calls", "4", "false");
		Acquisition acquisition = new Acquisition(this.clock);
		acquisition.take(List.of(request));
		settle(acquisition);
		new Acquisition(this.clock).take(List.of(request("calls", "4", "true")));
		settle(acquisition);
		acquisition.endCall(null, null);
		assertThat(remaining(request)).isEqualTo(6);
		assertThat(request.limiter().settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
	}

	@Test
	void whatALaterPolicysRejectionGaveBackIsNotSettled() {
		PermitRequest charged = request("calls", "4", "false");
		PermitRequest narrow = request("narrow", "11", "false");
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(charged))).isTrue();
		assertThat(acquisition.take(List.of(narrow))).isFalse();
		assertThat(remaining(charged)).isEqualTo(10);
		settle(acquisition);
		assertThat(remaining(charged)).isEqualTo(10);
		assertThat(charged.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
		assertThat(narrow.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
		assertThat(narrow.limiter().settlements(RateLimitSettlement.KEPT)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "true, 5", "false, 10", "1, 9", "4, 6", "7, 3" })
	void twoPlacesThatReserveOfOneKeyAreSettledAsOneSum(String charge, long remaining) {
		PermitRequest rule = request("calls", "2", "999");
		PermitRequest handler = request("calls", "5", charge);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(rule))).isTrue();
		assertThat(acquisition.take(List.of(handler))).isTrue();
		assertThat(remaining(rule)).isEqualTo(5);
		settle(acquisition);
		assertThat(remaining(rule)).isEqualTo(remaining);
	}

	@ParameterizedTest
	@CsvSource({ "ENFORCE, 2, true, 5", "ENFORCE, 5, false, 10", "ENFORCE, 5, 1, 9", "ENFORCE, 3, 7, 3",
			"SHADOW, 2, true, 5", "SHADOW, 5, false, 10", "SHADOW, 5, 1, 9", "SHADOW, 6, 7, 3" })
	void theLastPlaceChargesEvenIfThePlacesBeforeHavePaidForIt(RateLimitMode mode, String cost, String charge,
			long remaining) {
		this.mode = mode;
		PermitRequest rule = request("calls", "5", "999");
		PermitRequest handler = request("calls", cost, charge);
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(rule))).isTrue();
		assertThat(acquisition.take(List.of(handler))).isTrue();
		settle(acquisition);
		assertThat(remaining(rule)).isEqualTo(remaining);
	}

	@ParameterizedTest
	@EnumSource
	void aRequestThatIsForwardedIsChargedAsItCame(RateLimitMode mode) {
		this.mode = mode;
		String charge = "header('X-Weight') == '3' ? 3 : 9";
		PermitRequest request = request("calls", "5", charge, Map.of("X-Weight", "3"));
		Acquisition acquisition = new Acquisition(this.clock);
		acquisition.take(List.of(request));
		acquisition.take(List.of(request("calls", "5", charge, Map.of())));
		settle(acquisition);
		assertThat(remaining(request)).isEqualTo(7);
	}

	@Test
	void eachPolicyIsSettledByItsOwnCharge() {
		PermitRequest failures = request("failures", "2", "status >= 400");
		PermitRequest all = request("all", "2", "");
		PermitRequest successes = request("successes", "2", "status < 400");
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(failures, all, successes))).isTrue();
		settle(acquisition);
		assertThat(remaining(failures)).isEqualTo(10);
		assertThat(remaining(all)).isEqualTo(8);
		assertThat(remaining(successes)).isEqualTo(8);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aStoreThatCannotBeToldIsCountedAndNobodyHearsOfIt(boolean answers) {
		this.limiter = new StoreRateLimiterRegistry(new Settling((states) -> {
			IllegalStateException failure = new IllegalStateException("down");
			if (answers) {
				return CompletableFuture.failedFuture(failure);
			}
			throw failure;
		}), List.of());
		PermitRequest request = request("calls", "4", "false");
		Acquisition acquisition = new Acquisition(this.clock);
		acquisition.take(List.of(request));
		settle(acquisition);
		assertThat(remaining(request)).isEqualTo(6);
		assertThat(request.limiter().settlements(RateLimitSettlement.FAILED)).isEqualTo(1);
		assertThat(request.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
	}

	@Test
	void nobodyWaitsForTheStore() {
		CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
		this.limiter = new StoreRateLimiterRegistry(new Settling((states) -> answer), List.of());
		PermitRequest request = request("calls", "4", "false");
		Acquisition acquisition = new Acquisition(this.clock);
		acquisition.take(List.of(request));
		settle(acquisition);
		assertThat(request.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
		answer.complete(null);
		assertThat(request.limiter().settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
	}

	@Test
	void theStoreIsNotAskedForWhatWasReservedExactly() {
		this.limiter = new StoreRateLimiterRegistry(new Settling((states) -> {
			throw new AssertionError("asked");
		}), List.of());
		Acquisition acquisition = new Acquisition(this.clock);
		acquisition.take(List.of(request("calls", "4", "true")));
		settle(acquisition);
	}

	@Test
	void codeSettlesByItself() {
		PermitRequest request = request("calls", "4", "false");
		StoreRateLimiter policy = request.limiter();
		RateLimitDecision given = policy.decide("me", 4);
		policy.settle("me", 4, 1, given);
		assertThat(policy.peek("me").remaining()).isEqualTo(9);
		assertThat(policy.settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
		policy.settle("me", 1, 1, given);
		assertThat(policy.settlements(RateLimitSettlement.KEPT)).isEqualTo(1);
		assertThatIllegalArgumentException().isThrownBy(() -> policy.settle("me", 4, -1, given));
	}

	private static void settle(Acquisition acquisition) {
		acquisition.settle(new CallOutcome(200, null, null, false));
	}

	private static long remaining(PermitRequest request) {
		return request.limiter().peek(request.key()).remaining();
	}

	private PermitRequest request(String name, String cost, String charge) {
		return request(name, cost, charge, Map.of());
	}

	private PermitRequest request(String name, String cost, String charge, Map<String, String> headers) {
		StoreRateLimiter existing = StoreRateLimiter.of((this.limiter.find(name) != null) ? this.limiter.policy(name)
				: this.limiter.register(RateLimitPolicy.builder(name)
					.charge(charge.isEmpty() ? null : charge)
					.mode(this.mode)
					.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)))
					.build()));
		PolicyBinding binding = this.binder.bindMethod(existing, METHOD, "here", "", cost, "", charge);
		PermitRequest request = binding.resolve(RateLimitContext.of(new TestRequest(null, headers)));
		assertThat(request).isNotNull();
		return request;
	}

	/* The local store, but for how it settles. */
	private final class Settling implements RateLimitStore {

		private final Function<PolicyDecider, CompletionStage<Void>> settling;

		Settling(Function<PolicyDecider, CompletionStage<Void>> settling) {
			this.settling = settling;
		}

		@Override
		public String name() {
			return "settling";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return new ForwardingStates(SettlementTests.this.local.open(policy)) {

				@Override
				public CompletionStage<Void> settleAsync(String key, long reserved, long used,
						RateLimitDecision given) {
					return Settling.this.settling.apply(this.states);
				}

			};
		}

	}

}
