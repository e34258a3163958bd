package io.github.ratelimit.policy;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import org.slf4j.MDC;

/**
 * What log lines about a decision have beside their text, for logs that are searched by
 * fields: the policy, its mode and the outcome, in the mapped diagnostic context of SLF4J
 * if that is there.
 */
final class LogContext {

	private static final boolean PRESENT = isPresent();

	private LogContext() {
	}

	private static boolean isPresent() {
		try {
			Class.forName("org.slf4j.MDC", false, LogContext.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

	/**
	 * Runs what logs a line, while the context has the fields of a decision.
	 * @param policy the policy that has decided
	 * @param decision the decision
	 * @param line logs a line
	 */
	static void log(RateLimitPolicy policy, RateLimitDecision decision, Runnable line) {
		if (PRESENT) {
			Diagnostic.log(policy, decision, line);
		}
		else {
			line.run();
		}
	}

	private static final class Diagnostic {

		@SuppressWarnings("try")
		static void log(RateLimitPolicy policy, RateLimitDecision decision, Runnable line) {
			try (MDC.MDCCloseable name = MDC.putCloseable("ratelimit.policy", policy.name());
					MDC.MDCCloseable mode = MDC.putCloseable("ratelimit.mode", policy.mode().id());
					MDC.MDCCloseable outcome = MDC.putCloseable("ratelimit.outcome", decision.outcome().id())) {
				line.run();
			}
		}

	}

}
