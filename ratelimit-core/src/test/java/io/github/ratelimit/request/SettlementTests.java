package io.github.ratelimit.request;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * {@link Settlement}: what a request used of what it has reserved, by what is charged at
 * the places where it asked, once each.
 */
@ParameterizedClass
@EnumSource(Asking.class)
class SettlementTests extends Acquiring {

	SettlementTests(Asking asking) {
		super(asking);
	}

	@ParameterizedTest
	@CsvSource({ "true, 6, KEPT", "false, 10, RETURNED", "3, 7, RETURNED", "4, 6, KEPT", "9, 1, CHARGED" })
	void whatWasNotUsedGoesBackAndWhatWasUsedBeyondIsTaken(String charge, long remaining, RateLimitSettlement way) {
		PermitRequest calls = charged("calls", "4", charge);
		assertThat(take(calls)).isTrue();
		assertThat(remaining(calls)).isEqualTo(6);
		settle();
		assertThat(remaining(calls)).isEqualTo(remaining);
		for (RateLimitSettlement settlement : RateLimitSettlement.values()) {
			assertThat(calls.limiter().settlements(settlement)).isEqualTo((settlement == way) ? 1 : 0);
		}
	}

	@Test
	void whatIsNotChargedByItsOutcomeGoesBackAtOnceWhereACallIsRejected() {
		PermitRequest plain = charged("plain", "3", "");
		PermitRequest calls = charged("calls", "4", "1");
		assertThat(take(calls, plain)).isTrue();
		refundUncharged();
		assertThat(remaining(plain)).isEqualTo(10);
		assertThat(remaining(calls)).isEqualTo(6);
		assertThat(this.request.entries()).extracting((entry) -> entry.decision().remaining()).containsExactly(10L, 6L);
		refundUncharged();
		assertThat(plain.limiter().count(RateLimitOutcome.RETURNED)).isOne();
		settle();
		assertThat(remaining(calls)).isEqualTo(9);
	}

