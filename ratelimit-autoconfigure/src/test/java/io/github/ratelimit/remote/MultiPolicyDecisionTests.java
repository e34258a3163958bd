package io.github.ratelimit.remote;

import java.util.List;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a decision of several policies asks which server, and what it takes where servers
 * fail.
 */
class MultiPolicyDecisionTests extends TwoPolicies {

	@Test
	void allAreLookedAtBeforeAnyIsTakenFrom() {
		assertThat(remaining(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(7L, 6L);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 3 of one", "take 4 of two");
	}

	@Test
	void aPolicyAloneIsAskedOnce() {
		assertThat(remaining(decide(of(this.one, 3)))).containsExactly(7L);
		assertThat(this.remote.asked()).containsExactly("take 3 of one");
	}

	@Test
	void onePolicyAndLooksAreAskedOnce() {
		assertThat(remaining(decide(of(this.one, 3), of(this.two, 0)))).containsExactly(7L, 10L);
		assertThat(this.remote.asked()).containsExactly("take 3 of one", "look at two");
	}

	@Test
	void looksBesideSeveralPoliciesAreNotTakenFrom() {
		PolicyDecider three = open("three", RateLimitAlgorithm.FIXED_WINDOW_COUNTER);
		assertThat(remaining(decide(of(three, 0), of(this.one, 3), of(this.two, 4)))).containsExactly(10L, 7L, 6L);
		assertThat(this.remote.asked()).containsExactly("look at three", "look at one", "look at two", "take 3 of one",
				"take 4 of two");
	}

	@Test
	void aPolicyThatLacksPermitsRejectsAndTheOthersAreNotTakenFrom() {
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 11));
		assertThat(allowed(decisions)).containsExactly(true, false);
		assertThat(remaining(decisions)).containsExactly(10L, 10L);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 11 of two");
	}

	@Test
	void policiesAreAskedInOrderAlsoWhereOneGivesItsLastPermits() {
		assertThat(remaining(decide(of(this.one, 3), of(this.two, 10)))).containsExactly(7L, 0L);
		assertThat(this.remote.asked()).endsWith("take 3 of one", "take 10 of two");
	}

	@Test
	void aLookBesideARejectionStaysAndIsNotRefunded() {
		List<@Nullable RateLimitDecision> decisions = decide(of(this.two, 0), of(this.one, 11));
		assertThat(allowed(decisions)).containsExactly(true, false);
		assertThat(this.remote.asked()).containsExactly("look at two", "take 11 of one");
	}

	@Test
	void theFallbackGoesOnFromALookToo() {
		((ResilientStates) this.one).remote().decide("key", 4);
		decide(of(this.one, 3), of(this.two, 11));
		this.remote.failing.add("one");
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(6);
	}

