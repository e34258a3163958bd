package io.github.ratelimit.benchmarks.actuator;

import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.advice.Advice;

/**
 * What token buckets reject that really are there, for each caller, rate and burst. One
 * caller comes after the other, so that only the buckets of one are needed at a time.
 */
final class ExactReplay {

	private final int bursts;

	private final double[] permitsPerMicro;

	private final double[] capacities;

	private final double[] backlogs;

	private final boolean[] rejects;

	private final long[] rejectedCallers;

	private final long[] rejectedRequests;

	private long callers;

	private long requests;

	/**
	 * Creates a replay.
	 * @param curves the rates and bursts that are advised on
	 */
	ExactReplay(List<Advice.Curve> curves) {
		this.bursts = curves.get(0).points().size();
		int cells = curves.size() * this.bursts;
		this.permitsPerMicro = new double[cells];
		this.capacities = new double[cells];
		for (int i = 0; i < cells; i++) {
			Advice.Curve curve = curves.get(i / this.bursts);
			this.permitsPerMicro[i] = curve.limit() / curve.window().movePointRight(6).doubleValue();
			this.capacities[i] = curve.points().get(i % this.bursts).burst();
		}
		this.backlogs = new double[cells];
		this.rejects = new boolean[cells];
		this.rejectedCallers = new long[cells];
		this.rejectedRequests = new long[cells];
	}

	/**
	 * Replays the requests of a caller.
	 * @param own the requests, in the order of their time
	 */
	void replay(Requests own) {
		Arrays.fill(this.backlogs, 0);
		Arrays.fill(this.rejects, false);
		long before = 0;
		for (int i = 0; i < own.size(); i++) {
			request(own.micros(i) - before, own.permits(i));
			before = own.micros(i);
		}
		for (int i = 0; i < this.rejects.length; i++) {
			this.rejectedCallers[i] += this.rejects[i] ? 1 : 0;
		}
		this.callers++;
		this.requests += own.size();
	}

	private void request(long micros, int permits) {
		for (int i = 0; i < this.backlogs.length; i++) {
			double left = Math.max(0, this.backlogs[i] - micros * this.permitsPerMicro[i]);
			if (left + permits <= this.capacities[i]) {
				this.backlogs[i] = left + permits;
			}
			else {
				this.backlogs[i] = left;
				this.rejects[i] = true;
				this.rejectedRequests[i]++;
			}
		}
	}

	double callers(int rate, int burst) {
		return (double) this.rejectedCallers[rate * this.bursts + burst] / this.callers;
	}

	double requests(int rate, int burst) {
		return (double) this.rejectedRequests[rate * this.bursts + burst] / this.requests;
	}

}
