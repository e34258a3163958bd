package io.github.ratelimit.actuate;

import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitDecision;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * How a key stands with a policy, as the endpoint shows it.
 *
 * @param policy the policy's name
 * @param key the key
 * @param standing the key's standing with all limits together
 * @param limits the key's standing with each limit
 */
public record KeyDescriptor(String policy, String key, KeyStatus standing,
		List<LimitStanding> limits) implements OperationResponseBody {

	static KeyDescriptor of(RateLimiter limiter, String key) {
		RateLimitDecision look = limiter.decide(key, 0);
		List<RateLimit> limits = limiter.policy().limits();
		List<LimitStatus> looks = look.limits();
		return new KeyDescriptor(limiter.policy().name(), key, KeyStatus.of(look),
				IntStream.range(0, limits.size())
					.mapToObj((i) -> new LimitStanding(LimitDescriptor.of(limits.get(i)), KeyStatus.of(looks.get(i))))
					.toList());
	}

	/**
	 * How a key stands with one limit.
	 *
	 * @param limit the limit
	 * @param standing the key's standing with it
	 */
	public record LimitStanding(LimitDescriptor limit, KeyStatus standing) {
	}

}
