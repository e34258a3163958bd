package io.github.ratelimit.enforce;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStates;

import org.springframework.util.Assert;

/**
 * The states behind a limiter of another implementation, such as a test double.
 */
record ForeignStates(RateLimiter limiter) implements RateLimitStates {

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return (permits > 0) ? this.limiter.decide(key, permits) : look(key);
	}

	@Override
	public RateLimitDecision decideAtOnce(String key, long permits) {
		return (permits > 0) ? this.limiter.decideAtOnce(key, permits) : look(key);
	}

	private RateLimitDecision look(String key) {
		RateLimitStanding standing = this.limiter.peek(key);
		Assert.state(standing != null, "The RateLimiter has no answer to peek. "
				+ "Where several policies apply, a test that mocks it must give it one.");
		RateLimitDecision[] looks = standing.limits()
			.stream()
			.map(ForeignStates::look)
			.toArray(RateLimitDecision[]::new);
		RateLimitDecision look = standing.banned()
				? RateLimitDecisions.asLook(RateLimitDecisions.banned(0, standing.nextPermitAfterNanos()))
				: (looks.length > 1) ? RateLimitDecisions.combined(looks) : look(standing);
		return standing.fallback() ? RateLimitDecisions.asFallback(look) : look;
	}

	private static RateLimitDecision look(LimitStanding limit) {
		return RateLimitDecisions.allowed(0, limit.remaining(), 0, limit.resetAfterNanos(),
				limit.nextPermitAfterNanos());
	}

	@Override
	public void giveBack(String key, long permits, RateLimitDecision given) {
		this.limiter.giveBack(key, permits, given);
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		this.limiter.settle(key, reserved, used, given);
	}

	@Override
	public void reset(String key) {
		this.limiter.reset(key);
	}

}
