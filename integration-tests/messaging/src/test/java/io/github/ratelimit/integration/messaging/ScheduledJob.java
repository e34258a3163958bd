package io.github.ratelimit.integration.messaging;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * A job that may run twice.
 */
class ScheduledJob {

	private final Calls calls;

	ScheduledJob(Calls calls) {
		this.calls = calls;
	}

	@RateLimited(name = "scheduled", limit = 2, window = "1d")
	@Scheduled(fixedDelay = 10)
	void run() {
		this.calls.add("scheduled");
	}

}
