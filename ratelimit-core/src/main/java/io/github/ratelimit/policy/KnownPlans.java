package io.github.ratelimit.policy;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which plan of a policy each key was last found to have. What is known
 * outlives changes of the policy. A question that may take its time is asked on
 * {@link PlanThreads}.
 */
final class KnownPlans {

	private static final Log logger = LogFactory.getLog(RateLimitPlanResolver.class);

	private final LongAdder unknown = new LongAdder();

	private final AtomicBoolean warnedOfUnknown = new AtomicBoolean();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final AtomicBoolean warnedOfHanging = new AtomicBoolean();

	private final Supplier<RateLimitPolicy> policy;

	private final DecisionReports reports;

	private final PlanMemory memory;

	private final PlanThreads threads;

	private final @Nullable RateLimitPlanResolver resolver;

	private final RateLimitClock clock;

	private final long refresh;

	private final long timeout;

	/**
	 * Creates a memory of no key.
	 * @param policy gives the policy as it is at present; its expression is asked, or
	 * else the resolver
	 * @param reports counts what fails
	 * @param settings how it is found out which plans callers have
	 */
	KnownPlans(Supplier<RateLimitPolicy> policy, DecisionReports reports, PlanSettings settings) {
		this.policy = policy;
		this.reports = reports;
		this.memory = new PlanMemory(settings.maximumSize(), settings.memory());
		this.threads = new PlanThreads(settings.clock(), settings.memory());
		this.resolver = (policy.get().plan() == null) ? settings.resolver() : null;
		this.clock = settings.clock();
		this.refresh = settings.refresh().toNanos();
		this.timeout = settings.timeout().toNanos();
	}

	/**
	 * The plan that a key has, as far as is known. If that was found out long ago, it is
	 * asked for anew meanwhile. A key whose plan was never found out waits for it, but
	 * not for long, and not for another call whose question is no quicker than its own.
	 * @param key the key
	 * @param question the question of the call, if there is one
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String of(String key, @Nullable PlanQuestion question) {
		PlanAnswer answer = this.memory.find(key);
		if (answer != null && answer.isFresh(this.clock.nanos())) {
			return answer.plan();
		}

		if (this.resolver != null || question != null) {
			return findOut(answer, key, question);
		}
		return last(answer);
	}

	private @Nullable String findOut(@Nullable PlanAnswer known, String key, @Nullable PlanQuestion question) {
		PlanAnswer answer = (known != null) ? known : this.memory.add(key);
		long now = this.clock.nanos();
		warnIfAllHang(now);

		if (answer.begin(now) || isBetterAskedThanAwaited(question)) {
			ask(answer, now, known == null, key, question);
		}
		answer.await(this.timeout);
		return answer.plan();
	}

	private boolean isBetterAskedThanAwaited(@Nullable PlanQuestion question) {
		return this.resolver == null && question != null && !question.mayBlock();
	}

	/**
	 * Whether the plan of a key was found out lately, so that nobody asks for it.
	 */
	boolean isFresh(String key) {
		PlanAnswer answer = this.memory.find(key);
		return answer != null && answer.isFresh(this.clock.nanos());
	}

	/**
	 * The plan that a key had when it was last found out. Nothing is asked.
	 */
	@Nullable String last(String key) {
		return last(this.memory.find(key));
	}

	private static @Nullable String last(@Nullable PlanAnswer answer) {
		return (answer != null) ? answer.plan() : null;
	}

	/**
	 * Whether there is a resolver that is asked.
	 */
	boolean hasResolver() {
		return this.resolver != null;
	}

	/**
	 * How many times a caller was said to have a plan that the policy does not have.
	 */
	long unknown() {
		return this.unknown.sum();
	}

	private void ask(PlanAnswer answer, long now, boolean isNew, String key, @Nullable PlanQuestion question) {
		RateLimitPlanResolver resolver = this.resolver;
		try {
			if (resolver == null && question != null && question.isQuick()) {
				askAtOnce(answer, now, isNew, question);
			}
			else if (isNew && this.threads.areFullForNewKeys()) {
				postpone(answer, now);
			}
			else if (resolver != null) {
				askLater(answer, now, 0, () -> resolver.resolvePlan(this.policy.get(), key));
			}
			else if (question != null) {
				PlanQuestion detached = question.detached();
				askLater(answer, now, detached.bytes(), () -> await(detached.ask()));
			}
		}
		catch (RejectedExecutionException ex) {
			postpone(answer, now);
		}
		// such as that there is no memory for a thread
		catch (RuntimeException | Error ex) {
			answer.fail(now, this.refresh);
		}
	}

