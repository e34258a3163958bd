package io.github.ratelimit.redis;

import org.jspecify.annotations.Nullable;

/**
 * An answer to a caller.
 *
 * @param question what was asked
 * @param begin when it was asked, in nanoseconds
 * @param end when it was answered
 * @param runDelay how long the caller could have run meanwhile and had no processor
 * @param allowed whether the request may pass
 * @param fallback whether something else decided than the servers
 * @param failure what was thrown in place of an answer
 */
record FaultAnswer(FaultQuestion question, long begin, long end, long runDelay, boolean allowed, boolean fallback,
		@Nullable Throwable failure) {

	long nanos() {
		return this.end - this.begin;
	}

}
