package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What several policies get back of a request, from which server, and in which order.
 */
class MultiPolicyRefundTests extends TwoPolicies {

	@Test
	void whatIsRefundedTogetherIsThere() {
		List<@Nullable RateLimitDecision> given = this.session.decide(List.of(of(this.one, 3), of(this.two, 4)));
		this.remote.asked();
		this.session.refund(List.of(given(this.one, 3, given.get(0)), given(this.two, 4, given.get(1))));
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 4 to two", "refund 3 to one");
		assertThat(this.one.decide("key", 0).remaining()).isEqualTo(10);
		assertThat(this.two.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void keysOfOnePolicyAreRefundedAtOnce() {
		List<Given> given = new ArrayList<>();
		for (String key : List.of("a", "b")) {
			RateLimitDecision decision = this.session.decide(List.of(new Question(this.one, key, 1, false))).get(0);
			given.add(new Given(this.one, key, 1, Objects.requireNonNull(decision)));
		}
		this.remote.asked();
		this.session.refund(given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 1 to one", "refund 1 to one");
	}

	@Test
	void severalDecisionsOnOneKeyAreRefundedInTurnTheLastFirst() {
		PolicyDecider queue = open("queue", RateLimitAlgorithm.LEAKY_BUCKET);
		List<Given> given = new ArrayList<>();
		for (int permits = 1; permits <= 3; permits++) {
			given.add(given(queue, permits, this.session.decide(List.of(of(queue, permits))).get(0)));
		}
		this.remote.asked();
		this.session.refund(given);
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to queue", "at once:",
				"refund 2 to queue", "at once:", "refund 1 to queue");
		assertThat(queue.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void whatAFallbackGaveIsRefundedToIt() {
		this.remote.failing.add("two");
		List<@Nullable RateLimitDecision> given = this.session.decide(List.of(of(this.one, 3), of(this.two, 4)));
		this.remote.asked();
		this.session.refund(List.of(given(this.one, 3, given.get(0)), given(this.two, 4, given.get(1))));
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to one");
		assertThat(this.two.decide("key", 0).remaining()).isEqualTo(10);
	}

	@Test
	void whatTheStoreGaveStaysTakenWhileItsServerCannotBeAsked() {
		List<@Nullable RateLimitDecision> given = this.session.decide(List.of(of(this.one, 3), of(this.two, 4)));
		breakDown(this.two);
		this.remote.asked();
		this.session.refund(List.of(given(this.one, 3, given.get(0)), given(this.two, 4, given.get(1))));
		assertThat(this.remote.asked()).containsExactly("at once:", "refund 3 to one");
		this.remote.failing.clear();
		this.clock.advance(INTERVAL);
		assertThat(this.two.decide("key", 0).remaining()).isEqualTo(6);
	}

	@Test
	void aFailureToRefundCountsAsAny() {
		List<@Nullable RateLimitDecision> given = this.session.decide(List.of(of(this.one, 3)));
		this.remote.failing.add("one");
		for (int i = 0; i < Breaker.FAILURES; i++) {
			assertThat(this.store.availability().isAvailable()).isTrue();
			this.session.refund(List.of(given(this.one, 3, given.get(0))));
		}
		assertThat(this.store.availability().isAvailable()).isFalse();
	}

	@Test
	void aRejectionIsForgottenWherePermitsAreRefunded() {
		List<@Nullable RateLimitDecision> given = this.session.decide(List.of(of(this.one, 10)));
		assertThat(allowed(decide(of(this.one, 1)))).containsExactly(false);
		this.session.refund(List.of(given(this.one, 10, given.get(0))));
		assertThat(allowed(decide(of(this.one, 1)))).containsExactly(true);
	}

}
