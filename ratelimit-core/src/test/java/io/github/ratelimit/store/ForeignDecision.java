package io.github.ratelimit.store;

import java.util.List;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import org.mockito.MockMakers;
import org.mockito.Mockito;

import static org.mockito.Mockito.withSettings;

/**
 * A decision of an implementation of a user's own, which knows no receipts.
 *
 * @param allowed whether the request may pass
 * @param remaining what is left
 * @param delayNanos how long to wait
 * @param retryAfterNanos when to come back
 * @param resetAfterNanos when all permits are back
 * @param nextPermitAfterNanos when the next permit is
 * @param limits the limits; none for a decision of one limit
 */
public record ForeignDecision(boolean allowed, long remaining, long delayNanos, long retryAfterNanos,
		long resetAfterNanos, long nextPermitAfterNanos, List<LimitStatus> limits) implements RateLimitDecision {

	/**
	 * Copies what a decision says.
	 * @param decision the decision
	 * @return a decision that says the same, of another class
	 */
	public static ForeignDecision of(RateLimitDecision decision) {
		return new ForeignDecision(decision.allowed(), decision.remaining(), decision.delayNanos(),
				decision.retryAfterNanos(), decision.resetAfterNanos(), decision.nextPermitAfterNanos(),
				(decision.limits().size() > 1) ? decision.limits() : List.of());
	}

	/**
	 * Mocks a decision, without instrumenting its interface: then every later decision in
	 * the same JVM would allocate more, which tests forbid.
	 * @return a mock
	 */
	public static RateLimitDecision mock() {
		return Mockito.mock(RateLimitDecision.class, withSettings().mockMaker(MockMakers.PROXY));
	}

}
