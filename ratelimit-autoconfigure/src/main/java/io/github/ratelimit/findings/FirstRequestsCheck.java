package io.github.ratelimit.findings;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Watches the first hundred requests for something that should work in at least one of
 * them. Afterwards it only reads a number. Requests that may be probes of the platform
 * can be left out.
 *
 * @since 0.1.0
 */
public final class FirstRequestsCheck {

	private static final int REQUESTS = 100;

	/* Probes that come every few seconds take some hours for so many. */
	private static final int MAX_INCONCLUSIVE_REQUESTS = 10_000;

	/* It is so far below zero that no counting leads back. */
	private static final int OVER = Integer.MIN_VALUE;

	/* Browsers, bodies and proxies make clients send these fields, and probes do not. */
	private static final List<String> FIELDS_OF_CLIENTS = List.of("Content-Type", "Accept-Language", "Authorization",
			"Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Referer", "Origin", "traceparent");

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicInteger inconclusive = new AtomicInteger();

	/**
	 * Records a request. One that may be a probe of the platform, such as one that asks
	 * for the application's health, says nothing about what clients send.
	 * @param worked whether it worked in this one
	 * @param conclusive whether this one cannot be a probe
	 * @return {@code true} once: for the last of the first hundred conclusive requests,
	 * if it worked in none
	 */
	public boolean record(boolean worked, boolean conclusive) {
		if (isOver()) {
			return false;
		}
		if (worked) {
			end();
			return false;
		}
		if (!conclusive) {
			if (this.inconclusive.incrementAndGet() >= MAX_INCONCLUSIVE_REQUESTS) {
				end();
			}
			return false;
		}

		boolean failed = this.failures.incrementAndGet() == REQUESTS;
		if (failed) {
			end();
		}
		return failed;
	}

	private void end() {
		this.failures.set(OVER);
	}

	/**
	 * Whether further requests make no difference.
	 * @return {@code true} if nothing need be noted any longer
	 */
	public boolean isOver() {
		return this.failures.get() < 0;
	}

	/**
	 * Whether a request has a header field that platforms do not send when they probe an
	 * application.
	 * @param hasField whether it has the field of a name
	 * @return {@code false} if it may be a probe
	 */
	public static boolean isOfClient(Predicate<String> hasField) {
		return FIELDS_OF_CLIENTS.stream().anyMatch(hasField);
	}

}
