package io.github.ratelimit.policy;

import java.time.Instant;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs what operators decide by hand.
 */
final class InterventionLog {

	private static final Log logger = LogFactory.getLog(RateLimiter.class);

	private static final int MAX_REASON_LENGTH = 500;

	private InterventionLog() {
	}

	static void add(InterventionChange change) {
		if (!logger.isInfoEnabled()) {
			return;
		}
		StringBuilder text = new StringBuilder(verb(change)).append(change.subject());
		if (change.who() != null) {
			text.append(" by '").append(ReadableText.of(change.who())).append('\'');
		}
		if (!change.ended()) {
			text.append(end(change));
		}
		logger.info(text);
	}

	private static String verb(InterventionChange change) {
		Kind kind = change.inForce().intervention().target().kind();
		String decided = switch (kind) {
			case DENY -> "Denial of ";
			case EXEMPT -> "Exemption of ";
			case BAN -> "Ban of ";
		};
		return change.ended() ? "Ended: " + decided : decided;
	}

	private static String end(InterventionChange change) {
		Instant until = change.inForce().until();
		String end = (until != null) ? ", until " + until : ", until it is taken back";
		String reason = change.inForce().intervention().reason();
		if (reason == null) {
			return end;
		}
		return end + ", because: " + ReadableText.of(reason, MAX_REASON_LENGTH);
	}

	/**
	 * Logs that interventions were read which another instance has changed.
	 */
	static void read(int inForce) {
		logger.info("Bans, exemptions and denials by hand have ended, or another instance has changed them; "
				+ "in force now: " + inForce);
	}

}
