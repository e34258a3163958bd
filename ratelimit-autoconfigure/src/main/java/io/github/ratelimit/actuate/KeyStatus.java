package io.github.ratelimit.actuate;

import java.time.Duration;

import io.github.ratelimit.LimitStatus;

/**
 * What is left, and when there is more.
 *
 * @param remaining how many requests of one permit would pass now
 * @param nextPermitAfter the time until {@code remaining} next grows; zero if it cannot
 * @param resetAfter the time until the key is as good as new; zero if it is
 */
public record KeyStatus(long remaining, Duration nextPermitAfter, Duration resetAfter) {

	static KeyStatus of(LimitStatus look) {
		return new KeyStatus(look.remaining(), look.nextPermitAfter(), look.resetAfter());
	}

}
