package io.github.ratelimit.policy;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks which plan a caller of one policy has: what may take its time on a few threads,
 * which no other policy shares, so that a database that hangs holds no request.
 */
final class PlanQuestions {

	private static final Log logger = LogFactory.getLog(RateLimitPlanResolver.class);

	private static final int THREADS = 4;

	private static final int WAITING = 1024;

	/*
	 * Of these, those that keys have which no request has asked for before. A client that
	 * invents keys cannot take the others without coming again with each.
	 */
	private static final int NEW = WAITING / 2;

	/* A client with a time-out would have given up. */
	private static final long HANGING = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<RateLimitPolicy> policy;

	private final DecisionReports reports;

	private final @Nullable RateLimitPlanResolver resolver;

	private final ThreadPoolExecutor executor;

	private final RateLimitClock clock;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final AtomicBoolean warnedOfHanging = new AtomicBoolean();

	private final AtomicInteger underWay = new AtomicInteger();

	/* When a thread last began or ended a question. */
	private volatile long moved;

	/**
	 * Creates questions about a policy's plans.
	 * @param policy the policy, as it is at present; its expression is asked, or else the
	 * resolver
	 * @param reports counts what fails
	 * @param settings say the resolver and the time
	 */
	PlanQuestions(Supplier<RateLimitPolicy> policy, DecisionReports reports, PlanSettings settings) {
		this.policy = policy;
		this.reports = reports;
		this.clock = settings.clock();
		this.resolver = (policy.get().plan() == null) ? settings.resolver() : null;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new ArrayBlockingQueue<>(WAITING), new BackgroundThreads("ratelimit-plans"));
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Whether anybody can say which plan a caller has.
	 * @param question the question of the call, if there is one
	 */
	boolean canAsk(@Nullable PlanQuestion question) {
		return this.resolver != null || question != null;
	}

	/**
	 * Asks, and does not wait for an answer that may take its time.
	 * @param key the key
	 * @param question the question of the call, unless a resolver is asked
	 * @param first whether no request has asked for the key before
	 * @param told is given the answer
	 * @param failed is run if there is none
	 * @return {@code false} if too many questions wait
	 */
	boolean ask(String key, @Nullable PlanQuestion question, boolean first, Consumer<@Nullable String> told,
			Runnable failed) {
		if (first && this.executor.getQueue().size() >= NEW) {
			return refuse();
		}
		RateLimitPlanResolver resolver = this.resolver;
		if (resolver != null) {
			return askLater(() -> resolver.resolvePlan(this.policy.get(), key), true, told, failed);
		}
		if (question == null) {
			failed.run();
			return true;
		}
		if (question.isQuick()) {
			answer(question::ask, false, told, failed);
			return true;
		}
		PlanQuestion detached;
		try {
			detached = question.detached();
		}
		catch (RuntimeException ex) {
			failed.run();
			return true;
		}
		return askLater(detached::ask, false, told, failed);
	}

	private boolean askLater(Callable<@Nullable String> question, boolean reported, Consumer<@Nullable String> told,
			Runnable failed) {
		try {
			this.executor.execute(() -> {
				move(1);
				try {
					answer(question, reported, told, failed);
				}
				finally {
					move(-1);
				}
			});
			return true;
		}
		catch (RejectedExecutionException ex) {
			return refuse();
		}
	}

	private boolean refuse() {
		warn("are asked for faster than they are told, so that " + this.executor.getQueue().size()
				+ " callers wait for theirs");
		return false;
	}

	/*
	 * What an expression fails with is reported where it is evaluated. Whatever it is, a
	 * question that is not ended would never be asked again.
	 */
	private void answer(Callable<@Nullable String> question, boolean reported, Consumer<@Nullable String> told,
			Runnable failed) {
		String name;
		try {
			name = question.call();
		}
		catch (Throwable ex) {
			if (reported) {
				this.reports.failures.add(RateLimitExpression.PLAN);
				warn("could not be found out: " + ex.getClass().getName());
			}
			failed.run();
			return;
		}
		told.accept(name);
	}

	private void move(int begun) {
		this.moved = this.clock.coarseNanos();
		this.underWay.addAndGet(begun);
	}

	/**
	 * Says it if all threads hang: then nothing more is found out.
	 * @param now the coarse time
	 */
	void notice(long now) {
		if (this.underWay.get() == THREADS && now - this.moved >= HANGING
				&& this.warnedOfHanging.compareAndSet(false, true)) {
			logger.warn("No plan of the rate limit policy '" + this.policy.get().name()
					+ "' can be found out, because all " + THREADS + " threads that ask have waited for "
					+ TimeUnit.NANOSECONDS.toSeconds(HANGING) + " seconds or longer. Set a time-out in the client that "
					+ "the RateLimitPlanResolver or the plan expression uses. Until a thread is answered, callers keep "
					+ "their last plan, or have the policy's own limits. This is logged once.");
		}
	}

	private void warn(String problem) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("The plans of the rate limit policy '" + this.policy.get().name() + "' " + problem
					+ ". Callers keep their last plan, or have the policy's own limits. This is logged once.");
		}
	}

}
