package io.github.ratelimit.actuate;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;

/**
 * A mistake in an object that was sent.
 *
 * @param path where it is, such as {@code $.limits[0].countRejected}
 * @param member the member that is wrong, by the names that properties have, such as
 * {@code limits[0].count-rejected}
 * @param value the value of the member, or {@code null} if that does not matter
 * @param reason why it is wrong, as the end of a sentence that begins with the member and
 * its value
 * @param action what to send instead, as a sentence
 */
record Mistake(String path, String member, @Nullable String value, String reason, String action) {

	static Mistake of(InvalidRateLimitException mistake, String path) {
		return new Mistake(path, mistake.attribute(), mistake.value(), mistake.reason(), mistake.action());
	}

	/**
	 * Creates the exception that tells of it.
	 * @param title what kind of problem it is
	 */
	InvalidOperationException exception(String title) {
		StringBuilder detail = new StringBuilder("The member '").append(this.member).append("'");
		if (this.value != null) {
			detail.append(" with the value '").append(this.value).append("'");
		}
		detail.append(" ").append(this.reason).append(".");
		return new InvalidOperationException(title, 400, detail.toString(), this.action, this.path, null);
	}

}
