package io.github.ratelimit.advice;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Estimates how many callers and how many requests would have been rejected, by samples
 * of callers: those whose hash is below a threshold, which falls as callers become more
 * (Waldspurger et al., SHARDS, 2015).
 * <p>
 * Of callers below the first threshold it is measured which burst they would have needed
 * at every rate: the largest backlog of a virtual bucket. Callers below the second one
 * are followed with a bucket for each rate and burst, in which a rejected request takes
 * nothing, and each counts for all. That would be far off where few callers make most
 * requests. So each request of any caller has the same small chance to make the caller a
 * busy one (Estan and Varghese, sample and hold, 2002), which soon finds those that make
 * many. A busy caller has buckets in which nothing is taken when it is found, and their
 * rejections count once. Those that take most are kept.
 * <p>
 * The buckets of busy callers miss what those callers had taken before. So of a busy
 * caller below the threshold only what these buckets miss counts for all: they are its
 * control variate. Whoever becomes a busy one at whatever time, the expected sum is the
 * number of requests that are rejected.
 * <p>
 * Callers are kept by the hash of their key, with open addressing. One thread at a time
 * may observe them; any may look one up meanwhile.
 */
final class CallerSample {

	private static final int MAX_MEASURED = 6656;

	private static final int MAX_SAMPLED = 1280;

	/* How many are left at most when there was no more room. */
	private static final int KEPT_SAMPLED = MAX_SAMPLED - MAX_SAMPLED / 8;

	private static final int MAX_BUSY = 768;

	/* Nearly twice as many as there are callers at most, so that searches stay short. */
	private static final int SLOTS = 1 << 14;

	private static final int MAX_DRAW_MASK = (1 << 20) - 1;

	private static final double FALL = 0.9;

	/* For how many turnovers nobody has to make room before more are drawn. */
	private static final int PATIENCE = 4;

	private static final int TURNOVER_WINDOWS = 3;

	private static final long MIN_TURNOVER = 3_000_000_000L;

	private static final int LEVEL_SHIFT = 28;

	private static final int BACKLOG = (1 << LEVEL_SHIFT) - 1;

	/* The bucket that drains for longest. */
	private static final int SLOWEST = CandidateGrid.CELLS - CandidateGrid.RATES;

	private final CandidateGrid grid;

	/*
	 * All callers that are followed may be replaced in no less time than this: long
	 * enough for a busy caller to show, and for few to be new.
	 */
	private final long turnover;

	private final int[] drained = new int[CandidateGrid.RATES];

	private final double[] rejected = new double[CandidateGrid.CELLS];

	private volatile @Nullable Caller[] slots = new Caller[SLOTS];

	private volatile long measuredBelow = Long.MAX_VALUE;

	private volatile long followedBelow = Long.MAX_VALUE;

	/* A request makes its caller a busy one if these bits of its random number are 0. */
	private volatile int drawMask;

	private int measured;

	private int sampled;

	private int busy;

	private long sampledSince;

	private int keptSampled;

	/* When busy callers last made room, or others were last drawn more often. */
	private long busySince;

	/* The time of the latest request, because they are not observed in their order. */
	private long last = Long.MIN_VALUE;

	CallerSample(CandidateGrid grid) {
		this.grid = grid;
		this.turnover = Math.max(grid.window * TURNOVER_WINDOWS, MIN_TURNOVER);
	}

	/**
	 * Whether a request with a random number makes its caller a busy one.
	 */
	boolean draws(int random) {
		return (random & this.drawMask) == 0;
	}

	/**
	 * Whether requests of a caller are observed.
	 */
	boolean has(long hash) {
		return hash < this.measuredBelow || hash < this.followedBelow || find(hash) != null;
	}

	/**
	 * Observes requests of a caller.
	 * @param cost what each of them costs
	 * @param count how many they are
	 * @param drawn whether one of them makes the caller a busy one
	 */
	void observe(long hash, long now, int cost, int count, boolean drawn) {
		this.last = Math.max(this.last, now);
		Caller caller = find(hash);
		if (caller == null) {
			caller = new Caller(hash, now);
		}

		boolean becomesBusy = drawn && caller.busyBacklogs == null && weight(this.followedBelow) > 1;
		makeRoomToMeasure(caller);
		makeRoomToFollow(caller);
		if (becomesBusy) {
			makeRoomForBusy();
			drawMoreOften();
		}
		extend(caller, becomesBusy);

		caller.requests += count;
		if (this.grid.drain(now - caller.time, this.drained)) {
			caller.time = now;
		}
		fillBuckets(caller, cost, count);
	}

