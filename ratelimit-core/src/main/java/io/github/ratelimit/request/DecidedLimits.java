package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What was decided on a request or call, looked up whenever it is asked for.
 *
 * @param decided gives an entry for each policy that was asked
 * @param registry knows all policies
 */
record DecidedLimits(Supplier<List<AcquisitionEntry>> decided, RateLimiterRegistry registry) implements RateLimitInfo {

	@Override
	public List<String> exceeded() {
		List<String> exceeded = new ArrayList<>();
		for (AcquisitionEntry entry : this.decided.get()) {
			if (entry.decision().exceeded()) {
				exceeded.add(entry.policy().name());
			}
		}
		return exceeded;
	}

	@Override
	public @Nullable RateLimitDecision decision(String policy) {
		for (AcquisitionEntry entry : this.decided.get()) {
			if (entry.policy().name().equals(policy)) {
				return entry.decision();
			}
		}
		if (this.registry.find(policy) == null) {
			throw InvalidRateLimitException.unknownPolicy(policy,
					this.registry.policies().stream().map(RateLimiter::policy).map((each) -> each.name()).toList());
		}
		return null;
	}

}
