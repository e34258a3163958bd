package io.github.ratelimit.actuate;

import io.github.ratelimit.enforce.WaitingRoom;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes how many wait, and how many may: {@code ratelimit.waiting} and
 * {@code ratelimit.waiting.maximum}.
 */
public final class RateLimitWaitingMetrics implements MeterBinder {

	private final WaitingRoom room;

	/**
	 * Creates the binder.
	 * @param room where requests and calls wait
	 */
	public RateLimitWaitingMetrics(WaitingRoom room) {
		this.room = room;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("ratelimit.waiting", this.room, WaitingRoom::waiting)
			.description("Requests and calls that wait without a thread")
			.register(registry);
		Gauge.builder("ratelimit.waiting.maximum", this.room, WaitingRoom::maximum)
			.description("How many requests and calls may wait without a thread")
			.register(registry);
	}

}
