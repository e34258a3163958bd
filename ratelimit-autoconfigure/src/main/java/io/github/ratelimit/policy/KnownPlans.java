package io.github.ratelimit.policy;

import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which plan of a policy each key was last said to have. What is known outlives changes
 * of the policy.
 */
final class KnownPlans {

	private static final Log logger = LogFactory.getLog(RateLimitPlanResolver.class);

	private final LongAdder unknown = new LongAdder();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final Supplier<RateLimitPolicy> policy;

	private final PlanMemory memory;

	private final PlanQuestions questions;

	private final RateLimitClock clock;

	private final long refresh;

	private final long timeout;

	/**
	 * Creates a memory of no key.
	 * @param policy the policy, as it is at present
	 * @param reports counts what fails
	 * @param settings how it is found out which plans callers have
	 */
	KnownPlans(Supplier<RateLimitPolicy> policy, DecisionReports reports, PlanSettings settings) {
		this.policy = policy;
		this.memory = new PlanMemory(settings.maximumSize());
		this.questions = new PlanQuestions(policy, reports, settings);
		this.clock = settings.clock();
		this.refresh = settings.refresh().toNanos();
		this.timeout = settings.timeout().toNanos();
	}

	/**
	 * The plan that a key has, as it was last told. If that is long ago, it is asked for
	 * anew meanwhile. A key whose plan was never told waits for it, but not for long.
	 * @param key the key
	 * @param question the question of the call, if there is one
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String of(String key, @Nullable PlanQuestion question) {
		PlanAnswer answer = this.memory.find(key);
		if (answer != null && answer.isFresh(this.clock.coarseNanos(), this.refresh)) {
			return answer.plan();
		}
		if (this.questions.canAsk(question)) {
			boolean first = answer == null;
			answer = (answer != null) ? answer : this.memory.add(key);
			ask(answer, first, key, question);
			answer.await(this.timeout);
		}
		return (answer != null) ? answer.plan() : null;
	}

	/**
	 * The plan that a key had when it was last told. Nothing is asked.
	 */
	@Nullable String last(String key) {
		PlanAnswer answer = this.memory.find(key);
		return (answer != null) ? answer.plan() : null;
	}

	private void ask(PlanAnswer answer, boolean first, String key, @Nullable PlanQuestion question) {
		long now = this.clock.coarseNanos();
		this.questions.notice(now);
		if (answer.begin(now, this.refresh) && !this.questions.ask(key, question, first,
				(plan) -> answer.know(named(plan)), () -> answer.fail(this.clock.coarseNanos(), this.refresh))) {
			answer.postpone(now, this.refresh);
		}
	}

	private @Nullable String named(@Nullable String plan) {
		if (plan == null || plan.isEmpty()) {
			return null;
		}
		RateLimitPolicy policy = this.policy.get();
		Set<String> plans = policy.plans().keySet();
		if (plans.contains(plan)) {
			return plan;
		}
		this.unknown.increment();
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("The rate limit policy '" + policy.name() + "' has no plan '" + ReadableText.of(plan)
					+ "', which a caller is said to have. Its plans are " + plans
					+ ". Callers of other plans have the policy's own limits. This is logged once, and counted in "
					+ "the metric ratelimit.plans.unknown.");
		}
		return null;
	}

	void forget(String key) {
		this.memory.forget(key);
	}

	long unknown() {
		return this.unknown.sum();
	}

	long size() {
		return this.memory.size();
	}

}