	/*
	 * An answer that is not there yet is awaited on a thread of ours.
	 */
	private void askAtOnce(PlanAnswer answer, long now, boolean isNew, PlanQuestion question) {
		CompletableFuture<@Nullable String> plan = question.ask();
		if (plan.isDone()) {
			complete(answer, now, plan::get);
		}
		else if (isNew && this.threads.areFullForNewKeys()) {
			postpone(answer, now);
		}
		else {
			askLater(answer, now, question.bytes(), () -> await(plan));
		}
	}

	/*
	 * A plan that hangs keeps its thread no longer than this, because it can be
	 * cancelled.
	 */
	private static @Nullable String await(CompletableFuture<@Nullable String> plan) throws Exception {
		try {
			return plan.get(PlanThreads.HANGING, TimeUnit.NANOSECONDS);
		}
		finally {
			plan.cancel(true);
		}
	}

	private void askLater(PlanAnswer answer, long now, long bytes, Callable<@Nullable String> question) {
		this.threads.execute(bytes, () -> complete(answer, now, question));
	}

	/*
	 * What an expression fails with is reported where it is evaluated. Whatever it is, a
	 * question that is not ended would never be asked again.
	 */
	private void complete(PlanAnswer answer, long asked, Callable<@Nullable String> question) {
		try {
			answer.complete(named(question.call()), asked + this.refresh);
		}
		catch (Throwable ex) {
			if (this.resolver != null) {
				this.reports.failures.incrementAndGet(RateLimitExpression.PLAN.ordinal());
				warn("could not be found out: " + ex.getClass().getName());
			}
			answer.fail(this.clock.nanos(), this.refresh);
		}
	}

	private void postpone(PlanAnswer answer, long now) {
		warn("are asked for faster than they are told, so that " + this.threads.waiting() + " callers wait for theirs");
		answer.postpone(now, this.refresh);
	}

	private void warn(String problem) {
		warn(this.warned, "The plans of the rate limit policy '" + this.policy.get().name() + "' " + problem
				+ ". Callers keep their last plan, or have the policy's own limits.");
	}

	private static void warn(AtomicBoolean warned, String text) {
		if (warned.compareAndSet(false, true)) {
			logger.warn(text + " This is logged once.");
		}
	}

	private void warnIfAllHang(long now) {
		if (this.threads.allHang(now)) {
			warn(this.warnedOfHanging, "No plan of the rate limit policy '" + this.policy.get().name()
					+ "' can be found out, because all " + PlanThreads.THREADS + " threads that ask have waited for "
					+ TimeUnit.NANOSECONDS.toSeconds(PlanThreads.HANGING)
					+ " seconds or longer. Set a time-out in the client that "
					+ "the RateLimitPlanResolver or the plan expression uses. Until a thread is answered, callers keep "
					+ "their last plan, or have the policy's own limits.");
		}
	}

	private @Nullable String named(@Nullable String plan) {
		RateLimitPolicy policy = this.policy.get();
		if (plan == null || plan.isEmpty()) {
			return null;
		}

		// the policy's own text of the name, so that none is kept for each key
		for (String known : policy.plans().keySet()) {
			if (known.equals(plan)) {
				return known;
			}
		}

		this.unknown.increment();
		warn(this.warnedOfUnknown,
				"The rate limit policy '" + policy.name() + "' has no plan '" + ReadableText.of(plan)
						+ "', which a caller is said to have. Its plans are " + policy.plans().keySet()
						+ ". Callers of other plans have the policy's own limits, and are counted in the metric "
						+ "ratelimit.plans.unknown.");
		return null;
	}

	/**
	 * Forgets the plan of a key, so that its next request asks for it.
	 */
	void forget(String key) {
		this.memory.forget(key);
	}

}
