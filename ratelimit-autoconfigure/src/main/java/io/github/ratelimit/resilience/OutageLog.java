package io.github.ratelimit.resilience;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs the outages of one server: one line when an outage begins, and one when it ends,
 * with its length and its cost. Only a few outages a minute are logged.
 */
final class OutageLog {

	/**
	 * How many outages are logged in a minute.
	 */
	static final int MOST_A_MINUTE = 3;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Log logger = LogFactory.getLog(ResilientStore.class);

	private final LongAdder decisions = new LongAdder();

	private final String server;

	private final RateLimitClock clock;

	private long failingSince;

	private boolean failing;

	private boolean outage;

	private boolean logged;

	private long minuteBegan = Long.MIN_VALUE;

	private int loggedInMinute;

	private long unlogged;

	/**
	 * Creates the log of a server that answers.
	 * @param server what log lines call the server
	 * @param clock this process' time
	 */
	OutageLog(String server, RateLimitClock clock) {
		this.server = server;
		this.clock = clock;
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
		if (!this.outage) {
			this.outage = true;
			this.unlogged++;
		}
		if (!this.logged && mayLog()) {
			this.logged = true;
			this.unlogged--;
			logger.warn(this.server + " cannot decide since " + moment(this.failingSince) + " (" + failure
					+ "): until it answers again, each policy's on-failure does" + unlogged());
		}
	}

	private boolean mayLog() {
		long now = this.clock.nanos();
		if (this.minuteBegan == Long.MIN_VALUE || now - this.minuteBegan >= MINUTE.toNanos()) {
			this.minuteBegan = now;
			this.loggedInMinute = 0;
		}
		return this.loggedInMinute++ < MOST_A_MINUTE;
	}

	private String unlogged() {
		if (this.unlogged == 0) {
			return "";
		}
		String text = (this.unlogged == 1) ? ". There was 1 more outage that was not logged"
				: ". There were " + count(this.unlogged) + " more outages that were not logged";
		this.unlogged = 0;
		return text;
	}

	/**
	 * Notes an answer after a failure. Ends the outage, if it was one.
	 */
	synchronized void answered() {
		long without = this.decisions.sumThenReset();
		if (this.logged) {
			logger.info(this.server + " answers again after " + length(this.clock.nanos() - this.failingSince) + "; "
					+ count(without) + ((without == 1) ? " decision was" : " decisions were")
					+ " made without it. Limits are shared again");
		}
		this.failing = false;
		this.outage = false;
		this.logged = false;
	}

	/**
	 * Notes that the server is gone. Ends the outage, if there is one.
	 */
	synchronized void dropped() {
		if (this.logged) {
			logger.info(this.server + " is no longer asked, because other servers have its keys");
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

	private static String length(long nanos) {
		Duration length = Duration.ofNanos(nanos);
		if (length.toSeconds() < 1) {
			return length.toMillis() + " ms";
		}
		return (length.toMinutes() < 2) ? length.toSeconds() + " s"
				: (length.toHours() < 2) ? length.toMinutes() + " min" : length.toHours() + " h";
	}

}
