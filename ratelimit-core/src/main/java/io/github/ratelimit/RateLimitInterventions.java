package io.github.ratelimit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import org.jspecify.annotations.Nullable;

/**
 * What operators have decided by hand, and what the configuration says of the same. It is
 * shared by all instances as {@link RateLimitOverrides overrides} are, and is in force
 * for every decision that begins after the call returned.
 * <p>
 * A key may have interventions and an override at once. Each ends by itself.
 *
 * <pre class="code">
 * registry.interventions()
 *     .put(RateLimitIntervention.ban("login", "ada", Duration.ofHours(2), "guesses passwords"));
 * </pre>
 *
 * @since 0.1.0
 * @see RateLimiterRegistry#interventions()
 */
public interface RateLimitInterventions {

	/**
	 * Puts an intervention in force, in place of the one that its target may have.
	 * @param intervention the intervention
	 * @return what is in force now
	 * @throws InvalidRateLimitException if there is no such policy, or no such address,
	 * or nothing here that knows addresses
	 * @throws RateLimitOverrideException if it was not put in force, or if that is not
	 * known, as its {@link RateLimitOverrideException#reason() reason} tells
	 */
	InForce put(RateLimitIntervention intervention);

	/**
	 * Ends an intervention.
	 * @param target what it is about
	 * @return what was in force, or {@code null} if nothing was
	 * @throws InvalidRateLimitException if there is no such policy or address, or if it
	 * is configured
	 * @throws RateLimitOverrideException if it was not ended, or if that is not known, as
	 * its {@link RateLimitOverrideException#reason() reason} tells
	 */
	default @Nullable InForce remove(Target target) {
		return remove(target, null);
	}

	/**
	 * Ends an intervention.
	 * @param target what it is about
	 * @param who who asked for that, for people to read, or {@code null}
	 * @return what was in force, or {@code null} if nothing was
	 * @throws InvalidRateLimitException if there is no such policy or address, or if it
	 * is configured
	 * @throws RateLimitOverrideException if it was not ended, or if that is not known, as
	 * its {@link RateLimitOverrideException#reason() reason} tells
	 */
	@Nullable InForce remove(Target target, @Nullable String who);

	/**
	 * The intervention that was put in force about a target.
	 * @param target what it is about
	 * @return what is in force, or {@code null} if nothing is
	 * @throws InvalidRateLimitException if there is no such policy or address
	 */
	@Nullable InForce find(Target target);

	/**
	 * All interventions, also those that are configured.
	 * @return what is in force, in no particular order
	 */
	List<InForce> inForce();

	/**
	 * How many requests were exempt or denied since the start.
	 * @param kind which of these; bans are counted as those of the policy are, by
	 * {@link RateLimiter#count(RateLimitOutcome) outcome}
	 * @return requests of addresses, and requests that policies decided on for their keys
	 */
	long requests(Kind kind);

	/**
	 * An intervention that is in force.
	 *
	 * @param intervention the intervention
	 * @param since since when it is in force
	 * @param until when it ends, or {@code null} if it has no end
	 * @param configured whether the configuration says so, and not an operator
	 */
	record InForce(RateLimitIntervention intervention, Instant since, @Nullable Instant until, boolean configured) {

		/**
		 * When it ends, for those who compare it often.
		 * @return nanoseconds since the epoch, or {@link Long#MAX_VALUE} if it has no end
		 */
		public long endNanos() {
			return (this.until != null) ? ChronoUnit.NANOS.between(Instant.EPOCH, this.until) : Long.MAX_VALUE;
		}

	}

}
