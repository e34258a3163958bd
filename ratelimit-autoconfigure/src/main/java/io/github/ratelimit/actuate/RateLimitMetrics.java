package io.github.ratelimit.actuate;

import java.util.function.ToDoubleFunction;
import java.util.function.ToLongBiFunction;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
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
 */
final class RateLimitMetrics implements MeterBinder {

	private static final String EXEMPT = "ratelimit.exempt";

	private static final String EXEMPT_DESCRIPTION = "Requests that passed because their address or key is exempt";

	private static final String DENIED = "ratelimit.denied";

	private static final String DENIED_DESCRIPTION = "Requests that were rejected because their address or key is denied";

	/* Tags of requests whose address is exempt or denied, whatever the policies are. */
	private static final Tags OF_ADDRESSES = Tags.of("policy", "*", "by", "address");

	private final StoreRateLimiterRegistry registry;

	private final WaitingRoom room;

	private final RateLimitFindings findings;

	private final @Nullable RateLimitStoreAvailability availability;

	/**
	 * Creates the metrics.
	 * @param registry has the policies to publish, including those that are registered
	 * later
	 * @param room where requests and calls wait
	 * @param findings has what is found, also later
	 * @param availability the state of a store that can be unavailable, or {@code null}
	 */
	RateLimitMetrics(StoreRateLimiterRegistry registry, WaitingRoom room, RateLimitFindings findings,
			@Nullable RateLimitStoreAvailability availability) {
		this.registry = registry;
		this.room = room;
		this.findings = findings;
		this.availability = availability;
	}

	@Override
	public void bindTo(MeterRegistry meters) {
		gauge("ratelimit.waiting", "Requests and calls that are waiting without a thread", this.room,
				WaitingRoom::waiting, Tags.empty(), meters);
		gauge("ratelimit.waiting.maximum", "Maximum number of requests and calls that may wait without a thread",
				this.room, WaitingRoom::maximum, Tags.empty(), meters);

		RateLimitStoreAvailability availability = this.availability;
		if (availability != null) {
			gauge("ratelimit.store.available", "Whether the store of rate limits is available, 1 or 0", availability,
					(store) -> store.isAvailable() ? 1 : 0, Tags.empty(), meters);
			count("ratelimit.store.outages", "Number of times that the store of rate limits became unavailable",
					availability, RateLimitStoreAvailability::outages, Tags.empty(), meters);
		}

		this.findings.observe((code) -> bindFindings(code, meters));
		this.registry.observeAddresses(() -> bindAddresses(meters));
		this.registry.observe((limiter) -> bind(StoreRateLimiter.of(limiter), availability != null, meters));
	}

	private void bindAddresses(MeterRegistry meters) {
		count(EXEMPT, EXEMPT_DESCRIPTION, this.registry, (counted) -> counted.addressRequests(Kind.EXEMPT),
				OF_ADDRESSES, meters);
		count(DENIED, DENIED_DESCRIPTION, this.registry, (counted) -> counted.addressRequests(Kind.DENY), OF_ADDRESSES,
				meters);
	}

	private void bindFindings(FindingCode code, MeterRegistry meters) {
		String level = code.isWarning() ? "warning" : "info";
		gauge("ratelimit.findings", "What is configured and does nothing, or not what it seems", this.findings,
				(findings) -> findings.count(code), Tags.of("code", code.id(), "level", level), meters);
	}

	/*
	 * Binds only what can become other than zero. It is called again when another use of
	 * the policy or an override adds to that: a meter that is there already stays.
	 */
	private void bind(StoreRateLimiter limiter, boolean remote, MeterRegistry meters) {
		Tags policy = Tags.of("policy", limiter.policy().name());
		if (limiter.hasEnforced()) {
			bindEnforced(limiter, remote, policy, meters);
		}
		if (limiter.hasInformed()) {
			bindInforming(limiter, remote, policy, meters);
		}
		bindInterventions(limiter, policy, meters);
		RateLimitShadow shadow = limiter.shadow();
		if (shadow != null) {
			bindShadow(shadow, limiter, remote, policy, meters);
		}

		for (RateLimitExpression expression : RateLimitExpression.values()) {
			if (limiter.has(expression)) {
				bindExpression(expression, limiter, remote, policy, meters);
			}
		}

		for (int share : limiter.policy().warnAt()) {
			count("ratelimit.thresholds", "Times that a key has used a share of a limit of which its policy warns",
					limiter, (counted) -> counted.countThresholds(share), policy.and("share", share + "%"), meters);
		}
		bindKeys(limiter, policy, meters);
		if (remote) {
			count("ratelimit.fallbacks", "Decisions made according to on-failure, because the store was unavailable",
					limiter, RateLimiter::fallbacks, policy, meters);
		}
	}

	private static void bindEnforced(StoreRateLimiter limiter, boolean remote, Tags policy, MeterRegistry meters) {
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			if (canBeEnforced(outcome, limiter, remote)) {
				bindRequests(limiter, StoreRateLimiter::countEnforced, outcome, RateLimitMode.ENFORCE, policy, meters);
			}
		}

