package io.github.ratelimit.policy;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.support.BackgroundThreads;
import io.github.ratelimit.support.ReadableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which plan of a policy each key was last said to have. What is known outlives changes
 * of the policy. What may take its time is asked on a few threads, which no other policy
 * shares, so that a database that hangs holds no request.
 */
final class KnownPlans {

	private static final Log logger = LogFactory.getLog(RateLimitPlanResolver.class);

	private static final int THREADS = 4;

	private static final int WAITING = 1024;

	/*
	 * Of these, those that keys have which no request has asked for before. A client that
	 * invents keys cannot take the others without coming again with each.
	 */
	private static final int NEW = WAITING / 2;

	/* Of what all policies remember, what the questions of one may take. */
	private static final int PART_OF_THE_MEMORY = 8;

	/* A client with a time-out would have given up. */
	private static final long HANGING = TimeUnit.SECONDS.toNanos(10);

	final LongAdder unknown = new LongAdder();

	private final AtomicBoolean warnedOfUnknown = new AtomicBoolean();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final AtomicBoolean warnedOfHanging = new AtomicBoolean();

	private final Supplier<RateLimitPolicy> policy;

	private final DecisionReports reports;

	private final PlanMemory memory;

	private final MemoryBudget budget;

	/* Of the questions that are not answered. */
	private final AtomicLong questionBytes = new AtomicLong();

	final @Nullable RateLimitPlanResolver resolver;

	private final ThreadPoolExecutor executor;

	private final RateLimitClock clock;

	private final long refresh;

	private final long timeout;

	/* When a thread last began or ended a question. */
	private volatile long moved;

	/**
	 * Creates a memory of no key.
	 * @param policy the policy, as it is at present; its expression is asked, or else the
	 * resolver
	 * @param reports counts what fails
	 * @param settings how it is found out which plans callers have
	 */
	KnownPlans(Supplier<RateLimitPolicy> policy, DecisionReports reports, PlanSettings settings) {
		this.policy = policy;
		this.reports = reports;
		this.budget = settings.memory();
		this.memory = new PlanMemory(settings.maximumSize(), this.budget);
		this.resolver = (policy.get().plan() == null) ? settings.resolver() : null;
		this.clock = settings.clock();
		this.refresh = settings.refresh().toNanos();
		this.timeout = settings.timeout().toNanos();
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(WAITING), new BackgroundThreads("ratelimit-plans"));
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * The plan that a key has, as it was last told. If that is long ago, it is asked for
	 * anew meanwhile. A key whose plan was never told waits for it, but not for long, and
	 * not for another call whose question is no quicker than its own.
	 * @param key the key
	 * @param question the question of the call, if there is one
	 * @return the plan, or {@code null} for the policy's own limits
	 */
	@Nullable String of(String key, @Nullable PlanQuestion question) {
		PlanAnswer answer = this.memory.find(key);
		if (answer != null && answer.isFresh(this.clock.nanos())) {
			return answer.plan;
		}
		if (this.resolver != null || question != null) {
			boolean first = answer == null;
			answer = (answer != null) ? answer : this.memory.add(key);
			long now = this.clock.nanos();
			sayIfAllHang(now);
			if (answer.begin(now) || this.resolver == null && question != null && !question.mayBlock()) {
				ask(answer, now, first, key, question);
			}
			answer.await(this.timeout);
		}
		return (answer != null) ? answer.plan : null;
	}

	/**
	 * Whether the plan of a key was told lately, so that nobody asks for it.
	 */
	boolean isFresh(String key) {
		PlanAnswer answer = this.memory.find(key);
		return answer != null && answer.isFresh(this.clock.nanos());
	}

	/**
	 * The plan that a key had when it was last told. Nothing is asked.
	 */
	@Nullable String last(String key) {
		PlanAnswer answer = this.memory.find(key);
		return (answer != null) ? answer.plan : null;
	}

	private void ask(PlanAnswer answer, long now, boolean first, String key, @Nullable PlanQuestion question) {
		RateLimitPlanResolver resolver = this.resolver;
		try {
			if (resolver == null && question != null && question.isQuick()) {
				askAtOnce(answer, now, first, question);
			}
			else if (isBusy(first)) {
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

	private boolean isBusy(boolean first) {
		return first && this.executor.getQueue().size() >= NEW;
	}

	/*
	 * What is not there yet is awaited on a thread of ours.
	 */
	private void askAtOnce(PlanAnswer answer, long now, boolean first, PlanQuestion question) {
		CompletableFuture<@Nullable String> plan = question.ask();
		if (plan.isDone()) {
			know(answer, now, plan::get);
		}
		else if (isBusy(first)) {
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
			return plan.get(HANGING, TimeUnit.NANOSECONDS);
		}
		finally {
			plan.cancel(true);
		}
	}

	/*
	 * What clients have sent is kept until the question is answered, however long it is.
	 */
	private void askLater(PlanAnswer answer, long now, long bytes, Callable<@Nullable String> question) {
		count(bytes);
		try {
			if (this.questionBytes.get() > this.budget.maximum() / PART_OF_THE_MEMORY) {
				throw new RejectedExecutionException("The questions that wait take too much memory");
			}
			this.executor.execute(() -> {
				this.moved = this.clock.nanos();
				know(answer, now, question);
				this.moved = this.clock.nanos();
				count(-bytes);
			});
		}
		catch (RuntimeException | Error ex) {
			count(-bytes);
			throw ex;
		}
		this.budget.trim(null);
	}

	private void count(long bytes) {
		this.questionBytes.addAndGet(bytes);
		this.budget.count(bytes);
	}

	/*
	 * What an expression fails with is reported where it is evaluated. Whatever it is, a
	 * question that is not ended would never be asked again.
	 */
	private void know(PlanAnswer answer, long asked, Callable<@Nullable String> question) {
		try {
			answer.know(named(question.call()), asked + this.refresh);
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
		warn("are asked for faster than they are told, so that " + this.executor.getQueue().size()
				+ " callers wait for theirs");
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

	/*
	 * Then nothing more is found out.
	 */
	private void sayIfAllHang(long now) {
		if (this.executor.getActiveCount() == THREADS && now - this.moved >= HANGING) {
			warn(this.warnedOfHanging, "No plan of the rate limit policy '" + this.policy.get().name()
					+ "' can be found out, because all " + THREADS + " threads that ask have waited for "
					+ TimeUnit.NANOSECONDS.toSeconds(HANGING) + " seconds or longer. Set a time-out in the client that "
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

	void forget(String key) {
		this.memory.forget(key);
	}

}
