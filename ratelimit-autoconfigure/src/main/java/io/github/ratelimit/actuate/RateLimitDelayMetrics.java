package io.github.ratelimit.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Publishes how long requests are told to wait: {@code ratelimit.delay}. Requests that
 * need not wait are not in it, and pay nothing for it.
 */
public final class RateLimitDelayMetrics implements RateLimitListener, MeterBinder {

	private final List<MeterProvider<Timer>> timers = new CopyOnWriteArrayList<>();

	@Override
	public void bindTo(MeterRegistry registry) {
		this.timers.add(Timer.builder("ratelimit.delay")
			.description("How long delayed requests were told to wait")
			.withRegistry(registry));
	}

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		if (outcome == RateLimitOutcome.DELAYED) {
			for (MeterProvider<Timer> timer : this.timers) {
				timer.withTag("policy", policy.name()).record(decision.delay());
			}
		}
	}

}
