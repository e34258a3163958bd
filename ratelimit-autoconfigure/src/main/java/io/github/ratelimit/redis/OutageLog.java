package io.github.ratelimit.redis;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitClock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells an operator of the outages of one server: one line when an outage begins, and one
 * when it ends that says how long it was and what it cost. Of a server that comes and
 * goes, only a few outages a minute are told.
 */
final class OutageLog {

	/**
	 * How many outages are told in a minute.
	 */
	static final int MOST_A_MINUTE = 3;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Log logger = LogFactory.getLog(RedisRateLimitStore.class);

	private final LongAdder decisions = new LongAdder();

	private final String server;

	private final RateLimitClock clock;

	private long failingSince;

	private boolean failing;

	private boolean outage;

	private boolean told;

	private long minuteBegan = Long.MIN_VALUE;

	private int toldInMinute;

	private long untold;

	/**
	 * Creates a log in which all is well.
	 * @param node the server's name, or empty if there is only one
	 * @param clock this process' time
	 */
	OutageLog(String node, RateLimitClock clock) {
		this.server = node.isEmpty() ? "Redis" : "Redis at " + node;
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
	 * Tells of an outage, unless that is done. May be called as often as is tried in vain
	 * whether it is over.
	 * @param failure what the last call failed with
	 */
	synchronized void cannotDecide(String failure) {
		failed();
		if (!this.outage) {
			this.outage = true;
			this.untold++;
		}
		if (!this.told && mayTell()) {
			this.told = true;
			this.untold--;
			logger.warn(this.server + " cannot decide since " + moment(this.failingSince) + " (" + failure
					+ "): until it answers again, each policy's on-failure does" + untold());
		}
	}

	private boolean mayTell() {
		long now = this.clock.nanos();
		if (this.minuteBegan == Long.MIN_VALUE || now - this.minuteBegan >= MINUTE.toNanos()) {
			this.minuteBegan = now;
			this.toldInMinute = 0;
		}
		return this.toldInMinute++ < MOST_A_MINUTE;
	}

	private String untold() {
		if (this.untold == 0) {
			return "";
		}
		String text = ". There were " + count(this.untold) + " more outages that were not logged";
		this.untold = 0;
		return text;
	}

	/**
	 * Notes an answer after a failure. Ends the outage, if it was one.
	 */
	synchronized void answered() {
		long without = this.decisions.sumThenReset();
		if (this.told) {
			logger.info(this.server + " answers again after " + length(this.clock.nanos() - this.failingSince) + "; "
					+ count(without) + " decisions were made without it. Limits are shared again");
		}
		this.failing = false;
		this.outage = false;
		this.told = false;
	}

	/**
	 * Notes that the server is no longer there. Ends the outage, if there is one.
	 */
	synchronized void dropped() {
		if (this.told) {
			logger.info(this.server + " is no longer asked, because other servers have its keys");
		}
		this.failing = false;
		this.outage = false;
		this.told = false;
	}

	private static String moment(long nanos) {
		return Instant.EPOCH.plusNanos(nanos).truncatedTo(ChronoUnit.MILLIS).toString();
	}

	private static String count(long number) {
		return "%,d".formatted(number);
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
