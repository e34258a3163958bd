package io.github.ratelimit.redis;

import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * One policy's part in a decision of several, as far as it is known.
 */
final class Part {

	private final ResilientStates states;

	private final String key;

	private final long permits;

	private final boolean atOnce;

	private final Breaker breaker;

	private @Nullable RateLimitDecision decision;

	private boolean taken;

	private boolean shared;

	private boolean failed;

	Part(RateLimitSession.Question question) {
		this.states = (ResilientStates) question.states();
		this.key = question.key();
		this.permits = question.permits();
		this.atOnce = question.atOnce();
		this.breaker = this.states.breaker(this.key);
	}

	static Part given(RateLimitSession.Given given) {
		Part part = new Part(new RateLimitSession.Question(given.states(), given.key(), given.permits(), false));
		part.decision = given.decision();
		part.taken = true;
		part.shared = !given.decision().fallback();
		return part;
	}

	boolean isSameState(Part other) {
		return this.states == other.states && this.key.equals(other.key);
	}

	RedisStates scripts() {
		return this.states.scripts();
	}

	String key() {
		return this.key;
	}

	long permits() {
		return this.permits;
	}

	boolean atOnce() {
		return this.atOnce;
	}

	Breaker breaker() {
		return this.breaker;
	}

	/**
	 * What the policy has said last: its decision, or how it stands.
	 */
	@Nullable RateLimitDecision decision() {
		return this.decision;
	}

	boolean isRejected() {
		return this.decision != null && !this.decision.allowed();
	}

	/**
	 * Whether the policy stands so that it cannot give the permits.
	 */
	boolean lacksPermits() {
		return this.decision != null && this.decision.remaining() < this.permits;
	}

	/**
	 * Whether the decision is up to Redis, and not to the fallback.
	 */
	boolean isShared() {
		return this.shared;
	}

	void share(boolean shared) {
		this.shared = shared;
	}

	boolean isTaken() {
		return this.taken;
	}

	/**
	 * Recalls what Redis would say.
	 * @param now this process' time
	 */
	void recall(long now) {
		this.decision = this.states.remembered(this.key, this.permits, now);
	}

	/**
	 * What to run to ask this policy alone.
	 */
	ScriptCall call(boolean look) {
		return scripts().deciding(this.key, look ? 0 : this.permits, this.atOnce);
	}

	/**
	 * Reads what {@link #call} was answered.
	 */
	RateLimitDecision read(byte[] answer, boolean look) {
		return scripts().read(answer, look ? 0 : this.permits, this.atOnce);
	}

	/**
	 * Notes what Redis has decided.
	 * @param said the decision
	 * @param all whether all who were asked together agree
	 * @param askedAt this process' time when Redis was asked
	 */
	void decide(RateLimitDecision said, boolean all, long askedAt) {
		this.decision = said;
		this.taken = all && this.permits > 0;
		this.states.remember(this.key, this.permits, this.atOnce, said, askedAt);
	}

	/**
	 * Notes how the policy stands in Redis.
	 */
	void stand(RateLimitDecision said, long askedAt) {
		this.decision = said;
		this.states.remember(this.key, 0, this.atOnce, said, askedAt);
	}

	/**
	 * Notes that Redis has said nothing.
	 */
	void fail() {
		this.decision = null;
		this.shared = false;
		this.failed = true;
	}

	boolean isFailed() {
		return this.failed;
	}

	/**
	 * Whether the fallback stands so that it cannot give the permits.
	 */
	boolean lacksPermitsLocally() {
		return this.states.lookLocally(this.key).remaining() < this.permits;
	}

	void decideLocally() {
		RateLimitDecision local = this.states.decideLocally(this.key, this.permits, this.atOnce);
		this.decision = local;
		this.taken = local.allowed() && this.permits > 0;
	}

	/**
	 * What to run to give back.
	 */
	ScriptCall givingBack() {
		return scripts().givingBack(this.key, this.permits, Objects.requireNonNull(this.decision));
	}

	void forgetRejection() {
		this.states.forgetRejection(this.key);
	}

	/**
	 * Gives back what was taken, without waiting for Redis.
	 */
	void undo(ScriptRunner runner) {
		if (!this.taken || this.decision == null) {
			return;
		}
		if (this.shared) {
			runner.post(givingBack());
			forgetRejection();
		}
		else {
			this.states.giveBack(this.key, this.permits, this.decision);
		}
		this.taken = false;
		this.decision = null;
	}

}