	private void makeRoomToMeasure(Caller caller) {
		while (caller.needs == null && caller.hash < this.measuredBelow && this.measured >= MAX_MEASURED) {
			this.measuredBelow = (long) (this.measuredBelow * FALL);
			forgetAboveThresholds();
		}
	}

	private void makeRoomToFollow(Caller caller) {
		if (caller.sampledBacklogs == null && caller.hash < this.followedBelow && this.sampled >= MAX_SAMPLED) {
			makeRoom();
		}
	}

	private void extend(Caller caller, boolean becomesBusy) {
		if (caller.needs == null && caller.hash < this.measuredBelow) {
			caller.needs = new int[CandidateGrid.RATES];
			this.measured++;
		}
		if (caller.sampledBacklogs == null && caller.hash < this.followedBelow) {
			caller.sampledBacklogs = new int[CandidateGrid.CELLS];
			this.sampled++;
		}
		if (becomesBusy) {
			caller.busyBacklogs = new int[CandidateGrid.CELLS];
			this.busy++;
		}
		this.slots[slot(this.slots, caller.hash)] = caller;
	}

	private @Nullable Caller find(long hash) {
		@Nullable Caller[] slots = this.slots;
		return slots[slot(slots, hash)];
	}

	/* The slot of the caller, or the free one where it belongs. */
	private static int slot(@Nullable Caller[] slots, long hash) {
		int slot = (int) hash & (SLOTS - 1);
		Caller caller = slots[slot];
		while (caller != null && caller.hash != hash) {
			slot = (slot + 1) & (SLOTS - 1);
			caller = slots[slot];
		}
		return slot;
	}

	private Stream<Caller> callers() {
		return Arrays.stream(this.slots).filter(Objects::nonNull);
	}

	private void forgetAboveThresholds() {
		forgetUnless((caller) -> caller.hash < this.followedBelow);
	}

	/* Nothing is lost of callers whose buckets are full again. */
	private void forgetIdle() {
		forgetUnless((caller) -> caller.hash < this.followedBelow && backlog(caller, caller.sampledBacklogs) > 0);
	}

	/* Busy callers keep the buckets that they have as such. */
	private void forgetUnless(Predicate<Caller> sampled) {
		@Nullable Caller[] kept = new Caller[SLOTS];
		this.measured = 0;
		this.sampled = 0;
		callers().forEach((caller) -> {
			reduce(caller, sampled.test(caller));
			if (caller.needs != null || caller.sampledBacklogs != null || caller.busyBacklogs != null) {
				kept[slot(kept, caller.hash)] = caller;
			}
		});
		this.slots = kept;
	}

	private void reduce(Caller caller, boolean sampled) {
		if (caller.hash >= this.measuredBelow) {
			caller.needs = null;
		}
		if (!sampled) {
			caller.sampledBacklogs = null;
		}

		if (caller.needs != null) {
			this.measured++;
		}
		if (caller.sampledBacklogs != null) {
			this.sampled++;
		}
	}

	/* How many callers there are for each below a threshold. */
	private static double weight(long threshold) {
		return 0x1p63 / threshold;
	}

	/*
	 * Half of them make room. The next are drawn half as often if too little time has
	 * passed since that was last so, or since more were drawn.
	 */
	private void makeRoomForBusy() {
		if (this.busy < MAX_BUSY) {
			return;
		}
		forgetIdlest();
		if (this.last - this.busySince < this.turnover && this.drawMask < MAX_DRAW_MASK) {
			this.drawMask = (this.drawMask << 1) | 1;
		}
		this.busySince = this.last;
	}

	/*
	 * The next are drawn twice as often if nobody has had to make room for long.
	 */
	private void drawMoreOften() {
		if (this.last - this.busySince > PATIENCE * this.turnover) {
			this.drawMask >>= 1;
			this.busySince = this.last;
		}
	}

	private void forgetIdlest() {
		List<Caller> idlest = callers().filter((caller) -> caller.busyBacklogs != null)
			.sorted(Comparator.comparingInt((caller) -> backlog(caller, caller.busyBacklogs)))
			.limit(MAX_BUSY / 2)
			.toList();
		idlest.forEach((caller) -> caller.busyBacklogs = null);
		this.busy -= idlest.size();
		forgetAboveThresholds();
	}

	/* Fewer are followed if those who were added since have come too soon. */
	private void makeRoom() {
		double added = 1 - (double) this.keptSampled / MAX_SAMPLED;
		boolean tooSoon = this.last - this.sampledSince < this.turnover * added;
		forgetIdle();
		if (tooSoon) {
			followFewer();
		}
		while (this.sampled > KEPT_SAMPLED) {
			followFewer();
		}
		this.sampledSince = this.last;
		this.keptSampled = this.sampled;
	}

