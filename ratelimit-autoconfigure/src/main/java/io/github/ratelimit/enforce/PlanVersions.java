package io.github.ratelimit.enforce;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.ReadableText;
import io.github.ratelimit.expression.CallExpressions;
import io.github.ratelimit.expression.RateLimitContext;
import io.github.ratelimit.store.RateLimitStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The plans of one policy, and which of them a key has.
 */
final class PlanVersions {

	private static final Log logger = LogFactory.getLog(RateLimitPlanResolver.class);

	private final Map<String, Plan> plans = new HashMap<>();

	private final LongAdder unknown;

	private final AtomicBoolean warned;

	private final RateLimitPolicy policy;

	private final PlanMemory memory;

	private final PlanQuestions questions;

	private final RateLimitClock clock;

	private final long refresh;

	private final long timeout;

	private PlanVersions(PolicyVersion defined, PlanSettings settings, @Nullable PlanVersions before) {
		this.policy = defined.policy;
		this.unknown = (before != null) ? before.unknown : new LongAdder();
		this.warned = (before != null) ? before.warned : new AtomicBoolean();
		this.memory = (before != null) ? before.memory : new PlanMemory(settings.maximumSize());
		this.questions = (before != null) ? before.questions
				: new PlanQuestions(defined.limiter, settings.resolver(), settings.clock());
		this.clock = settings.clock();
		this.refresh = settings.refresh().toNanos();
		this.timeout = settings.timeout().toNanos();
	}

	/**
	 * Opens the plans of a policy. If it had plans before, it is still known who has
	 * which.
	 * @param defined the policy as it is defined, or is to be
	 * @param store where the policy is open
	 * @param settings how it is found out who has which
	 * @return the plans, or {@code null} if there are none
	 */
	static @Nullable PlanVersions open(PolicyVersion defined, RateLimitStore store, PlanSettings settings) {
		if (defined.policy.plans().isEmpty() || store instanceof UnlimitedStore) {
			return null;
		}
		PlanVersions versions = new PlanVersions(defined, settings, defined.limiter.versions.plans());
		for (String name : defined.policy.plans().keySet()) {
			versions.plans.put(name, new Plan(name, version(name, defined, settings.clock()), versions));
		}
		return versions;
	}

	/*
	 * The store names a limit by its index in the policy that it is given.
	 */
	private static PolicyVersion version(String plan, PolicyVersion defined, RateLimitClock clock) {
		RateLimitPolicy policy = defined.policy.underPlan(plan);
		try {
			return (policy != null) ? defined.limiter.versions.version(policy) : defined.unlimited(clock);
		}
		catch (InvalidRateLimitException ex) {
			throw ex.attribute().startsWith("limits[") ? ex.inPlan(plan) : ex;
		}
	}

	/**
	 * The plan that a key has, as it was last told. If that is long ago, it is asked for
	 * anew meanwhile. A key whose plan was never told waits for it, but not for long.
	 * @param key the key
	 * @param expressions say it where the policy has an expression; {@code null} if a
	 * limiter is asked by hand
	 * @param context the call, or {@code null} if a limiter is asked by hand
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable Plan of(String key, @Nullable CallExpressions expressions, @Nullable RateLimitContext context) {
		PlanAnswer answer = this.memory.find(key);
		if (answer != null && answer.isFresh(this.clock.coarseNanos(), this.refresh)) {
			return current(answer.plan());
		}
		if (this.questions.canAsk(expressions)) {
			boolean first = answer == null;
			answer = (answer != null) ? answer : this.memory.add(key);
			ask(answer, first, key, expressions, context);
			answer.await(this.timeout);
		}
		return (answer != null) ? current(answer.plan()) : null;
	}

	/**
	 * The plan that a key had when it was last told. Nobody is asked.
	 */
	@Nullable Plan known(String key) {
		PlanAnswer answer = this.memory.find(key);
		return (answer != null) ? current(answer.plan()) : null;
	}

	/*
	 * A key may have been told to have a plan of the policy as it was defined before.
	 */
	private @Nullable Plan current(@Nullable Plan plan) {
		return (plan == null || plan.of() == this) ? plan : this.plans.get(plan.name());
	}

	private void ask(PlanAnswer answer, boolean first, String key, @Nullable CallExpressions expressions,
			@Nullable RateLimitContext context) {
		long now = this.clock.coarseNanos();
		this.questions.notice(now);
		if (answer.begin(now, this.refresh)
				&& !this.questions.ask(key, expressions, context, first, new Answering(answer))) {
			answer.postpone(now, this.refresh);
		}
	}

	private @Nullable Plan named(@Nullable String name) {
		if (name == null || name.isEmpty()) {
			return null;
		}
		Plan plan = this.plans.get(name);
		if (plan == null) {
			this.unknown.increment();
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("The rate limit policy '" + this.policy.name() + "' has no plan '" + ReadableText.of(name)
						+ "', which a caller is said to have. Its plans are " + this.policy.plans().keySet()
						+ ". Callers of other plans have the policy's own limits. This is logged once, and counted in "
						+ "the metric ratelimit.plans.unknown.");
			}
		}
		return plan;
	}

	void forget(String key) {
		this.memory.forget(key);
	}

	long unknown() {
		return this.unknown.sum();
	}

	long remembered() {
		return this.memory.size();
	}

	private final class Answering implements PlanQuestions.Answered {

		private final PlanAnswer answer;

		Answering(PlanAnswer answer) {
			this.answer = answer;
		}

		@Override
		public void is(@Nullable String name) {
			this.answer.know(named(name));
		}

		@Override
		public void fails() {
			this.answer.fail(PlanVersions.this.clock.coarseNanos(), PlanVersions.this.refresh);
		}

	}

}