	@Test
	void aPolicyThatLackedPermitsForAMomentIsTakenFromOnce() {
		decide(of(this.two, 10));
		this.remote.asked();
		this.remote.meanwhile = () -> ((ResilientStates) this.two).remote().reset("key");
		assertThat(remaining(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(7L, 6L);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 4 of two", "take 3 of one");
	}

	@Test
	void whatWasTakenBeforeAnotherRejectsIsRefunded() {
		this.remote.meanwhile = () -> ((ResilientStates) this.two).remote().decide("key", 10);
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 4));
		assertThat(decisions.get(0)).isNull();
		assertThat(allowed(decisions)).containsExactly(false);
		assertThat(this.remote.asked()).endsWith("take 3 of one", "take 4 of two", "later:", "refund 3 to one");
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void whoWasRejectedBeforePermitsWereRefundedMayTryAgain() {
		this.remote.meanwhile = () -> {
			((ResilientStates) this.two).remote().decide("key", 10);
			this.remote.meanwhile = () -> assertThat(this.one.decide("key", 1).allowed()).isFalse();
		};
		assertThat(allowed(decide(of(this.one, 10), of(this.two, 1)))).containsExactly(false);
		assertThat(this.one.decide("key", 1).allowed()).isTrue();
	}

	@Test
	void aRejectionThatIsKnownAsksNobody() {
		decide(of(this.two, 10));
		decide(of(this.two, 1));
		this.remote.asked();
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 1));
		assertThat(allowed(decisions)).containsExactly(false);
		assertThat(this.remote.asked()).isEmpty();
	}

	@Test
	void aPolicyWhoseServerFailsFallsBackAlone() {
		this.remote.failing.add("two");
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 4));
		assertThat(fallback(decisions)).containsExactly(false, true);
		assertThat(remaining(decisions)).containsExactly(7L, 6L);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 3 of one");
		assertThat(this.two.fallbacks()).isOne();
	}

	@Test
	void aFallbackThatRejectsUndoesWhatTheStoreGave() {
		this.remote.failing.add("two");
		this.remote.meanwhile = () -> this.two.decide("key", 10);
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 4));
		assertThat(allowed(decisions)).endsWith(false);
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void aFallbackThatIsKnownToRejectAsksNoServer() {
		breakDown(this.two);
		this.two.decide("key", 10);
		this.remote.asked();
		assertThat(allowed(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(false);
		assertThat(this.remote.asked()).isEmpty();
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void aFallbackIsNotTakenFromWhereTheStoreRejects() {
		breakDown(this.two);
		this.remote.asked();
		long before = this.two.fallbacks();
		assertThat(allowed(decide(of(this.two, 10), of(this.one, 11)))).containsExactly(false);
		assertThat(this.remote.asked()).containsExactly("take 11 of one");
		assertThat(this.two.fallbacks()).isEqualTo(before);
		assertThat(this.two.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void aLookOfAFallbackThatRejectsLeavesTheOthersTheirs() {
		PolicyDecider rejecting = open("rejecting", RateLimitAlgorithm.FIXED_WINDOW_COUNTER);
		this.remote.failing.addAll(List.of("one", "two", "rejecting"));
		assertThat(allowed(decide(of(this.one, 0), of(rejecting, 0), of(this.two, 0)))).containsExactly(true, false,
				true);
	}

	@Test
	void aServerThatTookNoWritesIsBackWhenARequestHasWritten() {
		this.remote.blame = StoreCallException.Blame.WRITES;
		for (boolean together : new boolean[] { false, true }) {
			this.remote.together = together;
			breakDown(this.one);
			this.remote.failing.clear();
			this.clock.advance(INTERVAL);
			decide(of(this.one, 0), of(this.two, 0));
			assertThat(this.store.availability().isAvailable()).isFalse();
			assertThat(fallback(decide(of(this.one, 1), of(this.two, 1)))).containsExactly(false, false);
			assertThat(this.store.availability().isAvailable()).isTrue();
		}
	}

	@Test
	void theOneRequestThatTriesAServerAgainAsksIt() {
		breakDown(this.one);
		breakDown(this.two);
		this.two.decide("key", 10);
		this.clock.advance(INTERVAL);
		this.remote.failing.remove("one");
		this.remote.failing.remove("two");
		this.remote.asked();
		assertThat(fallback(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(false, false);
		assertThat(this.remote.asked()).containsExactly("look at one", "look at two", "take 3 of one", "take 4 of two");
		assertThat(this.store.availability().isAvailable()).isTrue();
	}

	@Test
	void theOneRequestThatTriesAServerAgainAsksItAlthoughAFallbackRejects() {
		breakDown(this.one);
		breakDown(this.two);
		this.two.decide("key", 10);
		this.clock.advance(INTERVAL);
		this.two.decide("any", 0);
		this.remote.failing.remove("one");
		this.remote.asked();
		assertThat(allowed(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(false);
		assertThat(this.remote.asked()).containsExactly("take 3 of one", "later:", "refund 3 to one");
		assertThat(this.one.decide("key", 0)).returns(false, RateLimitDecision::fallback)
			.returns(10L, RateLimitDecision::remaining);
	}

	@Test
	void whereOneCallDecidesItIsTheOnlyOne() {
		this.remote.together = true;
		assertThat(remaining(decide(of(this.one, 3), of(this.two, 4)))).containsExactly(7L, 6L);
		assertThat(this.remote.asked()).containsExactly("decide one+two");
		assertThat(allowed(decide(of(this.one, 3), of(this.two, 7)))).containsExactly(true, false);
		assertThat(this.remote.asked()).containsExactly("decide one+two");
		assertThat(remaining(decide(of(this.one, 1)))).containsExactly(6L);
		assertThat(this.remote.asked()).containsExactly("take 1 of one");
	}

	@Test
	void whereOneCallFailsAllFallBack() {
		this.remote.together = true;
		this.remote.failing.add("two");
		List<@Nullable RateLimitDecision> decisions = decide(of(this.one, 3), of(this.two, 4));
		assertThat(fallback(decisions)).containsExactly(true, true);
		assertThat(remaining(decisions)).containsExactly(7L, 6L);
	}

	@Test
	void aCallForSeveralCountsForEachServer() {
		this.remote.together = true;
		for (boolean fails : new boolean[] { true, true, false, true, true }) {
			fail(fails);
			decide(of(this.one, 1), of(this.two, 1));
			assertThat(this.store.availability().isAvailable()).isTrue();
		}
		fail(true);
		decide(of(this.one, 1), of(this.two, 1));
		assertThat(this.store.availability().failure()).isEqualTo("one: one hangs; two: one hangs");
	}

	private void fail(boolean fails) {
		this.remote.failing.clear();
		if (fails) {
			this.remote.failing.add("one");
		}
	}

	@Test
	void aRejectionOfTheirCallIsRemembered() {
		this.remote.together = true;
		decide(of(this.one, 3), of(this.two, 10));
		decide(of(this.one, 3), of(this.two, 1));
		this.remote.asked();
		assertThat(allowed(decide(of(this.two, 1)))).containsExactly(false);
		assertThat(this.remote.asked()).isEmpty();
	}

	@Test
	void whatCannotWaitIsAskedAtOnce() {
		PolicyDecider queue = open("queue", RateLimitAlgorithm.LEAKY_BUCKET);
		decide(of(queue, 1));
		this.remote.asked();
		List<@Nullable RateLimitDecision> decisions = decide(new Question(queue, "key", 1, true));
		assertThat(this.remote.asked()).containsExactly("take 1 of queue at once");
		assertThat(decisions.get(0)).returns(true, RateLimitDecision::queueFull);
	}

	@Test
	void failuresOfOneServerInOneStepCountAsOne() {
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.store.availability().isAvailable()).isTrue();
			this.remote.failing.add("one");
			decide(new Question(this.one, "a", 0, false), new Question(this.one, "b", 0, false));
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
		assertThat(this.store.availability().failure()).isEqualTo("one: one hangs");
	}

}
