package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.support.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of an override that is in force. Fields that do not apply are {@code null}.
 *
 * @param policy the policy's name
 * @param plan the plan that is overridden, or {@code null}
 * @param key the key that is overridden, or {@code null}
 * @param limits the limits that decide
 * @param mode the mode in which they do
 * @param defined the definition of the policy, the plan, or the key's plan
 * @param since since when the override is in force
 * @param until when it ends, or {@code null} if it has no end
 * @param duration how long it is in force in all, in seconds
 * @param reason why
 * @param who who asked for it
 * @param version its version, for {@code If-Match}
 * @param scope where it is in force, and until when at most
 */
record OverrideDescriptor(String policy, @Nullable String plan, @Nullable String key, List<LimitDescriptor> limits,
		String mode, DefinedDescriptor defined, Instant since, @Nullable Instant until, @Nullable BigDecimal duration,
		@Nullable String reason, @Nullable String who, long version, String scope) implements OperationResponseBody {

	static OverrideDescriptor of(RateLimitOverrides.InForce inForce, StoreRateLimiterRegistry registry) {
		RateLimitOverride override = inForce.override();
		RateLimitOverride.Target target = override.target();
		StoreRateLimiter limiter = registry.policy(target.policy());
		RateLimitPolicy policy = limiter.policy();
		List<RateLimit> defined = defined(target, limiter);
		RateLimitMode mode = Objects.requireNonNullElse(override.mode(), policy.mode());
		BigDecimal seconds = (override.duration() != null) ? DurationText.seconds(override.duration()) : null;
		String scope = registry.overrides().areShared() ? "all instances" : "this instance, until it stops";

		return new OverrideDescriptor(target.policy(), target.plan(), target.key(),
				LimitDescriptor.of(deciding(override, policy, defined)), mode.id(),
				new DefinedDescriptor(LimitDescriptor.of(defined), policy.mode().id()), inForce.since(),
				inForce.until(), seconds, override.reason(), override.who(), inForce.version(), scope);
	}

	/* The limits of the plan, or of the key's plan, or else of the policy. */
	private static List<RateLimit> defined(RateLimitOverride.Target target, StoreRateLimiter limiter) {
		String plan = target.plan();
		if (target.key() != null) {
			plan = limiter.knownPlan(target.key());
		}
		RateLimitPlan ofPlan = (plan != null) ? limiter.policy().plans().get(plan) : null;
		return (ofPlan != null) ? ofPlan.limits() : limiter.policy().limits();
	}

	private static List<RateLimit> deciding(RateLimitOverride override, RateLimitPolicy policy,
			List<RateLimit> defined) {
		if (!override.limits().isEmpty()) {
			return override.limits();
		}
		return (override.target().key() != null) ? policy.limits() : defined;
	}

	/**
	 * Description of what was in force before any override.
	 *
	 * @param limits the limits
	 * @param mode the mode
	 */
	record DefinedDescriptor(List<LimitDescriptor> limits, String mode) {
	}

}