	private void followFewer() {
		this.followedBelow = (long) (this.followedBelow * FALL);
		forgetAboveThresholds();
	}

	/* What has not yet drained at the slowest rate. */
	private int backlog(Caller caller, int @Nullable [] backlogs) {
		if (backlogs == null) {
			return 0;
		}
		return Math.max(0, backlogs[SLOWEST] - this.grid.drainSlowest(this.last - caller.time));
	}

	private void fillBuckets(Caller caller, int cost, int count) {
		if (caller.needs != null) {
			raiseNeeds(caller.needs, (int) Math.min((long) cost * count, CandidateGrid.MAX_UNITS));
		}
		double weight = weight(this.followedBelow);
		if (caller.sampledBacklogs != null) {
			fill(caller.sampledBacklogs, cost, count, weight);
		}
		if (caller.busyBacklogs != null) {
			double alreadyCounted = (caller.sampledBacklogs != null) ? weight : 0;
			fill(caller.busyBacklogs, cost, count, 1 - alreadyCounted);
		}
	}

	/*
	 * A need is the backlog, and above it how many bursts were too small.
	 */
	private void raiseNeeds(int[] needs, int cost) {
		int[] capacities = this.grid.capacities;
		for (int i = 0; i < CandidateGrid.RATES; i++) {
			int level = needs[i] >>> LEVEL_SHIFT;
			if (level < CandidateGrid.BURSTS) {
				int backlog = Math.max(0, (needs[i] & BACKLOG) - this.drained[i]) + cost;
				while (level < CandidateGrid.BURSTS && backlog > capacities[level]) {
					level++;
				}

				needs[i] = (level << LEVEL_SHIFT) | backlog;
			}
		}
	}

	private void fill(int[] backlogs, int cost, int count, double weight) {
		for (int cell = 0; cell < CandidateGrid.CELLS; cell++) {
			int left = Math.max(0, backlogs[cell] - this.drained[cell % CandidateGrid.RATES]);
			int room = this.grid.capacities[cell / CandidateGrid.RATES] - left;
			int fitting = (room >= (long) cost * count) ? count : room / cost;
			backlogs[cell] = left + fitting * cost;
			if (fitting < count) {
				this.rejected[cell] += (count - fitting) * weight;
			}
		}
	}

	/**
	 * What the sample says at this moment.
	 */
	Summary summary() {
		return new Summary(estimate(), this.measured, rejectedCallers(), rejectedRequests(), mostOfOneCaller());
	}

	private long estimate() {
		return Math.round(this.measured * weight(this.measuredBelow));
	}

	private double[] rejectedCallers() {
		double[] rejected = new double[CandidateGrid.CELLS];
		callers().map((caller) -> caller.needs).filter(Objects::nonNull).forEach((needs) -> {
			for (int i = 0; i < CandidateGrid.RATES; i++) {
				for (int level = needs[i] >>> LEVEL_SHIFT; level > 0; level--) {
					rejected[(level - 1) * CandidateGrid.RATES + i]++;
				}
			}
		});
		Arrays.setAll(rejected, (cell) -> rejected[cell] / Math.max(1, this.measured));
		return rejected;
	}

	/**
	 * How many requests would have been rejected, by burst and rate. Where there are few,
	 * an estimate may be a little less than none.
	 */
	double[] rejectedRequests() {
		return this.rejected.clone();
	}

	private long mostOfOneCaller() {
		return callers().mapToLong((caller) -> caller.requests).max().orElse(0);
	}

	/**
	 * What the sample says.
	 *
	 * @param callers how many callers there are, with those that are not in the sample
	 * @param measured how many callers are in the sample
	 * @param rejectedCallers the shares of callers that would have been rejected, by
	 * burst and rate
	 * @param rejectedRequests how many requests would have been rejected, by burst and
	 * rate
	 * @param mostOfOneCaller how many requests one caller made since it was found, of the
	 * one that made most
	 */
	record Summary(long callers, int measured, double[] rejectedCallers, double[] rejectedRequests,
			long mostOfOneCaller) {
	}

	/**
	 * A caller with its virtual buckets.
	 */
	static final class Caller {

		private final long hash;

		/* When the buckets last drained. */
		private long time;

		private long requests;

		/* There is one for each rate, if the caller is measured. */
		private int @Nullable [] needs;

		/*
		 * The units that have not yet drained, for each rate and burst, if the caller is
		 * one of the sample that is followed.
		 */
		private int @Nullable [] sampledBacklogs;

		/*
		 * The same since the caller was found to make many requests, whatever its hash.
		 */
		private int @Nullable [] busyBacklogs;

		Caller(long hash, long time) {
			this.hash = hash;
			this.time = time;
		}

	}

}
