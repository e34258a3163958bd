package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits that a request asks one policy for.
 *
 * @param effectivePolicy the numbers of the policy that decide
 * @param key who asks
 * @param permits how many permits the request costs
 * @param charge what the request is charged in the end, or {@code null} if what it costs
 * @since 0.1.0
 */
public record PermitRequest(EffectivePolicy effectivePolicy, String key, long permits,
		@Nullable Charge charge) implements RateLimitSession.Question {

	/**
	 * Creates what a request asks of one policy that charges what it costs.
	 * @param effectivePolicy the numbers of the policy that decide
	 * @param key who asks
	 * @param permits how many permits the request costs
	 */
	public PermitRequest(EffectivePolicy effectivePolicy, String key, long permits) {
		this(effectivePolicy, key, permits, null);
	}

	/**
	 * Creates what a request asks of one policy.
	 * @param limiter enforces the policy
	 * @param key who asks
	 * @param permits how many permits the request costs
	 * @return the question
	 */
	public static PermitRequest of(RateLimiter limiter, String key, long permits) {
		return new PermitRequest(StoreRateLimiter.of(limiter).effectivePolicy(key), key, permits);
	}

	/**
	 * Asks the policy, if that is all that there is to it.
	 * @return what it decided, or {@code null} if it was not asked
	 */
	@Nullable RateLimitDecision askPlain() {
		if (this.charge != null || !this.effectivePolicy.isPlain()) {
			return null;
		}
		return this.effectivePolicy.decide(this.key, this.permits, false);
	}

	/**
	 * What to ask in the store's session.
	 * @param requests what is asked of each policy
	 * @param longestWaitNanos a policy that could delay the request for longer does not
	 */
	static List<RateLimitSession.Question> questions(List<PermitRequest> requests, long longestWaitNanos) {
		List<RateLimitSession.Question> questions = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			questions.add(request.question(longestWaitNanos));
		}
		return questions;
	}

	/**
	 * What to ask in the store's session about what takes no permits.
	 */
	static List<RateLimitSession.Question> looks(List<PermitRequest> requests) {
		return questions(requests, Long.MAX_VALUE);
	}

	private RateLimitSession.Question question(long longestWaitNanos) {
		if (this.effectivePolicy.longestDelayNanos() > longestWaitNanos) {
			return RateLimitSession.Question.of(decider(), this.key, this.permits, true);
		}
		return this;
	}

	@Override
	public PolicyDecider decider() {
		return this.effectivePolicy.decider();
	}

	@Override
	public boolean withoutDelay() {
		return false;
	}

	@Override
	public boolean lacksPermits(RateLimitDecision look) {
		if (look.remaining() >= this.permits) {
			return false;
		}
		long maxWaitNanos = this.effectivePolicy.policy().maxWait().toNanos();
		return maxWaitNanos == 0 || look.banned() || look.nextPermitAfterNanos() > maxWaitNanos;
	}

	/**
	 * What the request was given, to refund it in the store's session.
	 */
	RateLimitSession.Given given(RateLimitDecision decision) {
		return new RateLimitSession.Given(decider(), this.key, this.permits, decision);
	}

	/**
	 * Reports what became of the request, unless it was only a look.
	 */
	void report(RateLimitDecision decision, RateLimitOutcome outcome) {
		if (this.permits > 0) {
			this.effectivePolicy.report(this.key, this.permits, decision, outcome);
		}
	}

	/**
	 * Settles what the request was given.
	 * @param taken how many permits that were
	 * @param used how many it has used
	 * @param given the decision that allowed it
	 */
	void settle(long taken, long used, RateLimitDecision given) {
		this.effectivePolicy.settle(this.key, taken, used, given);
	}

	/**
	 * Returns what enforces the policy.
	 * @return the limiter
	 */
	public StoreRateLimiter limiter() {
		return this.effectivePolicy.limiter();
	}

	boolean isSameState(PermitRequest other) {
		return this.key.equals(other.key) && isOfSamePolicy(other);
	}

	boolean isOfSamePolicy(PermitRequest other) {
		return this.effectivePolicy.limiter() == other.effectivePolicy.limiter();
	}

	/**
	 * Merges this with another question for the same policy and key.
	 * @param later what is asked later
	 */
	PermitRequest and(PermitRequest later) {
		Charge charge = later.charge;
		if (charge != null && this.charge != null && charge.isWrittenAs(this.charge)) {
			charge = charge.and(this.charge);
		}
		return new PermitRequest(this.effectivePolicy, this.key, Math.max(this.permits, later.permits), charge);
	}

	/**
	 * Creates what another call asks, which counts its elements by itself.
	 * @param requests what the first call asks of each policy
	 * @return the same, unless elements are counted
	 */
	public static List<PermitRequest> anew(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			if (request.charge != null && request.charge.countsElements()) {
				return requests.stream().map(PermitRequest::anew).toList();
			}
		}
		return requests;
	}

	private PermitRequest anew() {
		if (this.charge == null) {
			return this;
		}
		return new PermitRequest(this.effectivePolicy, this.key, this.permits, this.charge.anew());
	}

	/**
	 * Whether a policy may delay the request.
	 * @param requests what is asked of each policy
	 * @return {@code false} if none has a queue
	 */
	public static boolean mayDelay(List<PermitRequest> requests) {
		for (int i = 0; i < requests.size(); i++) {
			if (requests.get(i).effectivePolicy.longestDelayNanos() > 0) {
				return true;
			}
		}
		return false;
	}

	PermitRequest of(long permits) {
		if (permits == this.permits) {
			return this;
		}
		return new PermitRequest(this.effectivePolicy, this.key, permits, this.charge);
	}

}
