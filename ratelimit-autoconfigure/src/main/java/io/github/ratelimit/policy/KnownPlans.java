package io.github.ratelimit.policy;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

	/**
	 * Remembers which plans a policy's keys have, for a bounded number of keys. Where
	 * there is no room, it forgets keys that were not asked for again, so that a client
	 * that invents keys drives out its own.
	 */
	static final class PlanMemory {

		/* A request does not look further, however many keys are in use. */
		private static final int LOOKED_AT = 64;

		private final ConcurrentHashMap<String, PlanAnswer> answers = new ConcurrentHashMap<>();

		private final long maximumSize;

		private Iterator<Map.Entry<String, PlanAnswer>> hand = Collections.emptyIterator();

		PlanMemory(long maximumSize) {
			this.maximumSize = maximumSize;
		}

		@Nullable PlanAnswer find(String key) {
			PlanAnswer answer = this.answers.get(key);
			if (answer != null && !answer.used) {
				answer.used = true;
			}
			return answer;
		}

		PlanAnswer add(String key) {
			PlanAnswer added = new PlanAnswer();
			PlanAnswer present = this.answers.putIfAbsent(key, added);
			if (present == null && this.answers.mappingCount() > this.maximumSize) {
				makeRoom(added);
			}
			return (present != null) ? present : added;
		}

		/*
		 * Goes round as the hand of a clock, which gives each key that was used one more
		 * chance.
		 */
		private synchronized void makeRoom(PlanAnswer added) {
			String last = null;
			for (int i = 0; i < LOOKED_AT; i++) {
				if (!this.hand.hasNext()) {
					this.hand = this.answers.entrySet().iterator();
				}
				Map.Entry<String, PlanAnswer> next = this.hand.hasNext() ? this.hand.next() : null;
				if (next == null || next.getValue() == added) {
					continue;
				}
				last = next.getKey();
				if (!next.getValue().used) {
					break;
				}
				next.getValue().used = false;
			}
			if (last != null) {
				this.answers.remove(last);
			}
		}

		void forget(String key) {
			this.answers.remove(key);
		}

		long size() {
			return this.answers.mappingCount();
		}

	}

}
