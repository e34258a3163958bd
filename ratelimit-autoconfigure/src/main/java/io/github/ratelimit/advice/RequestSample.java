package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.function.IntSupplier;

import io.github.ratelimit.advice.FollowedCallers.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how many requests would have been rejected. Of two samples of callers, each
 * has a bucket for each rate and burst, in which a rejected request takes nothing.
 * <p>
 * Callers whose hash is below a threshold are followed from their first request, and each
 * counts for all that are not. That would be far off where few callers make most
 * requests. So each request of any other caller has the same small chance to have the
 * caller followed from then on (Estan and Varghese, sample and hold, 2002), which finds
 * those soon that make many. Those that take most are kept. Their buckets are full at
 * first, whatever they really were, and count from their first rejection on, after which
 * they hardly differ from the real ones. What such a bucket counts is left out of the
 * first sample.
 */
final class RequestSample {

	/* Sums are ints, because several of these are added at once. */
	private static final int MOST_UNSAVED = 1 << 30;

	private static final double FALL = 0.8;

	private static final int RAREST_CHANCE = (1 << 24) - 1;

	/* Of a bucket of a busy caller that has rejected. */
	private static final int COUNTS = Integer.MIN_VALUE;

	private static final int[] NOTHING = new int[Ladder.CELLS];

	private final Ladder ladder;

	private final Drain drain;

	/*
	 * The least time in which the whole sample may be replaced: long enough for a busy
	 * caller to show, and for few to be new.
	 */
	private final long turnover;

	private final int[] capacities = new int[Ladder.CELLS];

	private final FollowedCallers sampled;

	private final FollowedCallers busy;

	private volatile long threshold = Long.MAX_VALUE;

	/*
	 * The caller is followed from a request on if these bits of its random number are 0.
	 */
	private volatile int chance;

	private long sampledSince;

	private int keptSampled;

	private long busySince;

	private long chanceSince;

	/* Of all requests by now, which are not observed in their order. */
	private long last = Long.MIN_VALUE;

	/* How many of some requests buckets of a busy caller have counted. */
	private final int[] seen = new int[Ladder.CELLS];

	private final int[] unsavedSampled = new int[Ladder.CELLS];

	private final int[] unsavedBusy = new int[Ladder.CELLS];

	private int unsavedRequests;

	private final double[] rejected = new double[Ladder.CELLS];

	RequestSample(Ladder ladder, Drain drain, int sampled, int busy, long turnover) {
		this.ladder = ladder;
		this.drain = drain;
		this.sampled = new FollowedCallers(ladder, sampled);
		this.busy = new FollowedCallers(ladder, busy);
		this.turnover = turnover;
		Arrays.setAll(this.capacities, (cell) -> ladder.capacities[cell / Ladder.RATES]);
	}

	/**
	 * Whether the caller of a request is followed from this one on.
	 */
	boolean draws(IntSupplier random) {
		int chance = this.chance;
		return chance == 0 || (random.getAsInt() & chance) == 0;
	}

	boolean mayFollow(long hash) {
		return isSampled(hash) || this.busy.mayHave(hash);
	}

	private boolean isSampled(long hash) {
		return hash < this.threshold;
	}

	private boolean samplesAll() {
		return this.threshold == Long.MAX_VALUE;
	}

	void observe(PendingRequests requests) {
		if (requests.count > MOST_UNSAVED - this.unsavedRequests) {
			save();
		}
		this.unsavedRequests += requests.count;
		this.last = Math.max(this.last, requests.time);
		int[] seen = NOTHING;
		Caller busy = samplesAll() ? null : busy(requests);
		if (busy != null) {
			updateBusy(busy.buckets, drainedSince(busy, requests.time), requests.cost, requests.count);
			seen = this.seen;
		}
		Caller sampled = isSampled(requests.hash) ? sampled(requests.hash, requests.time) : null;
		if (sampled != null) {
			updateSampled(sampled.buckets, drainedSince(sampled, requests.time), requests.cost, requests.count, seen);
		}
	}

	private @Nullable Caller busy(PendingRequests requests) {
		Caller caller = this.busy.find(requests.hash);
		if (caller != null || !requests.drawn) {
			return caller;
		}
		if (this.busy.isFull()) {
			this.busy.removeHalf(this.last);
			halveChance();
		}
		else if (this.last - this.chanceSince > 4 * this.turnover) {
			this.chance >>= 1;
			this.chanceSince = this.last;
		}
		return this.busy.add(requests.hash, requests.time);
	}

