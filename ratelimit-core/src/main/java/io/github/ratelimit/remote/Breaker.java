package io.github.ratelimit.remote;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.LogBudget;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests from queueing up behind a server that does not answer.
 * <p>
 * A single failure changes nothing. After several in a row, with no answer in between,
 * the breaker opens: one call tries again at once, and all others do without the server.
 * If that call is answered, the breaker closes. Otherwise an outage begins, and one call
 * tries again in each retry interval.
 * <p>
 * An outage is one line of the log when it begins, and one when it ends, with its length
 * and its cost. Only a few outages a minute are logged.
 */
final class Breaker {

	/**
	 * How many failures in a row open the breaker.
	 */
	static final int FAILURES = 3;

	private static final long CLOSED = Long.MIN_VALUE;

	/* The store's, because that is the name that users configure. */
	private static final Log logger = LogFactory.getLog(ResilientStore.class);

	private final AtomicLong retryAt = new AtomicLong(CLOSED);

	private final LongAdder decisionsWithout = new LongAdder();

	private final RateLimitClock clock;

	private final long intervalNanos;

	private final String server;

	private final LongAdder outages;

	private final LogBudget budget;

	private volatile int failuresInARow;

	private long failingSince;

	private boolean outage;

	private boolean logged;

	private boolean rejectsWrites;

	/* When the breaker last opened or closed. */
	private long turnedAt = Long.MIN_VALUE;

	private volatile @Nullable String failure;

	/**
	 * Creates a closed breaker.
	 * @param clock this process' time
	 * @param interval how often a server that does not answer is asked
	 * @param server what log lines call the server
	 * @param outages counts the outages of all servers
	 */
	Breaker(RateLimitClock clock, Duration interval, String server, LongAdder outages) {
		this.clock = clock;
		this.intervalNanos = interval.toNanos();
		this.server = server;
		this.outages = outages;
		this.budget = new LogBudget(clock::nanos);
	}

	/**
	 * Asks for permission to call the server now. A caller that gets it must report how
	 * the call went.
	 */
	boolean tryAcquirePermission() {
		long retry = this.retryAt.get();
		if (retry == CLOSED) {
			return true;
		}
		long now = this.clock.nanos();
		return now >= retry && this.retryAt.compareAndSet(retry, now + this.intervalNanos);
	}

	/**
	 * Awaits the answer to a call that had permission, and notes how it went.
	 * @param askedAt when the server was asked
	 * @param wrote tells from an answer whether the server has written
	 * @throws StoreCallException if there is no answer
	 */
	<T> T await(RemoteStore.Answer<T> answer, long askedAt, Predicate<T> wrote) {
		try {
			T said = answer.await();
			succeeded(wrote.test(said));
			return said;
		}
		catch (StoreCallException ex) {
			failed(ex, askedAt);
			throw ex;
		}
	}

	/**
	 * Notes an answer. Where the server has rejected writes, an answer that wrote nothing
	 * does not say that it takes them again: the next call may try.
	 * @param wrote whether the server is known to have written
	 */
	void succeeded(boolean wrote) {
		if (this.failuresInARow > 0) {
			available(wrote);
		}
	}

	private synchronized void available(boolean wrote) {
		if (this.rejectsWrites && !wrote) {
			if (!isAvailable()) {
				this.retryAt.set(this.clock.nanos());
			}
			return;
		}

		this.failuresInARow = 0;
		this.rejectsWrites = false;
		this.failure = null;
		if (this.retryAt.getAndSet(CLOSED) != CLOSED) {
			this.turnedAt = this.clock.nanos();
		}

		long without = this.decisionsWithout.sumThenReset();
		endOutage(() -> this.server + " answers again after " + length(this.clock.nanos() - this.failingSince) + "; "
				+ count(without) + " made without it. Limits are shared again");
	}

	private static String count(long decisions) {
		String text = (decisions == 1) ? "%,d decision was" : "%,d decisions were";
		return String.format(Locale.ROOT, text, decisions);
	}

	/**
	 * Notes a failure, unless it says nothing about the server's present.
	 * @param askedAt when the server was asked
	 */
	void failed(StoreCallException cause, long askedAt) {
		switch (cause.blame()) {
			case KEY, MOVE -> succeeded(false);
			case SERVER, WRITES, NODE -> unavailable(cause, askedAt);
			case CALLER -> {
			}
		}
	}

	/*
	 * A call that was sent before the breaker last opened or closed is not counted,
	 * because it failed for the same reason as those that were.
	 */
	private synchronized void unavailable(StoreCallException cause, long askedAt) {
		if (askedAt < this.turnedAt || !cause.countBy(this)) {
			return;
		}

		long now = this.clock.nanos();
		this.rejectsWrites = cause.blame() != StoreCallException.Blame.SERVER;
		if (this.failuresInARow == 0) {
			this.failingSince = now;
		}
		if (isAvailable()) {
			this.failuresInARow++;
			if (this.failuresInARow == FAILURES) {
				this.failure = cause.getMessage();
				this.turnedAt = now;
				this.retryAt.set(now);
			}
			return;
		}

		this.failure = cause.getMessage();
		this.retryAt.set(now + this.intervalNanos);
		if (!this.outage) {
			this.outage = true;
			this.outages.increment();
		}
		if (!this.logged && this.budget.take()) {
			this.logged = true;
			log(cause);
		}
	}

	private void log(StoreCallException cause) {
		Instant since = Instant.EPOCH.plusNanos(this.failingSince).truncatedTo(ChronoUnit.MILLIS);
		logger.warn(this.server + " cannot decide since " + since + " (" + cause.getMessage()
				+ "): until it answers again, each policy's on-failure does" + this.budget.leftOut("outage"));
	}

	/**
	 * Notes a decision that was made without the server.
	 */
	void decidedWithout() {
		this.decisionsWithout.increment();
	}

	/**
	 * Notes that the server is gone: others have its keys.
	 */
	synchronized void drop() {
		endOutage(() -> this.server + " is no longer asked, because other servers have its keys");
	}

	private void endOutage(Supplier<String> line) {
		if (this.logged) {
			logger.info(line.get());
		}
		else if (this.outage) {
			this.budget.leaveOut();
		}
		this.outage = false;
		this.logged = false;
	}

	private static String length(long nanos) {
		Duration length = Duration.ofNanos(nanos);
		ChronoUnit unit = (length.getSeconds() > 0) ? ChronoUnit.SECONDS : ChronoUnit.MILLIS;
		return DurationText.of(length.truncatedTo(unit));
	}

	boolean isAvailable() {
		return this.retryAt.get() == CLOSED;
	}

	@Nullable String failure() {
		return this.failure;
	}

}
