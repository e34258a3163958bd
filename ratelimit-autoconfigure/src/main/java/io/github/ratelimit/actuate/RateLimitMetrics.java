package io.github.ratelimit.actuate;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongBiFunction;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitListener;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
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
		boolean remote = this.availability.get() != null;
		Set<List<?>> bound = ConcurrentHashMap.newKeySet();
		this.limiters.get().observe((limiter) -> {
			bindOutcomes(limiter, remote, bound, registry);
			bindExpressions(limiter, remote, bound, registry);
			String name = limiter.policy().name();
			if (bound.add(List.of(name))) {
				bindPolicy(limiter, remote, name, registry);
			}
		});
	}

	@Override
	public void onDecision(RateLimitPolicy policy, String key, RateLimitDecision decision, RateLimitOutcome outcome) {
		if (outcome == RateLimitOutcome.DELAYED && policy.mode() == RateLimitMode.ENFORCE) {
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
			count("ratelimit.store.outages", "Number of times that the store of rate limits became unavailable",
					availability, RateLimitStoreAvailability::outages, Tags.empty(), registry);
		}
	}

	private static boolean isEnforced(RateLimiter limiter) {
		return limiter.policy().mode() == RateLimitMode.ENFORCE
				|| limiter instanceof StoreRateLimiter store && store.isEnforced();
	}

	private static long enforced(RateLimiter limiter, RateLimitOutcome outcome) {
		return (limiter instanceof StoreRateLimiter store) ? store.enforced(outcome) : limiter.count(outcome);
	}

	/*
	 * Only what can become other than zero. An override that adds to it is told here.
	 */
	private void bindOutcomes(RateLimiter limiter, boolean remote, Set<List<?>> bound, MeterRegistry registry) {
		String name = limiter.policy().name();
		RateLimitShadow shadow = limiter.shadow();
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			if (isEnforced(limiter) && canBe(outcome, limiter, false, remote)
					&& bound.add(List.of(name, RateLimitMode.ENFORCE, outcome))) {
				bindRequests(limiter, RateLimitMetrics::enforced, outcome, RateLimitMode.ENFORCE, name, registry);
				if (outcome == RateLimitOutcome.DELAYED) {
					this.delays.forEach((delay) -> delay.withTag("policy", name));
				}
			}
			if (shadow != null && canBe(outcome, limiter, true, remote)
					&& bound.add(List.of(name, RateLimitMode.SHADOW, outcome))) {
				bindRequests(shadow, RateLimitShadow::count, outcome, RateLimitMode.SHADOW, name, registry);
			}
		}
		if (shadow != null && remote && bound.add(List.of(name, RateLimitMode.SHADOW))) {
			count("ratelimit.shadow.dropped",
					"Decisions in shadow that were not made, because the store was unavailable or too many were under way",
					shadow, RateLimitShadow::dropped, Tags.of("policy", name), registry);
		}
	}

	/*
	 * Nobody is told of an override that tries a queue in shadow.
	 */
	private static boolean canBe(RateLimitOutcome outcome, RateLimiter limiter, boolean shadow, boolean remote) {
		return switch (outcome) {
			case ALLOWED, REJECTED -> true;
			case BANNED -> limiter.policy().ban() != null;
			case DELAYED -> shadow || delays(limiter);
			case QUEUE_FULL -> !shadow && delays(limiter);
			case UNAVAILABLE -> !shadow && remote;
			case RETURNED -> !shadow;
		};
	}

	private static boolean delays(RateLimiter limiter) {
		return limiter instanceof StoreRateLimiter store && store.isDelaying()
				|| limiter.policy().underAllPlans().stream().anyMatch(RateLimitPolicy::delays);
	}

	private static void bindExpressions(RateLimiter limiter, boolean remote, Set<List<?>> bound,
			MeterRegistry registry) {
		String name = limiter.policy().name();
		for (RateLimitExpression expression : RateLimitExpression.values()) {
			boolean has = !(limiter instanceof StoreRateLimiter store) || store.has(expression);
			if (!has || !bound.add(List.of(name, expression))) {
				continue;
			}
			count("ratelimit.expression.failures",
					"Requests whose key, cost, condition, charge or plan could not be evaluated, and that were limited anyway",
					limiter, (counted) -> counted.failures(expression),
					Tags.of("policy", name, "expression", expression.id()), registry);
			if (expression == RateLimitExpression.CHARGE) {
				bindSettlements(limiter, remote, registry);
			}
			if (expression == RateLimitExpression.PLAN) {
				count("ratelimit.plans.unknown",
						"Times that a caller was said to have a plan that the policy does not have", limiter,
						RateLimiter::unknownPlans, Tags.of("policy", name), registry);
			}
		}
	}

	private static void bindPolicy(RateLimiter limiter, boolean remote, String name, MeterRegistry registry) {
		if (limiter.keys() >= 0) {
			Gauge.builder("ratelimit.keys", limiter, RateLimiter::keys)
				.description("Keys that have a state")
				.tag("policy", name)
				.register(registry);
		}
		count("ratelimit.evictions", "Keys that were evicted while they still counted", limiter, RateLimiter::evictions,
				Tags.of("policy", name), registry);
		if (remote) {
			count("ratelimit.fallbacks", "Decisions made according to on-failure, because the store was unavailable",
					limiter, RateLimiter::fallbacks, Tags.of("policy", name), registry);
		}
	}

	private static void bindSettlements(RateLimiter limiter, boolean remote, MeterRegistry registry) {
		for (RateLimitSettlement settlement : RateLimitSettlement.values()) {
			if (settlement == RateLimitSettlement.FAILED && !remote) {
				continue;
			}
			count("ratelimit.settlements",
					"Requests that were charged by their outcome, by what became of what they had reserved", limiter,
					(counted) -> counted.settlements(settlement),
					Tags.of("policy", limiter.policy().name(), "outcome", settlement.id()), registry);
		}
	}

	private static <T> void bindRequests(T counted, ToLongBiFunction<T, RateLimitOutcome> count,
			RateLimitOutcome outcome, RateLimitMode mode, String policy, MeterRegistry registry) {
		count("ratelimit.requests", "Requests that a policy decided on, by outcome", counted,
				(each) -> count.applyAsLong(each, outcome),
				Tags.of("policy", policy, "outcome", outcome.id(), "mode", mode.id()), registry);
	}

	private static <T> void count(String name, String description, T counted, ToDoubleFunction<T> count, Tags tags,
			MeterRegistry registry) {
		FunctionCounter.builder(name, counted, count).description(description).tags(tags).register(registry);
	}

}
