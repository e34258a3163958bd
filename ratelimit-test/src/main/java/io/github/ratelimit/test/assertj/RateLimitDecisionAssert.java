package io.github.ratelimit.test.assertj;

import java.time.Duration;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import org.assertj.core.api.AbstractObjectAssert;

/**
 * Assertions about a decision.
 *
 * @since 0.1.0
 */
public final class RateLimitDecisionAssert extends AbstractObjectAssert<RateLimitDecisionAssert, RateLimitDecision> {

	private RateLimitDecisionAssert(RateLimitDecision decision) {
		super(decision, RateLimitDecisionAssert.class);
	}

	/**
	 * Begins assertions about a decision, in a test without Spring's test module.
	 * @param decision the decision
	 * @return the assertions
	 * @see RateLimitAssertions#assertThat(RateLimitDecision)
	 */
	public static RateLimitDecisionAssert assertThat(RateLimitDecision decision) {
		return new RateLimitDecisionAssert(decision);
	}

	/**
	 * Asserts that the request may pass, at once or after a delay.
	 * @return these assertions
	 */
	public RateLimitDecisionAssert isAllowed() {
		return check(this.actual.allowed(), "to allow the request");
	}

	/**
	 * Asserts that a limit or a ban rejected the request, and not a store that could not
	 * decide.
	 * @return these assertions
	 */
	public RateLimitDecisionAssert isRateLimited() {
		return check(!this.actual.allowed() && !this.actual.unavailable(), "to reject the request");
	}

	/**
	 * Asserts that the request passes only because its policy informs and does not
	 * reject.
	 * @return these assertions
	 */
	public RateLimitDecisionAssert isExceeded() {
		return check(this.actual.exceeded(), "to let the request pass although the limit was exceeded");
	}

	/**
	 * Asserts that the request was rejected because its key is banned.
	 * @return these assertions
	 */
	public RateLimitDecisionAssert isBanned() {
		return check(this.actual.banned(), "to reject the request because of a ban");
	}

	/**
	 * Asserts that the request was rejected because the store could not decide.
	 * @return these assertions
	 */
	public RateLimitDecisionAssert isUnavailable() {
		return check(this.actual.unavailable(), "to reject the request because the store could not decide");
	}

	/**
	 * Asserts the outcome.
	 * @param outcome what became of the request
	 * @return these assertions
	 */
	public RateLimitDecisionAssert hasOutcome(RateLimitOutcome outcome) {
		return check(this.actual.outcome() == outcome, "to have the outcome " + outcome);
	}

	/**
	 * Asserts how long an allowed request must wait first.
	 * @param delay the delay; zero for none
	 * @return these assertions
	 */
	public RateLimitDecisionAssert hasDelay(Duration delay) {
		return check(this.actual.delay().equals(delay), "to have the delay " + delay);
	}

	/**
	 * Asserts when the same request would pass.
	 * @param retryAfter the time, exactly
	 * @return these assertions
	 */
	public RateLimitDecisionAssert hasRetryAfter(Duration retryAfter) {
		return check(retryAfter.equals(this.actual.retryAfter()), "to have the retry time " + retryAfter);
	}

	/**
	 * Asserts how many requests of one permit would pass now.
	 * @param remaining the number
	 * @return these assertions
	 */
	public RateLimitDecisionAssert hasRemaining(long remaining) {
		return check(this.actual.remaining() == remaining, "to have " + remaining + " remaining");
	}

	private RateLimitDecisionAssert check(boolean condition, String expected) {
		if (!condition) {
			throw Failed.expected(this.info, "decision", expected, this.actual);
		}
		return this;
	}

}
