package io.github.ratelimit.benchmarks.decision;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Asks one contender, again and again.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DecisionBenchmark {

	/** The limiter that is asked. */
	@Param
	public Contender contender = Contender.FLOOR;

	/** For what. */
	@Param
	public Load load = Load.ALLOWED;

	private String[] keys = {};

	private String hotKey = "";

	private Decider decider = new Floor();

	/**
	 * Creates the contender, and all keys, with nothing left where that is the load.
	 */
	@Setup
	public void prepare() {
		this.keys = this.load.keys();
		this.hotKey = this.keys[0];
		this.decider = this.contender.create(this.load);
		for (String key : this.keys) {
			this.decider.allows(key);
		}
		if (this.load == Load.REJECTED) {
			for (int i = 0; i < Policies.FEW; i++) {
				this.decider.allows(this.hotKey);
			}
		}
	}

	/**
	 * Fails if the contender did not do what it was measured for.
	 */
	@TearDown(Level.Iteration)
	public void check() {
		boolean rejects = this.load == Load.REJECTED && this.contender != Contender.FLOOR;
		if (this.decider.allows(this.hotKey) == rejects) {
			throw new IllegalStateException(this.contender + " does not do what " + this.load + " is about");
		}
	}

	/**
	 * Asks for one key.
	 * @param sink takes the decisions
	 * @return the answer
	 */
	@Benchmark
	public boolean hotKey(Blackhole sink) {
		return this.decider.decide(this.hotKey, sink);
	}

	/**
	 * Asks for any key.
	 * @param random chooses the key
	 * @param sink takes the decisions
	 * @return the answer
	 */
	@Benchmark
	public boolean manyKeys(RandomPosition random, Blackhole sink) {
		return this.decider.decide(this.keys[random.below(this.keys.length)], sink);
	}

	/**
	 * Asks for no more than yes or no.
	 * @return the answer
	 */
	@Benchmark
	public boolean yesOrNo() {
		return this.decider.allows(this.hotKey);
	}

	/**
	 * A thread's random numbers: Marsaglia's xorshift, because it costs next to nothing.
	 */
	@State(Scope.Thread)
	public static class RandomPosition {

		private int last = ThreadLocalRandom.current().nextInt() | 1;

		int below(int bound) {
			this.last ^= this.last << 13;
			this.last ^= this.last >>> 17;
			this.last ^= this.last << 5;
			return (int) ((this.last & 0xffff_ffffL) * bound >>> 32);
		}

	}

}
