package io.github.ratelimit.test.assertj;

import java.time.Duration;

import io.github.ratelimit.RateLimitStanding;
import org.assertj.core.api.AbstractObjectAssert;

/**
 * Assertions about what a key has left, as {@code peek} tells.
 *
 * @since 0.1.0
 */
public final class RateLimitStandingAssert extends AbstractObjectAssert<RateLimitStandingAssert, RateLimitStanding> {

	private RateLimitStandingAssert(RateLimitStanding standing) {
		super(standing, RateLimitStandingAssert.class);
	}

	/**
	 * Begins assertions about a standing, in a test without Spring's test module.
	 * @param standing the standing
	 * @return the assertions
	 * @see RateLimitAssertions#assertThat(RateLimitStanding)
	 */
	public static RateLimitStandingAssert assertThat(RateLimitStanding standing) {
		return new RateLimitStandingAssert(standing);
	}

	/**
	 * Asserts how many requests of one permit would pass now.
	 * @param remaining the number
	 * @return these assertions
	 */
	public RateLimitStandingAssert hasRemaining(long remaining) {
		return check(this.actual.remaining() == remaining, "to have " + remaining + " remaining");
	}

	/**
	 * Asserts when the key has all of its permits again.
	 * @param resetAfter the time, exactly; zero if it has them
	 * @return these assertions
	 */
	public RateLimitStandingAssert hasResetAfter(Duration resetAfter) {
		return check(this.actual.resetAfter().equals(resetAfter), "to be reset after " + resetAfter);
	}

	/**
	 * Asserts when the key has a further permit.
	 * @param nextPermitAfter the time, exactly; zero if it cannot have more
	 * @return these assertions
	 */
	public RateLimitStandingAssert hasNextPermitAfter(Duration nextPermitAfter) {
		return check(this.actual.nextPermitAfter().equals(nextPermitAfter),
				"to have the next permit after " + nextPermitAfter);
	}

	/**
	 * Asserts that the key is banned.
	 * @return these assertions
	 */
	public RateLimitStandingAssert isBanned() {
		return check(this.actual.banned(), "to be banned");
	}

	private RateLimitStandingAssert check(boolean condition, String expected) {
		if (!condition) {
			throw Failed.expected(this.info, "standing", expected, this.actual);
		}
		return this;
	}

}