	private void halveChance() {
		if (this.last - this.busySince < this.turnover && this.chance < RAREST_CHANCE) {
			this.chance = this.chance << 1 | 1;
		}
		this.busySince = this.last;
		this.chanceSince = this.last;
	}

	private @Nullable Caller sampled(long hash, long now) {
		Caller caller = this.sampled.find(hash);
		if (caller != null) {
			return caller;
		}
		if (this.sampled.isFull()) {
			makeRoom(this.last);
			if (!isSampled(hash)) {
				return null;
			}
		}
		return this.sampled.add(hash, now);
	}

	private void makeRoom(long now) {
		double added = 1 - (double) this.keptSampled / this.sampled.size();
		this.sampled.removeFull(now);
		if (now - this.sampledSince < this.turnover * added) {
			lowerThreshold();
		}
		while (this.sampled.isNearlyFull()) {
			lowerThreshold();
		}
		this.sampledSince = now;
		this.keptSampled = this.sampled.size();
	}

	private void lowerThreshold() {
		save();
		long lower = (long) (this.threshold * FALL);
		this.sampled.removeFrom(lower);
		this.threshold = lower;
	}

	private int[] drainedSince(Caller caller, long now) {
		long elapsed = now - caller.time;
		if (elapsed >= this.ladder.tick) {
			caller.time = now;
		}
		return this.drain.units(elapsed);
	}

	/*
	 * Without a branch, as below, so that compilers can do it for several buckets at
	 * once. Of several requests, those that do not fit are the last: as many as what is
	 * over, divided by the cost, rounded up. Several have a cost that is a power of two;
	 * one may cost anything, since what is over is at most its cost.
	 */
	private void updateSampled(int[] backlogs, int[] drained, int cost, int count, int[] seen) {
		int[] capacities = this.capacities;
		int[] unsaved = this.unsavedSampled;
		int all = cost * count;
		int shift = shift(cost);
		int rounding = (1 << shift) - 1;
		for (int i = 0; i < Ladder.CELLS; i++) {
			int left = backlogs[i] - drained[i];
			left &= ~(left >> 31);
			int over = left + all - capacities[i];
			over &= ~(over >> 31);
			int rejected = over + rounding >> shift;
			backlogs[i] = left + all - rejected * cost;
			int unseen = rejected - seen[i];
			unsaved[i] += unseen & ~(unseen >> 31);
		}
	}

	/* The first rejection of a bucket does not count. */
	private void updateBusy(int[] buckets, int[] drained, int cost, int count) {
		int[] capacities = this.capacities;
		int[] unsaved = this.unsavedBusy;
		int[] seen = this.seen;
		int all = cost * count;
		int shift = shift(cost);
		int rounding = (1 << shift) - 1;
		for (int i = 0; i < Ladder.CELLS; i++) {
			int counts = buckets[i] >> 31;
			int left = (buckets[i] & ~COUNTS) - drained[i];
			left &= ~(left >> 31);
			int over = left + all - capacities[i];
			over &= ~(over >> 31);
			int rejected = over + rounding >> shift;
			int rejects = -rejected >> 31;
			int counted = rejected + (rejects & ~counts);
			buckets[i] = left + all - rejected * cost | (counts | rejects) & COUNTS;
			unsaved[i] += counted;
			seen[i] = counted & ~counts | count & counts;
		}
	}

	private static int shift(int cost) {
		return Integer.SIZE - Integer.numberOfLeadingZeros(cost - 1);
	}

	private void save() {
		double weight = samplesAll() ? 1 : 0x1p63 / this.threshold;
		for (int i = 0; i < Ladder.CELLS; i++) {
			this.rejected[i] += this.unsavedSampled[i] * weight + this.unsavedBusy[i];
		}
		Arrays.fill(this.unsavedSampled, 0);
		Arrays.fill(this.unsavedBusy, 0);
		this.unsavedRequests = 0;
	}

	/**
	 * How many requests would have been rejected, by burst and rate.
	 */
	double[] rejected() {
		save();
		return this.rejected.clone();
	}

}
