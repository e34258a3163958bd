package io.github.ratelimit;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What is changed about policies while the application runs. A change is in force for
 * every decision that begins after the call returned; each decision is made under one
 * version of its policy.
 *
 * <pre class="code">
 * registry.overrides().put(RateLimitOverride.of("api")
 *     .limit(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1)))
 *     .duration(Duration.ofHours(2))
 *     .reason("too much load")
 *     .build());
 * </pre>
 *
 * @since 0.1.0
 * @see RateLimiterRegistry#overrides()
 */
public interface RateLimitOverrides {

	/** Stands for any version, for a change that is made whatever is in force. */
	long ANY_VERSION = -1;

	/**
	 * Puts an override in force, in place of the one that its target may have.
	 * @param override the override
	 * @return what is in force now
	 * @throws InvalidRateLimitException if there is no such policy, or if it cannot be
	 * enforced with these numbers where it is applied
	 * @throws RateLimitOverrideException if it was not put in force, or if that is not
	 * known, as its {@link RateLimitOverrideException#reason() reason} tells
	 */
	default InForce put(RateLimitOverride override) {
		return put(override, ANY_VERSION);
	}

	/**
	 * Puts an override in force, if nobody else has changed its target meanwhile.
	 * @param override the override
	 * @param expectedVersion the version of the override that it replaces, 0 if it is to
	 * replace none, or {@link #ANY_VERSION}
	 * @return what is in force now
	 * @throws InvalidRateLimitException if there is no such policy, or if it cannot be
	 * enforced with these numbers where it is applied
	 * @throws RateLimitOverrideException if it was not put in force, or if that is not
	 * known, as its {@link RateLimitOverrideException#reason() reason} tells
	 */
	InForce put(RateLimitOverride override, long expectedVersion);

	/**
	 * Takes an override back.
	 * @param target what is overridden
	 * @return what was in force, or {@code null} if nothing was
	 * @throws InvalidRateLimitException if there is no such policy
	 * @throws RateLimitOverrideException if it was not taken back, or if that is not
	 * known, as its {@link RateLimitOverrideException#reason() reason} tells
	 */
	default @Nullable InForce remove(RateLimitOverride.Target target) {
		return remove(target, ANY_VERSION, null);
	}

	/**
	 * Takes an override back, if nobody else has changed it meanwhile.
	 * @param target what is overridden
	 * @param expectedVersion the version of the override, or {@link #ANY_VERSION}
	 * @param who who asked for it, for people to read, or {@code null}
	 * @return what was in force, or {@code null} if nothing was
	 * @throws InvalidRateLimitException if there is no such policy
	 * @throws RateLimitOverrideException if it was not taken back, or if that is not
	 * known, as its {@link RateLimitOverrideException#reason() reason} tells
	 */
	@Nullable InForce remove(RateLimitOverride.Target target, long expectedVersion, @Nullable String who);

	/**
	 * The override of a target.
	 * @param target what may be overridden
	 * @return what is in force, or {@code null} if nothing is
	 */
	@Nullable InForce find(RateLimitOverride.Target target);

	/**
	 * All overrides.
	 * @return what is in force, in no particular order
	 */
	List<InForce> inForce();

	/**
	 * Whether all instances of the application share their overrides.
	 * @return {@code false} if those of this instance end with it
	 */
	boolean areShared();

	/**
	 * An override that is in force.
	 *
	 * @param override the override
	 * @param version its version, which grows with each change
	 * @param since since when it is in force
	 * @param until when it ends, or {@code null} if it has no end
	 */
	record InForce(RateLimitOverride override, long version, Instant since, @Nullable Instant until) {
	}

}
