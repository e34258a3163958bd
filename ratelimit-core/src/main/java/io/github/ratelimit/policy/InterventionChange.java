package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * A change that this instance has made to an intervention, for those who keep records.
 *
 * @param inForce what is in force, or, if it was ended, what was
 * @param ended whether it was ended
 * @param who the name of whoever asked for it, or {@code null} if it is not known
 * @since 0.1.0
 */
public record InterventionChange(RateLimitInterventions.InForce inForce, boolean ended, @Nullable String who) {

	/**
	 * What it is about, for people to read. A key may be a name or an address, so that
	 * its hash stands for it, as in the log of rejections. An address is written as it
	 * is, because a hash of a range would tell nothing.
	 * @return the end of a sentence, such as {@code the address 192.0.2.0/24}
	 */
	public String subject() {
		RateLimitIntervention.Target target = this.inForce.intervention().target();
		if (target.key() == null) {
			return "the address " + ReadableText.of(String.valueOf(target.address()));
		}
		return "the key with the hash " + RejectionLog.hash(target.key()) + " of the rate limit policy '"
				+ target.policy() + "'";
	}

}
