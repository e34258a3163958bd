package io.github.ratelimit.redis;

import java.time.Duration;

/**
 * What callers notice of a fault.
 */
enum FaultEffect {

	/** All decide without the servers, until somebody has found that these are well. */
	OUTAGE(250, 700, 2000),

	/** Some decide without the servers. */
	SOME(250, 400, 2000),

	/** Only requests that have waited for the servers are decided without them. */
	BRIEF(250, 400, 500),

	/** Nothing, if they wait for long enough. */
	NONE(10_000, 400, 0);

	private final Duration timeout;

	private final Duration hold;

	private final Duration back;

	FaultEffect(long timeoutMillis, long holdMillis, long backMillis) {
		this.timeout = Duration.ofMillis(timeoutMillis);
		this.hold = Duration.ofMillis(holdMillis);
		this.back = Duration.ofMillis(backMillis);
	}

	/**
	 * How long decisions wait for an answer.
	 */
	Duration timeout() {
		return this.timeout;
	}

	/**
	 * How long the fault is to last: of an outage, until few ask any more.
	 */
	Duration hold() {
		return this.hold;
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
