package io.github.ratelimit.remote;

import java.util.Objects;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;

/**
 * The question of a request to one policy, and what is known of its answer. Either the
 * store decides on it, or the policy's fallback.
 */
final class PolicyCall {

	private final ResilientStore.ResilientDecider decider;

	private final String key;

	private final long permits;

	private final boolean withoutDelay;

	/* What is asked together with others, or null of what is asked alone. */
	private final @Nullable Question question;

	private final Breaker breaker;

	/* The policy's last answer: a decision, or a look. */
	private @Nullable RateLimitDecision decision;

	private boolean taken;

	/* Whether the store decides, and not the fallback. */
	private boolean asksStore;

	private @Nullable StoreCallException failure;

	/**
	 * Creates the call of a question.
	 */
	PolicyCall(Question question) {
		this(question.decider(), question.key(), question.permits(), question.withoutDelay(), question);
	}

	/**
	 * Creates the call of a request to one policy.
	 * @param decider decides for the policy, as the store has opened it
	 */
	PolicyCall(PolicyDecider decider, String key, long permits, boolean withoutDelay) {
		this(decider, key, permits, withoutDelay, null);
	}

	private PolicyCall(PolicyDecider decider, String key, long permits, boolean withoutDelay,
			@Nullable Question question) {
		this.question = question;
		this.decider = (ResilientStore.ResilientDecider) decider;
		this.key = key;
		this.permits = permits;
		this.withoutDelay = withoutDelay;
		this.breaker = this.decider.breaker(key);
	}

	/**
	 * Creates a call that can refund what was given.
	 */
	PolicyCall(Given given) {
		this(given.decider(), given.key(), given.permits(), false);
		this.decision = given.decision();
		this.taken = true;
		this.asksStore = !given.decision().fallback();
	}

	long permits() {
		return this.permits;
	}

	/**
	 * Returns the breaker of the server that has the key.
	 */
	Breaker breaker() {
		return this.breaker;
	}

	@Nullable RateLimitDecision decision() {
		return this.decision;
	}

	@Nullable StoreCallException failure() {
		return this.failure;
	}

	boolean isTaken() {
		return this.taken;
	}

	boolean asksStore() {
		return this.asksStore;
	}

	boolean isOfSameKey(PolicyCall other) {
		return this.decider.shared == other.decider.shared && this.key.equals(other.key);
	}

	boolean isDecided() {
		return this.decision != null;
	}

	boolean isRejected() {
		return this.decision != null && !this.decision.allowed();
	}

	boolean lacksPermits() {
		return this.decision != null && lacksPermits(this.decision);
	}

	private boolean lacksPermits(RateLimitDecision look) {
		return Objects.requireNonNull(this.question).lacksPermits(look);
	}

	/**
	 * Whether the fallback has yet to decide.
	 */
	boolean awaitsFallback() {
		return this.decision == null && !this.asksStore;
	}

	/**
	 * Whether a look at the fallback finds too few permits.
	 */
	boolean fallbackLacksPermits() {
		return lacksPermits(this.decider.fallback.decide(this.key, 0));
	}

	/**
	 * Decides by what the store has said earlier, if that still holds.
	 * @return whether it does
	 */
	boolean recall(long now) {
		this.decision = this.decider.answers.find(this.key, this.permits, now);
		return this.decision != null;
	}

	/**
	 * Has the store decide, if the breaker permits to ask it.
	 * @return whether it does
	 */
	boolean tryToAskStore() {
		this.asksStore = this.breaker.tryAcquirePermission();
		return this.asksStore;
	}

	/**
	 * Sets whether the store decides, because its server's breaker permits to ask it.
	 */
	void askStoreIf(boolean permitted) {
		this.asksStore = permitted;
	}

	/**
	 * Prepares the store's call, which becomes a part of one for several policies.
	 */
	RemoteStore.Call<RateLimitDecision> part() {
		return this.decider.remote.decide(this.key, this.permits, this.withoutDelay);
	}

	/**
	 * Asks the store for the permits.
	 */
	RemoteStore.Answer<RateLimitDecision> take(Deadline deadline) {
		return this.decider.joined.decide(this.key, this.permits, this.withoutDelay, deadline);
	}

	/**
	 * Asks the store for a look.
	 */
	RemoteStore.Answer<RateLimitDecision> look(Deadline deadline) {
		return this.decider.joined.decide(this.key, 0, this.withoutDelay, deadline);
	}

	/**
	 * Has the store refund what it gave.
	 */
	RemoteStore.Answer<Void> refund(Deadline deadline) {
		return this.decider.remote.refund(this.key, this.permits, Objects.requireNonNull(this.decision))
			.start(deadline);
	}

	/**
	 * Waits for the store's answer to this call alone, and reports to the breaker how it
	 * went.
	 * @param askedAt this process' time when the store was asked
	 */
	void await(RemoteStore.Answer<RateLimitDecision> answer, long askedAt) {
		try {
			RateLimitDecision said = answer.await();
			decided(said, said.allowed(), askedAt);
			this.breaker.succeeded(this.taken);
		}
		catch (StoreCallException ex) {
			fail(ex);
			this.breaker.failed(ex, askedAt);
		}
	}

	/**
	 * Notes the store's decision.
	 * @param agreed whether all policies allow that were asked together
	 * @param askedAt this process' time when the store was asked
	 */
	void decided(RateLimitDecision said, boolean agreed, long askedAt) {
		this.decision = said;
		this.taken = agreed && this.permits > 0;
		this.decider.answers.remember(this.key, this.permits, this.withoutDelay, said, askedAt);
	}

	/**
	 * Notes what the store has answered to a look.
	 * @param askedAt this process' time when the store was asked
	 */
	void looked(RateLimitDecision said, long askedAt) {
		this.decision = said;
		this.taken = false;
		this.decider.answers.remember(this.key, 0, this.withoutDelay, said, askedAt);
	}

	/**
	 * Notes that the store has not answered: the fallback decides.
	 */
	void fail(StoreCallException cause) {
		this.decision = null;
		this.asksStore = false;
		this.failure = cause;
	}

	/**
	 * Notes that the store has refunded what it gave.
	 */
	void refunded() {
		this.taken = false;
	}

	RateLimitDecision decideLocally() {
		RateLimitDecision local = this.decider.decideLocally(this.key, this.permits, this.withoutDelay);
		this.decision = local;
		this.taken = local.allowed() && this.permits > 0;
		return local;
	}

	/**
	 * Decides by the fallback, if nothing else has decided.
	 */
	RateLimitDecision decisionOrFallback() {
		RateLimitDecision decided = this.decision;
		return (decided != null) ? decided : decideLocally();
	}

	/**
	 * Refunds what was taken, without waiting for the store, and forgets the decision.
	 */
	void undo() {
		if (!this.taken || this.decision == null) {
			return;
		}

		if (this.asksStore) {
			this.decider.refundLater(this.key, this.permits, this.decision);
		}
		else {
			this.decider.fallback.refund(this.key, this.permits, this.decision);
		}
		this.taken = false;
		this.decision = null;
	}

	void forgetRejection() {
		this.decider.forgetRejection(this.key);
	}

}
