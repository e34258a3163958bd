package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which of a request's places charges which policy, and what of the request it sees.
 */
class ChargedPlacesTests {

	private static final Method METHOD = ClassUtils.getMethod(Object.class, "toString");

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	private final StoreRateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final Acquisition acquisition = new Acquisition(this.clock);

	private final PolicyBinder binder;

	private RateLimitMode mode = RateLimitMode.ENFORCE;

	ChargedPlacesTests() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		this.binder = new PolicyBinder(beans, PolicyBinder.defaultKey("'all'", beans));
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@ParameterizedTest
	@EnumSource
	void aLaterPlaceChargesItsOwnPolicyAndNoOther(RateLimitMode mode) {
		this.mode = mode;
		PermitRequest rule = charged("calls", "5", "999");
		PermitRequest other = charged("other", "3", "2");
		assertThat(this.acquisition.take(List.of(rule, other))).isTrue();
		assertThat(this.acquisition.take(List.of(charged("calls", "5", "1")))).isTrue();
		settle();
		assertThat(remaining(rule)).isEqualTo(9);
		assertThat(remaining(other)).isEqualTo(8);
	}

	@Test
	void aPlaceForWhichACallHasPaidChargesNothingThatTheRequestPaidForItself() {
		PermitRequest other = charged("other", "3", "2");
		PermitRequest calls = charged("calls", "5", "9");
		assertThat(this.acquisition.call("here").take(List.of(calls))).isTrue();
		assertThat(this.acquisition.take(List.of(other))).isTrue();
		assertThat(this.acquisition.take(List.of(calls))).isTrue();
		settle();
		assertThat(remaining(calls)).isEqualTo(5);
		assertThat(remaining(other)).isEqualTo(8);
	}

	@Test
	void whatIsUsedBeyondIsTakenOfThePolicyThatChargesIt() {
		PermitRequest calls = charged("calls", "4", "7");
		PermitRequest other = charged("other", "4", "");
		assertThat(this.acquisition.take(List.of(calls, other))).isTrue();
		settle();
		assertThat(remaining(calls)).isEqualTo(3);
		assertThat(remaining(other)).isEqualTo(6);
	}

	@Test
	void somethingIsToBeSettledFromWhenItIsChargedUntilItIsSettled() {
		assertThat(this.acquisition.isCharged()).isFalse();
		this.acquisition.take(List.of(charged("plain", "1", "")));
		assertThat(this.acquisition.isCharged()).isFalse();
		this.acquisition.take(List.of(charged("calls", "1", "false")));
		assertThat(this.acquisition.isCharged()).isTrue();
		settle();
		assertThat(this.acquisition.isCharged()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void aCallThatIsChargedNothingPaysAgainForTheNextTime(RateLimitMode mode) {
		this.mode = mode;
		PermitRequest one = charged("calls", "1", "false");
		for (int i = 0; i < 3; i++) {
			Acquisition call = this.acquisition.call("here");
			assertThat(call.take(List.of(one))).isTrue();
			assertThat(remaining(one)).isEqualTo(9);
			call.endCall(null, null);
			assertThat(remaining(one)).isEqualTo(10);
		}
		assertThat(this.acquisition.call("elsewhere").take(List.of(one))).isTrue();
		assertThat(remaining(one)).isEqualTo(9);
	}

	@Test
	void aCallThatIsChargedLessPaysAllOfTheNextTime() {
		PermitRequest four = charged("calls", "4", "1");
		Acquisition call = this.acquisition.call("here");
		assertThat(call.take(List.of(four))).isTrue();
		call.endCall(null, null);
		assertThat(remaining(four)).isEqualTo(9);
		assertThat(this.acquisition.call("here").take(List.of(four))).isTrue();
		assertThat(remaining(four)).isEqualTo(5);
	}

	@Test
	void aRequestIsChargedByWhatItsHandlerReturnsOnceItIsOver() {
		PlainRequest request = new PlainRequest(this.clock);
		PermitRequest calls = charged("calls", "5", "result.length()");
		assertThat(request.isCharged()).isFalse();
		request.take(List.of(calls));
		assertThat(request.isCharged()).isTrue();
		request.endCall("two", null);
		assertThat(remaining(calls)).isEqualTo(5);
		request.settle(200);
		assertThat(remaining(calls)).isEqualTo(7);
	}

	@ParameterizedTest
	@CsvSource({ "first, second, 1", ", second, 2", ", , 3" })
	void theFirstFailureOfARequestIsTheCauseOfAllOthers(@Nullable String first, @Nullable String second, long charged) {
		PlainRequest request = new PlainRequest(this.clock);
		PermitRequest calls = charged("calls", "9", "exception == null ? 3 : (exception.message == 'first' ? 1 : 2)");
		request.take(List.of(calls));
		if (first != null) {
			request.noteException(new IllegalStateException(first));
		}
		request.endCall("result", (second != null) ? new IllegalStateException(second) : null);
		assertThat(request.result()).isEqualTo("result");
		request.settle(200);
		assertThat(remaining(calls)).isEqualTo(10 - charged);
	}

	@Test
	void aCallKnowsWhetherAnAuthenticationHasFailedInItsRequest() {
		PlainRequest request = new PlainRequest(this.clock);
		PermitRequest logins = charged("logins", "3", "authenticationFailed ? 2 : 1");
		Acquisition call = request.call("before");
		call.take(List.of(logins));
		call.endCall(null, null);
		assertThat(remaining(logins)).isEqualTo(9);
		request.noteAuthentication(true);
		call = request.call("after");
		call.take(List.of(logins));
		call.endCall(null, null);
		assertThat(remaining(logins)).isEqualTo(7);
	}

	@ParameterizedTest
	@EnumSource
	void theUserIsNotedForAChargeThatReadsTheUserAlone(RateLimitMode mode) {
		this.mode = mode;
		PlainRequest request = new PlainRequest(this.clock);
		assertThat(request.isChargedByPrincipal()).isFalse();
		request.take(List.of(charged("plain", "1", ""), charged("failures", "1", "status >= 400")));
		assertThat(request.isChargedByPrincipal()).isFalse();
		request.take(List.of(charged("guests", "1", "principal == null")));
		assertThat(request.isChargedByPrincipal()).isTrue();
	}

	private void settle() {
		this.acquisition.settle(new CallOutcome(200, null, null, false));
	}

	private static long remaining(PermitRequest request) {
		return request.limiter().peek(request.key()).remaining();
	}

	private PermitRequest charged(String policy, String cost, String charge) {
		StoreRateLimiter existing = this.registry.find(policy);
		StoreRateLimiter limiter = (existing != null) ? existing
				: this.registry.register(RateLimitPolicy.builder(policy)
					.charge(charge.isEmpty() ? null : charge)
					.mode(this.mode)
					.limit(RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 10, Duration.ofMinutes(1)))
					.build());
		PermitRequest request = this.binder.bindMethod(limiter, METHOD, "here", "", cost, "", charge)
			.resolve(RateLimitContext.of(TestRequest.anonymous()));
		assertThat(request).isNotNull();
		return request;
	}

	private static final class PlainRequest extends LimitedHttpRequest {

		PlainRequest(RateLimitClock clock) {
			super(clock, null, Long.MAX_VALUE);
		}

		@Override
		public @Nullable RequestView view() {
			return null;
		}

	}

}
