package io.github.ratelimit.redis;

import java.time.Duration;

/**
 * What callers notice of a fault.
 */
enum FaultEffect {

	/** All decide without the servers, until somebody has found that these are well. */
	OUTAGE(250, 2000),

	/** Some decide without the servers. */
	SOME(250, 2000),

	/** Those decide without the servers who have waited for them, and nobody after. */
	BRIEF(250, 500),

	/** Nothing, if they wait for long enough. */
	NONE(10_000, 0);

	private final Duration timeout;

	private final Duration back;

	FaultEffect(long timeoutMillis, long backMillis) {
		this.timeout = Duration.ofMillis(timeoutMillis);
		this.back = Duration.ofMillis(backMillis);
	}

	/**
	 * How long decisions wait for an answer.
	 */
	Duration timeout() {
		return this.timeout;
	}

	void check(FaultReport report) {
		if (this == NONE) {
			report.checkNotNoticed();
		}
		else {
			report.checkBackWithin(this.back);
		}
		if (this == OUTAGE || this == BRIEF) {
			report.checkNoticed();
		}
	}

}
