package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * What one policy was asked and decided.
 *
 * @param request the question; of no permits once these were refunded
 * @param decision the answer; once the permits were refunded, what was left then
 * @since 0.1.0
 */
public record AcquisitionEntry(PermitRequest request, RateLimitDecision decision) implements Settlement.Given {

	/**
	 * Creates the entries of what policies were asked. One that was not asked in the end
	 * has none.
	 */
	static List<AcquisitionEntry> of(List<PermitRequest> requests, List<@Nullable RateLimitDecision> decisions) {
		List<AcquisitionEntry> entries = new ArrayList<>(requests.size());
		for (int i = 0; i < requests.size(); i++) {
			RateLimitDecision decision = decisions.get(i);
			if (decision != null) {
				entries.add(new AcquisitionEntry(requests.get(i), decision));
			}
		}
		return entries;
	}

	/**
	 * What the client of a rejection that was thrown is to know.
	 * @param registry knows the policy's limiter
	 * @param rejection what was thrown
	 * @return the rejection, as if no permits had been asked for; none of a policy that
	 * is not known
	 */
	public static List<AcquisitionEntry> ofRejection(RateLimiterRegistry registry,
			RateLimitExceededException rejection) {
		RateLimiter limiter = registry.find(rejection.policy().name());
		if (limiter == null) {
			return List.of();
		}
		EffectivePolicy rejecting = StoreRateLimiter.of(limiter).effectivePolicyOf(rejection.policy());
		return List.of(new AcquisitionEntry(new PermitRequest(rejecting, "", 0), rejection.decision()));
	}

	/**
	 * Tells code what was decided.
	 * @param decided gives an entry for each policy that was asked, whenever code asks
	 * @param registry knows all policies
	 * @return looks it up there
	 */
	public static RateLimitInfo info(Supplier<List<AcquisitionEntry>> decided, RateLimiterRegistry registry) {
		return new DecidedLimits(decided, registry);
	}

	/**
	 * The policy.
	 * @return the policy that was asked
	 */
	public RateLimitPolicy policy() {
		return this.request.effectivePolicy().policy();
	}

	/**
	 * The numbers of the policy that have decided.
	 * @return the policy with these numbers
	 */
	public EffectivePolicy effectivePolicy() {
		return this.request.effectivePolicy();
	}

	/**
	 * Whether this, rather than an earlier entry, is what to report of a policy.
	 */
	boolean replaces(AcquisitionEntry earlier) {
		if (this.request.key().equals(earlier.request.key())) {
			return true;
		}
		if (this.decision.allowed() != earlier.decision.allowed()) {
			return !this.decision.allowed();
		}
		if (this.decision.exceeded() != earlier.decision.exceeded()) {
			return this.decision.exceeded();
		}
		return this.decision.remaining() < earlier.decision.remaining();
	}

	/**
	 * Reports what became of the request, unless it was only a look.
	 */
	void report(RateLimitOutcome outcome) {
		this.request.report(this.decision, outcome);
	}

	@Override
	public long taken() {
		if (this.decision.exceeded()) {
			return 0;
		}
		return covered();
	}

	/**
	 * How many permits the request need not ask for again: what it has taken, or was let
	 * pass without.
	 */
	long covered() {
		return this.decision.allowed() ? this.request.permits() : 0;
	}

	@Override
	public void settle(long taken, long used) {
		this.request.settle(taken, used, this.decision);
	}

}
