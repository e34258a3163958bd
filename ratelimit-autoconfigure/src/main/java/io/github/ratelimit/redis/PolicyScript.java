package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;

/**
 * One policy's part in the scripts.
 *
 * @param limits the parts of its limits
 * @param bans whether it bans keys, for which it has a key of its own behind those of the
 * limits
 * @param kinds what its scripts depend on
 */
record PolicyScript(List<LimitScript> limits, boolean bans, String kinds) {

	PolicyScript(List<LimitScript> limits, boolean bans) {
		this(limits, bans, kinds(limits, bans));
	}

	/**
	 * Prepares a policy.
	 * @throws InvalidRateLimitException if one of its limits cannot be counted in Redis
	 */
	static PolicyScript of(RateLimitPolicy policy) {
		List<RateLimit> limits = policy.limits();
		List<LimitScript> scripts = new ArrayList<>(limits.size());
		for (int i = 0; i < limits.size(); i++) {
			try {
				scripts.add(limit(limits.get(i), policy.charge() != null));
			}
			catch (InvalidRateLimitException ex) {
				throw ex.inLimit(i);
			}
		}
		return new PolicyScript(List.copyOf(scripts), policy.ban() != null);
	}

	static LimitScript limit(RateLimit limit, boolean charged) {
		return switch (limit.algorithm()) {
			case TOKEN_BUCKET, LEAKY_BUCKET -> new BucketScript(limit, charged);
			case FIXED_WINDOW_COUNTER ->
				(limit.calendar() != null) ? new CalendarWindowScript(limit, limit.calendar(), charged)
						: new FixedWindowScript(limit, charged);
			case SLIDING_WINDOW_COUNTER -> new SlidingWindowScript(limit, charged);
			case SLIDING_WINDOW_LOG -> new LogScript(limit, charged);
		};
	}

	/**
	 * Which of the limits keep a log, counted from 1.
	 */
	int[] logs() {
		return IntStream.rangeClosed(1, this.limits.size())
			.filter((place) -> this.limits.get(place - 1).keepsLog())
			.toArray();
	}

	/**
	 * The same limits, for what comes after the decision: no ban matters to that.
	 */
	PolicyScript withoutBan() {
		return this.bans ? new PolicyScript(this.limits, false) : this;
	}

	private static String kinds(List<LimitScript> limits, boolean bans) {
		return limits.stream()
			.map((limit) -> (limit.isCharged() ? "charged " : "") + limit.kind() + String.join("+", limit.files()))
			.collect(Collectors.joining(",", bans ? "bans " : "", ""));
	}

}
