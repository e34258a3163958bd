package io.github.ratelimit.test.assertj;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.assertj.core.api.WritableAssertionInfo;

/**
 * What can be asserted of any response, whichever client received it.
 *
 * @param <SELF> the type of the assertions
 * @since 0.1.0
 */
public sealed interface ResponseAssertions<SELF> permits RateLimitMvcAssert, RateLimitResponseAssert {

	/**
	 * Asserts that a limit rejected the request: that the status is 429.
	 * @return these assertions
	 */
	default SELF isRateLimited() {
		return check(answer().status == 429, "to be rejected by a rate limit, with the status 429");
	}

	/**
	 * Asserts that no limit rejected the request: that the status is neither 429 nor 503.
	 * @return these assertions
	 */
	default SELF isAllowed() {
		return check(answer().status != 429 && answer().status != 503,
				"to be allowed by all rate limits, with another status than 429 and 503");
	}

	/**
	 * Asserts that the request was rejected because its key is banned: that the status is
	 * 429 and the body the problem of a ban.
	 * @return these assertions
	 */
	default SELF isBanned() {
		String type = answer().problemType();
		return check(answer().status == 429 && type != null && type.endsWith("#abnormal-usage-detected"),
				"to be rejected because of a ban, with the status 429 and a problem of the type "
						+ "abnormal-usage-detected");
	}

	/**
	 * Asserts that the request was rejected because the store could not decide: that the
	 * status is 503.
	 * @return these assertions
	 */
	default SELF isUnavailable() {
		return check(answer().status == 503, "to be rejected because the store could not decide, with the status 503");
	}

	/**
	 * Asserts when the client may come back.
	 * @param retryAfter the time, which the field {@code Retry-After} has in whole
	 * seconds, rounded up, and at least 1
	 * @return these assertions
	 */
	default SELF hasRetryAfter(Duration retryAfter) {
		String seconds = String.valueOf(Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds()));
		return check(seconds.equals(answer().field("Retry-After")), "to have the field Retry-After: " + seconds);
	}

	/**
	 * Asserts which limits rejected the request, as the problem in the body says.
	 * @param limits the limits' names towards clients, in any order
	 * @return these assertions
	 */
	default SELF hasViolatedPolicies(String... limits) {
		List<String> violated = answer().violated();
		return check(violated != null && violated.size() == limits.length && violated.containsAll(List.of(limits)),
				"to have exactly these violated-policies in its body: " + List.of(limits));
	}

	/**
	 * Asserts how much remains of a limit, as the field {@code RateLimit} says.
	 * @param limit the limit's name towards clients
	 * @param remaining how many permits remain
	 * @return these assertions
	 */
	default SELF hasRemaining(String limit, long remaining) {
		Map<String, Long> all = answer().remaining();
		return check(Long.valueOf(remaining).equals(all.get(limit)),
				"to have " + remaining + " remaining of \"" + limit + "\" in its field RateLimit");
	}

	@SuppressWarnings("unchecked")
	private SELF check(boolean condition, String expected) {
		if (!condition) {
			throw Failed.expected(getWritableAssertionInfo(), "response", expected, answer());
		}
		return (SELF) this;
	}

	Answer answer();

	WritableAssertionInfo getWritableAssertionInfo();

}