	@Test
	void whatIsSettledOnceIsNotSettledAgain() {
		PermitRequest calls = charged("calls", "4", "false");
		take(calls);
		settle();
		take(new Acquisition(new WaitingRoom(this.clock, 9)), List.of(charged("calls", "4", "true")));
		settle();
		this.request.endCall(null, null);
		assertThat(remaining(calls)).isEqualTo(6);
		assertThat(calls.limiter().settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
	}

	@Test
	void whatALaterPolicysRejectionGaveBackIsNotSettled() {
		PermitRequest calls = charged("calls", "4", "false");
		PermitRequest narrow = charged("narrow", "11", "false");
		assertThat(take(calls)).isTrue();
		assertThat(take(narrow)).isFalse();
		settle();
		assertThat(remaining(calls)).isEqualTo(10);
		for (RateLimitSettlement settlement : RateLimitSettlement.values()) {
			assertThat(calls.limiter().settlements(settlement)).isZero();
			assertThat(narrow.limiter().settlements(settlement)).isZero();
		}
	}

	@Test
	void somethingIsToBeSettledFromWhenItIsChargedUntilItIsSettled() {
		take(charged("plain", "1", ""));
		assertThat(this.request.isCharged()).isFalse();
		take(charged("calls", "1", "false"));
		assertThat(this.request.isCharged()).isTrue();
		settle();
		assertThat(this.request.isCharged()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "ENFORCE, 2, 5, true, 5", "ENFORCE, 2, 5, false, 10", "ENFORCE, 2, 5, 1, 9", "ENFORCE, 2, 5, 4, 6",
			"ENFORCE, 2, 5, 7, 3", "ENFORCE, 5, 2, true, 5", "ENFORCE, 5, 5, false, 10", "ENFORCE, 5, 5, 1, 9",
			"ENFORCE, 5, 3, 7, 3", "SHADOW, 5, 2, true, 5", "SHADOW, 5, 5, false, 10", "SHADOW, 5, 5, 1, 9",
			"SHADOW, 5, 6, 7, 3" })
	void placesThatReserveOfOneKeyAreSettledAsOneSumByTheChargeOfTheLast(RateLimitMode mode, String first,
			String second, String charge, long remaining) {
		this.mode = mode;
		PermitRequest rule = charged("calls", first, "999");
		assertThat(take(rule)).isTrue();
		assertThat(take(charged("calls", second, charge))).isTrue();
		settle();
		assertThat(remaining(rule)).isEqualTo(remaining);
	}

	@ParameterizedTest
	@EnumSource
	void aRequestThatIsForwardedIsChargedAsItCame(RateLimitMode mode) {
		this.mode = mode;
		String charge = "header('X-Weight') == '3' ? 3 : 9";
		PermitRequest calls = charged("calls", "5", charge, Map.of("X-Weight", "3"));
		take(calls);
		take(charged("calls", "5", charge));
		settle();
		assertThat(remaining(calls)).isEqualTo(7);
	}

	@ParameterizedTest
	@EnumSource
	void eachPolicyIsSettledByItsOwnCharge(RateLimitMode mode) {
		this.mode = mode;
		PermitRequest beyond = charged("beyond", "4", "7");
		PermitRequest failures = charged("failures", "2", "status >= 400");
		PermitRequest all = charged("all", "2", "");
		PermitRequest calls = charged("calls", "5", "999");
		assertThat(take(beyond, failures, all, calls)).isTrue();
		assertThat(take(charged("calls", "5", "1"))).isTrue();
		settle();
		assertThat(List.of(remaining(beyond), remaining(failures), remaining(all), remaining(calls)))
			.containsExactly(3L, 10L, 8L, 9L);
	}

	@Test
	void aPlaceForWhichACallHasPaidChargesNothingThatTheRequestPaidForItself() {
		PermitRequest other = charged("other", "3", "2");
		PermitRequest calls = charged("calls", "5", "9");
		assertThat(take(this.request.call("here"), List.of(calls))).isTrue();
		assertThat(take(other)).isTrue();
		assertThat(take(calls)).isTrue();
		settle();
		assertThat(remaining(calls)).isEqualTo(5);
		assertThat(remaining(other)).isEqualTo(8);
	}

	@ParameterizedTest
	@EnumSource
	void aCallThatIsChargedNothingPaysAgainForTheNextTime(RateLimitMode mode) {
		this.mode = mode;
		PermitRequest one = charged("calls", "1", "false");
		for (int i = 0; i < 3; i++) {
			Acquisition call = this.request.call("here");
			assertThat(take(call, List.of(one))).isTrue();
			assertThat(remaining(one)).isEqualTo(9);
			call.endCall(null, null);
			assertThat(remaining(one)).isEqualTo(10);
		}
		assertThat(take(this.request.call("elsewhere"), List.of(one))).isTrue();
		assertThat(remaining(one)).isEqualTo(9);
	}

	@Test
	void aCallThatIsChargedLessPaysAllOfTheNextTime() {
		PermitRequest four = charged("calls", "4", "1");
		Acquisition call = this.request.call("here");
		assertThat(take(call, List.of(four))).isTrue();
		call.endCall(null, null);
		assertThat(remaining(four)).isEqualTo(9);
		assertThat(take(this.request.call("here"), List.of(four))).isTrue();
		assertThat(remaining(four)).isEqualTo(5);
	}

	@Test
	void aRequestIsChargedByWhatItsHandlerReturnsOnceItIsOver() {
		PermitRequest calls = charged("calls", "5", "result.length()");
		take(calls);
		this.request.endCall("two", null);
		assertThat(remaining(calls)).isEqualTo(5);
		this.request.settleByStatus(200);
		assertThat(remaining(calls)).isEqualTo(7);
	}

	@ParameterizedTest
	@CsvSource({ "first, second, 1", ", second, 2", ", , 3" })
	void theFirstFailureOfARequestIsTheCauseOfAllOthers(@Nullable String first, @Nullable String second, long charged) {
		PermitRequest calls = charged("calls", "9", "exception == null ? 3 : (exception.message == 'first' ? 1 : 2)");
		take(calls);
		if (first != null) {
			this.request.noteException(new IllegalStateException(first));
		}
		this.request.endCall("result", (second != null) ? new IllegalStateException(second) : null);
		assertThat(this.request.result()).isEqualTo("result");
		this.request.settleByStatus(200);
		assertThat(remaining(calls)).isEqualTo(10 - charged);
	}

	@Test
	void aCallKnowsWhetherAnAuthenticationHasFailedInItsRequest() {
		PermitRequest logins = charged("logins", "3", "authenticationFailed ? 2 : 1");
		for (long remaining : new long[] { 9, 7 }) {
			Acquisition call = this.request.call("before " + remaining);
			take(call, List.of(logins));
			call.endCall(null, null);
			assertThat(remaining(logins)).isEqualTo(remaining);
			this.request.noteAuthentication(true);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theUserIsNotedForAChargeThatReadsTheUserAlone(RateLimitMode mode) {
		this.mode = mode;
		take(charged("plain", "1", ""), charged("failures", "1", "status >= 400"));
		assertThat(this.request.isChargedByPrincipal()).isFalse();
		take(charged("guests", "1", "principal == null"));
		assertThat(this.request.isChargedByPrincipal()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aStoreThatCannotBeToldIsCountedAndNobodyHearsOfIt(boolean answers) {
		this.registry = registry(settling(() -> {
			IllegalStateException failure = new IllegalStateException("down");
			if (answers) {
				return CompletableFuture.failedFuture(failure);
			}
			throw failure;
		}));
		PermitRequest calls = charged("calls", "4", "false");
		take(calls);
		settle();
		assertThat(remaining(calls)).isEqualTo(6);
		assertThat(calls.limiter().settlements(RateLimitSettlement.FAILED)).isEqualTo(1);
		assertThat(calls.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
	}

	@Test
	void nobodyWaitsForTheStore() {
		CompletableFuture<@Nullable LateCharge> answer = new CompletableFuture<>();
		this.registry = registry(settling(() -> answer));
		PermitRequest calls = charged("calls", "4", "false");
		take(calls);
		settle();
		assertThat(calls.limiter().settlements(RateLimitSettlement.RETURNED)).isZero();
		answer.complete(null);
		assertThat(calls.limiter().settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
	}

	@Test
	void theStoreIsNotAskedForWhatWasReservedExactly() {
		this.registry = registry(settling(() -> {
			throw new AssertionError("asked");
		}));
		take(charged("calls", "4", "true"));
		settle();
	}

	@Test
	void codeSettlesByItself() {
		StoreRateLimiter policy = charged("calls", "4", "false").limiter();
		RateLimitDecision given = policy.decide("me", 4);
		policy.settle("me", 4, 1, given);
		assertThat(policy.peek("me").remaining()).isEqualTo(9);
		assertThat(policy.settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
		policy.settle("me", 1, 1, given);
		assertThat(policy.settlements(RateLimitSettlement.KEPT)).isEqualTo(1);
		assertThatIllegalArgumentException().isThrownBy(() -> policy.settle("me", 4, -1, given));
	}

	/* The local store, but for how it settles. */
	private RateLimitStore settling(Supplier<CompletionStage<@Nullable LateCharge>> answer) {
		return new WrappedStore(this.local, (decider) -> new ForwardingDecider(decider) {

			@Override
			public CompletionStage<@Nullable LateCharge> settleAsync(String key, long reserved, long used,
					RateLimitDecision given) {
				return answer.get();
			}

		});
	}

}
