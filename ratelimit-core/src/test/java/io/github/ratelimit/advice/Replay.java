package io.github.ratelimit.advice;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.test.ManualClock;

/**
 * Replays a trace through the observation, and exactly: a bucket for every caller, rate
 * and burst.
 */
final class Replay implements Trace.Sink {

	static final RateLimitPolicy POLICY = RateLimitPolicy.of("api",
			RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 60, Duration.ofMinutes(1)));

	private final ManualClock clock = ManualClock.atMidnight();

	private final CandidateGrid grid = CandidateGrid.around(POLICY.limits().get(0));

	private final Map<String, Caller> callers = new HashMap<>();

	private final double[] rejected = new double[CandidateGrid.CELLS];

	private final long start = this.clock.nanos();

	private final List<ObservedTraffic> observed;

	private final long[] rejectedPassersBy = new long[CandidateGrid.BURSTS];

	private int passersBy;

	private long requests;

	/**
	 * Creates a replay.
	 * @param seeds of the observations, which sample other callers each
	 */
	Replay(long... seeds) {
		this.observed = Arrays.stream(seeds).mapToObj(this::observed).toList();
	}

	private ObservedTraffic observed(long seed) {
		Random random = new Random(seed);
		return new ObservedTraffic(POLICY, this.clock, random::nextInt);
	}

	@Override
	public void request(double seconds, String key, long permits) {
		observe(seconds, key, permits);
		this.callers.computeIfAbsent(key, (absent) -> new Caller()).request(seconds, permits);
	}

	/* They are not kept, because their buckets are full and lose as many of all rates. */
	@Override
	public void passerBy(double seconds, String key, int requests) {
		for (int i = 0; i < requests; i++) {
			observe(seconds, key, 1);
		}
		this.passersBy++;
		for (int burst = 0; burst < CandidateGrid.BURSTS && this.grid.bursts[burst] < requests; burst++) {
			this.rejectedPassersBy[burst]++;
			for (int rate = 0; rate < CandidateGrid.RATES; rate++) {
				this.rejected[burst * CandidateGrid.RATES + rate] += requests - this.grid.bursts[burst];
			}
		}
	}

	private void observe(double seconds, String key, long permits) {
		long time = this.start + (long) (seconds * 1e9);
		this.clock.advanceNanos(time - this.clock.nanos());
		this.requests++;
		this.observed.forEach((observed) -> observed.observe(key, permits));
	}

	Advice advice() {
		return this.observed.get(0).advice();
	}

	List<Advice> advices() {
		return this.observed.stream().map(ObservedTraffic::advice).toList();
	}

	int callers() {
		return this.callers.size() + this.passersBy;
	}

	long requests() {
		return this.requests;
	}

	double rejectedCallers(int rate, int burst) {
		int cell = burst * CandidateGrid.RATES + rate;
		long regulars = this.callers.values().stream().filter((caller) -> caller.isRejected(cell)).count();
		return (double) (regulars + this.rejectedPassersBy[burst]) / callers();
	}

	double rejectedRequests(int rate, int burst) {
		return this.rejected[burst * CandidateGrid.RATES + rate] / this.requests;
	}

	private final class Caller {

		private final double[] backlogs = new double[CandidateGrid.CELLS];

		private final long[] rejections = new long[2];

		private double time;

		boolean isRejected(int cell) {
			return (this.rejections[cell >> 6] & 1L << cell) != 0;
		}

		void request(double seconds, long permits) {
			double elapsed = seconds - this.time;
			this.time = seconds;
			for (int cell = 0; cell < CandidateGrid.CELLS; cell++) {
				int rate = cell % CandidateGrid.RATES;
				double perSecond = Replay.this.grid.limits[rate] / (Replay.this.grid.windows[rate] / 1e9);
				double left = Math.max(0, this.backlogs[cell] - elapsed * perSecond) + permits;
				if (left <= Replay.this.grid.bursts[cell / CandidateGrid.RATES]) {
					this.backlogs[cell] = left;
				}
				else {
					this.backlogs[cell] = left - permits;
					this.rejections[cell >> 6] |= 1L << cell;
					Replay.this.rejected[cell]++;
				}
			}
		}

	}

}
