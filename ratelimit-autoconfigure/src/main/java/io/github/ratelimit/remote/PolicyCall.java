package io.github.ratelimit.remote;

import java.util.Objects;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;

/**
 * One policy's part in a decision of several, as far as it is known.
 */
final class PolicyCall {

	private final ResilientStates states;

	private final String key;

	private final long permits;

	private final boolean withoutDelay;

	private final Breaker breaker;

	private @Nullable RateLimitDecision decision;

	private boolean taken;

	private boolean shared;

	private @Nullable StoreCallException failure;

	PolicyCall(Question question) {
		this.states = (ResilientStates) question.states();
		this.key = question.key();
		this.permits = question.permits();
		this.withoutDelay = question.withoutDelay();
		this.breaker = this.states.breaker(this.key);
	}

	/**
	 * Creates the part of what was given, to be refunded.
	 */
	PolicyCall(Given given) {
		this(new Question(given.states(), given.key(), given.permits(), false));
		this.decision = given.decision();
		this.taken = true;
		this.shared = !given.decision().fallback();
	}

	boolean isSameState(PolicyCall other) {
		return this.states.hasKeysOf(other.states) && this.key.equals(other.key);
	}

	PolicyDecider remote() {
		return this.states.remote();
	}

	long permits() {
		return this.permits;
	}

	Breaker breaker() {
		return this.breaker;
	}

	/**
	 * The policy's last answer: a decision, or a look.
	 */
	@Nullable RateLimitDecision decision() {
		return this.decision;
	}

	boolean isRejected() {
		return this.decision != null && !this.decision.allowed();
	}

	/**
	 * Whether the last answer leaves too few permits.
	 */
	boolean lacksPermits() {
		return this.decision != null && this.decision.remaining() < this.permits;
	}

	/**
	 * Whether the store decides, and not the fallback.
	 */
	boolean isShared() {
		return this.shared;
	}

	void share(boolean shared) {
		this.shared = shared;
	}

	/**
	 * Whether the fallback has yet to decide.
	 */
	boolean isLocal() {
		return this.decision == null && !this.shared;
	}

	boolean isTaken() {
		return this.taken;
	}

	/**
	 * Recalls a rejection that the store would repeat.
	 * @param now this process' time
	 */
	void recall(long now) {
		this.decision = this.states.remembered(this.key, this.permits, now);
	}

	/**
	 * The question to the store.
	 */
	Question question(boolean look) {
		return new Question(remote(), this.key, look ? 0 : this.permits, this.withoutDelay);
	}

	/**
	 * Notes the store's answer.
	 * @param question what it was asked
	 * @param said the decision
	 * @param agreed whether all policies that were asked together agree
	 * @param askedAt this process' time when the store was asked
	 */
	void decided(Question question, RateLimitDecision said, boolean agreed, long askedAt) {
		this.decision = said;
		this.taken = agreed && question.permits() > 0;
		this.states.remember(question, said, askedAt);
	}

	/**
	 * Notes that the store has not answered.
	 */
	void fail(StoreCallException cause) {
		this.decision = null;
		this.shared = false;
		this.failure = cause;
	}

	@Nullable StoreCallException failure() {
		return this.failure;
	}

	/**
	 * Whether the fallback has too few permits left.
	 */
	boolean lacksPermitsLocally() {
		return this.states.lookLocally(this.key).remaining() < this.permits;
	}

	void decideLocally() {
		RateLimitDecision local = this.states.decideLocally(this.key, this.permits, this.withoutDelay);
		this.decision = local;
		this.taken = local.allowed() && this.permits > 0;
	}

	/**
	 * The permits to refund.
	 */
	Given given() {
		return new Given(remote(), this.key, this.permits, Objects.requireNonNull(this.decision));
	}

	void forgetRejection() {
		this.states.forgetRejection(this.key);
	}

	/**
	 * Refunds what was taken, without waiting for the store.
	 */
	void undo(RemoteStore store) {
		if (!this.taken || this.decision == null) {
			return;
		}
		if (this.shared) {
			store.refundLater(given());
			forgetRejection();
		}
		else {
			this.states.refundLocally(this.key, this.permits, this.decision);
		}
		this.taken = false;
		this.decision = null;
	}

}
