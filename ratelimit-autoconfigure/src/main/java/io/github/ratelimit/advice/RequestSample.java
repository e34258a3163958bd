package io.github.ratelimit.advice;

import java.util.Comparator;
import java.util.List;

import io.github.ratelimit.advice.Callers.Caller;

/**
 * Estimates how many requests would have been rejected. Each caller that is followed has
 * a bucket for each rate and burst, in which a rejected request takes nothing.
 * <p>
 * Callers whose hash is below a threshold are followed from their first request, and each
 * counts for all that are not. That would be far off where few callers make most
 * requests. So each request of any caller has the same small chance to make the caller a
 * busy one (Estan and Varghese, sample and hold, 2002), which finds those soon that make
 * many. A busy caller is followed from then on, and counts for itself alone. Those that
 * take most are kept.
 */
final class RequestSample extends Callers {

	private static final int RAREST_CHANCE = (1 << 24) - 1;

	/* The bucket that drains for longest. */
	private static final int SLOWEST = Ladder.CELLS - Ladder.RATES;

	private final Ladder ladder;

	private final int mostSampled;

	private final int mostBusy;

	/*
	 * The least time in which the whole sample may be replaced: long enough for a busy
	 * caller to show, and for few to be new.
	 */
	private final long turnover;

	private final int[] drained = new int[Ladder.RATES];

	private final double[] rejected = new double[Ladder.CELLS];

	private int busy;

	/* A request makes its caller a busy one if these bits of its random number are 0. */
	private volatile int chance;

	private long sampledSince;

	private int keptSampled;

	private long busySince;

	/* Of all requests by now, which are not observed in their order. */
	private long last = Long.MIN_VALUE;

	RequestSample(Ladder ladder, int mostSampled, int mostBusy, long turnover) {
		this.ladder = ladder;
		this.mostSampled = mostSampled;
		this.mostBusy = mostBusy;
		this.turnover = turnover;
	}

	/**
	 * Whether a request with a random number makes its caller a busy one.
	 */
	boolean draws(int random) {
		return (random & this.chance) == 0;
	}

	boolean follows(long hash) {
		return cover(hash) || get(hash) != null;
	}

	/**
	 * Observes requests of a caller.
	 * @param cost what each of them costs
	 * @param count how many they are
	 * @param drawn whether one of them makes the caller a busy one
	 */
	void observe(long hash, long now, int cost, int count, boolean drawn) {
		this.last = Math.max(this.last, now);
		Caller known = get(hash);
		boolean becomesBusy = drawn && weight() > 1 && (known == null || !known.busy);
		if (becomesBusy) {
			makeRoomForBusy();
		}
		else if (known == null && cover(hash) && sampled() >= this.mostSampled) {
			makeRoom();
		}
		Caller caller = getOrAdd(hash, now, becomesBusy || cover(hash), Ladder.CELLS);
		if (caller != null) {
			if (becomesBusy) {
				caller.busy = true;
				this.busy++;
			}
			this.ladder.drain(caller, now, this.drained);
			fill(caller, cost, count);
		}
	}

	private int sampled() {
		return size() - this.busy;
	}

	private void makeRoomForBusy() {
		if (this.busy == this.mostBusy) {
			List<Caller> idlest = stream().filter((caller) -> caller.busy)
				.sorted(Comparator.comparingInt(this::backlog))
				.limit(this.mostBusy / 2)
				.toList();
			idlest.forEach((caller) -> caller.busy = false);
			this.busy -= idlest.size();
			retain((caller) -> caller.busy || cover(caller.hash));
			if (sampled() > this.mostSampled) {
				makeRoom();
			}
			if (this.last - this.busySince < this.turnover && this.chance < RAREST_CHANCE) {
				this.chance = this.chance << 1 | 1;
			}
			this.busySince = this.last;
		}
		else if (this.last - this.busySince > 4 * this.turnover) {
			this.chance >>= 1;
			this.busySince = this.last;
		}
	}

	/* Nothing is lost about callers whose buckets are full again. */
	private void makeRoom() {
		double added = 1 - (double) this.keptSampled / this.mostSampled;
		retain((caller) -> caller.busy || backlog(caller) > 0);
		if (this.last - this.sampledSince < this.turnover * added) {
			lowerThreshold();
		}
		while (sampled() > this.mostSampled - this.mostSampled / 8) {
			lowerThreshold();
		}
		this.sampledSince = this.last;
		this.keptSampled = sampled();
	}

	private int backlog(Caller caller) {
		return Math.max(0, caller.backlogs[SLOWEST] - this.ladder.drainSlowest(this.last - caller.time));
	}

	private void fill(Caller caller, int cost, int count) {
		double weight = caller.busy ? 1 : weight();
		int[] backlogs = caller.backlogs;
		for (int cell = 0; cell < Ladder.CELLS; cell++) {
			int left = Math.max(0, backlogs[cell] - this.drained[cell % Ladder.RATES]);
			int room = this.ladder.capacities[cell / Ladder.RATES] - left;
			int fitting = (room >= (long) cost * count) ? count : room / cost;
			backlogs[cell] = left + fitting * cost;
			if (fitting < count) {
				this.rejected[cell] += (count - fitting) * weight;
			}
		}
	}

	/**
	 * How many requests would have been rejected, by burst and rate.
	 */
	double[] rejected() {
		return this.rejected.clone();
	}

}