		if (canBeEnforced(RateLimitOutcome.DELAYED, limiter, remote)) {
			Timer delays = Timer.builder("ratelimit.delay")
				.description("Time for which delayed requests have to wait")
				.tags(policy)
				.register(meters);
			limiter.observeDelays(meters, delays::record);
		}
	}

	private static void bindInforming(StoreRateLimiter limiter, boolean remote, Tags policy, MeterRegistry meters) {
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			if (canBeInformed(outcome, remote)) {
				bindRequests(limiter, StoreRateLimiter::countInformed, outcome, RateLimitMode.INFORM, policy, meters);
			}
		}
	}

	private static void bindShadow(RateLimitShadow shadow, StoreRateLimiter limiter, boolean remote, Tags policy,
			MeterRegistry meters) {
		for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
			if (canBeInShadow(outcome, limiter)) {
				bindRequests(shadow, RateLimitShadow::count, outcome, RateLimitMode.SHADOW, policy, meters);
			}
		}

		if (remote) {
			count("ratelimit.shadow.dropped",
					"Decisions in shadow that were not made, because the store was unavailable or too many were under way",
					shadow, RateLimitShadow::dropped, policy, meters);
		}
	}

	private static void bindInterventions(StoreRateLimiter limiter, Tags policy, MeterRegistry meters) {
		if (limiter.isIntervening(Kind.BAN)) {
			bindRequests(limiter, StoreRateLimiter::countEnforced, RateLimitOutcome.BANNED, RateLimitMode.ENFORCE,
					policy, meters);
		}
		Tags ofKeys = policy.and("by", "key");
		if (limiter.isIntervening(Kind.EXEMPT)) {
			count(EXEMPT, EXEMPT_DESCRIPTION, limiter, (counted) -> counted.intervened(Kind.EXEMPT), ofKeys, meters);
		}
		if (limiter.isIntervening(Kind.DENY)) {
			count(DENIED, DENIED_DESCRIPTION, limiter, (counted) -> counted.intervened(Kind.DENY), ofKeys, meters);
		}
	}

	private static void bindKeys(StoreRateLimiter limiter, Tags policy, MeterRegistry meters) {
		if (limiter.keys() >= 0) {
			gauge("ratelimit.keys", "Keys that have a state", limiter, RateLimiter::keys, policy, meters);
		}
		count("ratelimit.evictions", "Keys that were evicted while they still counted", limiter, RateLimiter::evictions,
				policy, meters);
	}

	private static boolean canBeEnforced(RateLimitOutcome outcome, StoreRateLimiter limiter, boolean remote) {
		return switch (outcome) {
			case ALLOWED, REJECTED, RETURNED -> true;
			case BANNED -> limiter.policy().ban() != null;
			case DELAYED, QUEUE_FULL -> limiter.isDelaying();
			case UNAVAILABLE -> remote;
			case EXCEEDED -> false;
		};
	}

	private static boolean canBeInformed(RateLimitOutcome outcome, boolean remote) {
		return switch (outcome) {
			case ALLOWED, RETURNED, EXCEEDED -> true;
			case UNAVAILABLE -> remote;
			case REJECTED, BANNED, DELAYED, QUEUE_FULL -> false;
		};
	}

	/*
	 * An override may try a queue in shadow without binding anything again, so that
	 * delays in shadow are always bound.
	 */
	private static boolean canBeInShadow(RateLimitOutcome outcome, StoreRateLimiter limiter) {
		return switch (outcome) {
			case ALLOWED, REJECTED, DELAYED -> true;
			case BANNED -> limiter.policy().ban() != null;
			case QUEUE_FULL, UNAVAILABLE, RETURNED, EXCEEDED -> false;
		};
	}

	private static void bindExpression(RateLimitExpression expression, StoreRateLimiter limiter, boolean remote,
			Tags policy, MeterRegistry meters) {
		count("ratelimit.expression.failures",
				"Requests whose key, cost, condition, charge or plan could not be evaluated, and that were limited anyway",
				limiter, (counted) -> counted.failures(expression), policy.and("expression", expression.id()), meters);
		if (expression == RateLimitExpression.PLAN) {
			count("ratelimit.plans.unknown",
					"Times that a caller was said to have a plan that the policy does not have", limiter,
					RateLimiter::unknownPlans, policy, meters);
		}
		if (expression == RateLimitExpression.CHARGE) {
			bindSettlements(limiter, remote, policy, meters);
		}
	}

	private static void bindSettlements(StoreRateLimiter limiter, boolean remote, Tags policy, MeterRegistry meters) {
		for (RateLimitSettlement settlement : RateLimitSettlement.values()) {
			if (settlement != RateLimitSettlement.FAILED || remote) {
				count("ratelimit.settlements",
						"Requests that were charged by their outcome, by what became of what they had reserved",
						limiter, (counted) -> counted.settlements(settlement), policy.and("outcome", settlement.id()),
						meters);
			}
		}
	}

	private static <T> void bindRequests(T counted, ToLongBiFunction<T, RateLimitOutcome> count,
			RateLimitOutcome outcome, RateLimitMode mode, Tags policy, MeterRegistry meters) {
		count("ratelimit.requests", "Requests that a policy decided on, by outcome", counted,
				(each) -> count.applyAsLong(each, outcome), policy.and("outcome", outcome.id(), "mode", mode.id()),
				meters);
	}

	private static <T> void count(String name, String description, T counted, ToDoubleFunction<T> count, Tags tags,
			MeterRegistry meters) {
		if (!isThere(name, tags, meters)) {
			FunctionCounter.builder(name, counted, count).description(description).tags(tags).register(meters);
		}
	}

	private static <T> void gauge(String name, String description, T gauged, ToDoubleFunction<T> value, Tags tags,
			MeterRegistry meters) {
		if (!isThere(name, tags, meters)) {
			Gauge.builder(name, gauged, value).description(description).tags(tags).register(meters);
		}
	}

	/* Micrometer warns of a meter that is registered again. */
	private static boolean isThere(String name, Tags tags, MeterRegistry meters) {
		return meters.find(name).tags(tags).meter() != null;
	}

}
