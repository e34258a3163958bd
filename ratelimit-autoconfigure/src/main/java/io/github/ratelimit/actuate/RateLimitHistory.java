package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.actuate.PolicyHistory.Shown;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Keeps what every policy decided in the last ten minutes, in steps of five seconds, and
 * in the last hour by the minute. It is read from what policies count anyway, so that it
 * costs decisions nothing.
 */
final class RateLimitHistory {

	/** The length of each step, after which {@link #record} is to be called again. */
	static final Duration STEP = Duration.ofSeconds(5);

	private static final int STEPS_OF_A_MINUTE = 12;

	private static final int MAX_STEPS = PolicyHistory.MINUTES * STEPS_OF_A_MINUTE;

	private final Map<String, PolicyHistory> policies = new TreeMap<>();

	private final StoreRateLimiterRegistry registry;

	private final RateLimitClock clock;

	private final Supplier<String> instance;

	private long end;

	/* How many steps have ended. */
	private long steps;

	/**
	 * Creates the history, which begins now.
	 * @param registry has the limiters whose counters are read
	 * @param clock the time of the steps
	 * @param instance gives the name of this instance, whose history it is
	 */
	RateLimitHistory(StoreRateLimiterRegistry registry, RateLimitClock clock, Supplier<String> instance) {
		this.registry = registry;
		this.clock = RateLimitClock.monotonic(clock);
		this.instance = instance;
		this.end = this.clock.nanos();
	}

	/**
	 * Ends a step, or as many as have passed. A call that comes up to half a step early
	 * or late counts as punctual.
	 */
	synchronized void record() {
		long step = STEP.toNanos();
		long passed = Math.floorDiv(this.clock.nanos() - this.end + step / 2, step);
		if (passed < 1) {
			return;
		}

		this.end += passed * step;
		this.steps += passed;
		for (StoreRateLimiter limiter : this.registry.policies()) {
			PolicyHistory history = this.policies.computeIfAbsent(limiter.policy().name(),
					(name) -> new PolicyHistory());
			record(limiter, history, Math.min(passed, MAX_STEPS));
		}
	}

	/* Nothing is known of all steps but the last. */
	private void record(StoreRateLimiter limiter, PolicyHistory history, long passed) {
		for (long step = this.steps - passed + 1; step <= this.steps; step++) {
			if (step < this.steps) {
				history.skip();
			}
			else {
				history.add(limiter);
			}
			if (step % STEPS_OF_A_MINUTE == 0) {
				history.endMinute();
			}
		}
	}

	synchronized HistoryDescriptor find(String policy) {
		PolicyHistory history = this.policies.getOrDefault(policy, new PolicyHistory());
		return new HistoryDescriptor(this.instance.get(), policy, STEP.toSecondsPart(),
				Instant.EPOCH.plusNanos(this.end),
				new HistoryDescriptor.RequestsDescriptor(history.steps(Shown.ALLOWED), history.steps(Shown.DELAYED),
						history.steps(Shown.REJECTED), history.steps(Shown.WOULD_BE_REJECTED)));
	}

	/**
	 * What became of the requests of a policy in the last ten minutes, until the last
	 * step has ended.
	 * @param policy the policy's name
	 * @return the number of requests by outcome, and {@code wouldBeRejected}; or
	 * {@code null} if no step has ended since the policy is there
	 */
	synchronized @Nullable Map<String, Long> recent(String policy) {
		PolicyHistory history = this.policies.get(policy);
		return (history != null) ? history.recent() : null;
	}

	/**
	 * What all policies decided in the last hour, in as fine steps as a small answer has
	 * room for.
	 */
	synchronized HourDescriptor hour() {
		int minutes = (int) Math.min(this.steps / STEPS_OF_A_MINUTE, PolicyHistory.MINUTES);
		Instant end = Instant.EPOCH.plusNanos(this.end - this.steps % STEPS_OF_A_MINUTE * STEP.toNanos());
		return HourDescriptor.of(this.instance.get(), end, minutes, this.policies);
	}

	/**
	 * Description of what a policy decided lately.
	 *
	 * @param instance the name of the instance that decided
	 * @param policy the policy's name
	 * @param step the length of each step in seconds
	 * @param end when the last step ended
	 * @param requests the requests in each step, oldest first
	 */
	record HistoryDescriptor(String instance, String policy, int step, Instant end,
			RequestsDescriptor requests) implements OperationResponseBody {

		/**
		 * Description of requests by what became of them.
		 *
		 * @param allowed passed at once; also all that were only decided on in shadow
		 * @param delayed passed after waiting
		 * @param rejected rejected, for whatever reason
		 * @param wouldBeRejected would have been rejected by what is tried in shadow
		 */
		record RequestsDescriptor(int[] allowed, int[] delayed, int[] rejected, int[] wouldBeRejected) {
		}

	}

}
