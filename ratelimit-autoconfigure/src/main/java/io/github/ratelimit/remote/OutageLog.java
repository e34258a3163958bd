package io.github.ratelimit.remote;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.LogBudget;
import io.github.ratelimit.RateLimitClock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs the outages of one server: one line when an outage begins, and one when it ends,
 * with its length and its cost. Only a few outages a minute are logged.
 */
final class OutageLog {

	/* Of the store, as users configure it. */
	private static final Log logger = LogFactory.getLog("io.github.ratelimit.remote.ResilientStore");

	private final LongAdder decisions = new LongAdder();

	private final String server;

	private final RateLimitClock clock;

	private final LogBudget budget;

	private long failingSince;

	private boolean failing;

	private boolean outage;

	private boolean logged;

	/**
	 * Creates the log of a server that answers.
	 * @param server what log lines call the server
	 * @param clock this process' time
	 */
	OutageLog(String server, RateLimitClock clock) {
		this.server = server;
		this.clock = clock;
		this.budget = new LogBudget(clock);
	}

	/**
	 * Notes that a call failed, which may be the first of an outage.
	 */
	synchronized void failed() {
		if (!this.failing) {
			this.failing = true;
			this.failingSince = this.clock.nanos();
		}
	}

	/**
	 * Notes a decision that was made without the server.
	 */
	void decidedWithout() {
		this.decisions.increment();
	}

	/**
	 * Notes that the outage goes on, and logs it unless that was done. Called after each
	 * call that fails.
	 * @param failure what the last call failed with
	 */
	synchronized void cannotDecide(String failure) {
		failed();
		this.outage = true;
		if (!this.logged && this.budget.take()) {
			this.logged = true;
			logger.warn(this.server + " cannot decide since " + moment(this.failingSince) + " (" + failure
					+ "): until it answers again, each policy's on-failure does" + this.budget.leftOut("outage"));
		}
	}

	/**
	 * Notes an answer after a failure. Ends the outage, if it was one.
	 */
	synchronized void answered() {
		long without = this.decisions.sumThenReset();
		if (this.logged) {
			logger.info(this.server + " answers again after "
					+ DurationText.of(length(this.clock.nanos() - this.failingSince)) + "; " + count(without)
					+ ((without == 1) ? " decision was" : " decisions were")
					+ " made without it. Limits are shared again");
		}
		end();
	}

	/**
	 * Notes that the server is gone. Ends the outage, if there is one.
	 */
	synchronized void dropped() {
		if (this.logged) {
			logger.info(this.server + " is no longer asked, because other servers have its keys");
		}
		end();
	}

	private void end() {
		if (this.outage && !this.logged) {
			this.budget.leaveOut();
		}
		this.failing = false;
		this.outage = false;
		this.logged = false;
	}

	private static String moment(long nanos) {
		return Instant.EPOCH.plusNanos(nanos).truncatedTo(ChronoUnit.MILLIS).toString();
	}

	private static String count(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	private static Duration length(long nanos) {
		Duration length = Duration.ofNanos(nanos);
		return length.truncatedTo((length.getSeconds() > 0) ? ChronoUnit.SECONDS : ChronoUnit.MILLIS);
	}

}
