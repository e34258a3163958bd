package io.github.ratelimit.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the metrics of rate limits, whose names begin with {@code ratelimit}. All but
 * {@code ratelimit.delay} are read from what policies, waiting room and store count
 * anyway, and only delayed requests are timed, so that metrics cost other requests
 * nothing.
 *
 * @since 0.1.0
 */
public final class RateLimitMetrics implements RateLimitListener, MeterBinder {

	private final List<MeterProvider<Timer>> delays = new CopyOnWriteArrayList<>();

	private final Supplier<RateLimiterRegistry> limiters;

	private final WaitingRoom room;

	private final Supplier<@Nullable RateLimitStoreAvailability> availability;

	/**
	 * Creates the metrics.
	 * @param limiters supplies the policies to publish, including those that are
	 * registered later; not called before meters are bound, because the limiters notify
	 * this listener
	 * @param room where requests and calls wait
	 * @param availability supplies the state of a store that can be unavailable, or
	 * {@code null}
	 */
	public RateLimitMetrics(Supplier<RateLimiterRegistry> limiters, WaitingRoom room,
			Supplier<@Nullable RateLimitStoreAvailability> availability) {
		this.limiters = limiters;
		this.room = room;
		this.availability = availability;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		bindDelay(registry);
		bindWaiting(registry);
		bindAvailability(registry);
		this.limiters.get().observe((limiter) -> bindPolicy(limiter, registry));
	}

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		if (outcome == RateLimitOutcome.DELAYED) {
			for (MeterProvider<Timer> delay : this.delays) {
				delay.withTag("policy", policy.name()).record(decision.delay());
			}
		}
	}

	private void bindDelay(MeterRegistry registry) {
		this.delays.add(Timer.builder("ratelimit.delay")
			.description("Time for which delayed requests have to wait")
			.withRegistry(registry));
	}

	private void bindWaiting(MeterRegistry registry) {
		Gauge.builder("ratelimit.waiting", this.room, WaitingRoom::waiting)
			.description("Requests and calls that are waiting without a thread")
			.register(registry);
		Gauge.builder("ratelimit.waiting.maximum", this.room, WaitingRoom::maximum)
			.description("Maximum number of requests and calls that may wait without a thread")
			.register(registry);
	}

	private void bindAvailability(MeterRegistry registry) {
		RateLimitStoreAvailability availability = this.availability.get();
		if (availability != null) {
			Gauge.builder("ratelimit.store.available", availability, (store) -> store.isAvailable() ? 1 : 0)
				.description("Whether the store of rate limits is available, 1 or 0")
				.register(registry);
			FunctionCounter.builder("ratelimit.store.outages", availability, RateLimitStoreAvailability::outages)
				.description("Number of times that the store of rate limits became unavailable")
				.register(registry);
		}
	}

	private static void bindPolicy(RateLimiter limiter, MeterRegistry registry) {
		String name = limiter.policy().name();
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			FunctionCounter.builder("ratelimit.requests", limiter, (counted) -> counted.count(outcome))
				.description("Requests that a policy decided on, by outcome")
				.tag("policy", name)
				.tag("outcome", outcome.id())
				.register(registry);
		}
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			FunctionCounter.builder("ratelimit.expression.failures", limiter, (counted) -> counted.failures(expression))
				.description(
						"Requests whose key, cost or condition could not be evaluated, and that were limited anyway")
				.tag("policy", name)
				.tag("expression", expression.id())
				.register(registry);
		}
		Gauge.builder("ratelimit.keys", limiter, RateLimitMetrics::keys)
			.description("Keys that have a state")
			.tag("policy", name)
			.register(registry);
		FunctionCounter.builder("ratelimit.evictions", limiter, RateLimiter::evictions)
			.description("Keys that were evicted while they still counted")
			.tag("policy", name)
			.register(registry);
		FunctionCounter.builder("ratelimit.fallbacks", limiter, RateLimiter::fallbacks)
			.description("Decisions made according to on-failure, because the store was unavailable")
			.tag("policy", name)
			.register(registry);
	}

	private static double keys(RateLimiter limiter) {
		long keys = limiter.keys();
		return (keys >= 0) ? keys : Double.NaN;
	}

}
