package io.github.ratelimit.benchmarks.decision;

import java.util.EnumSet;
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

	/* Enough for the JIT's last compiler to compile what each runs. */
	private static final int OF_EACH = 20_000;

	/** The limiter that is asked. */
	@Param
	public Contender contender = Contender.FLOOR;

	/** For what. */
	@Param
	public Load load = Load.ALLOWED;

	/**
	 * Whether the process has run all contenders before, as an application has that uses
	 * all of a limiter.
	 */
	@Param("false")
	public boolean afterAll;

	private String[] keys = {};

	private String hotKey = "";

	private Decider decider = new Floor();

	/**
	 * Creates the contender, and all keys, with nothing left where that is the load.
	 * @param sink takes the decisions of other contenders
	 */
	@Setup
	public void prepare(Blackhole sink) {
		if (this.afterAll) {
			runAll(sink);
		}
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

	private static void runAll(Blackhole sink) {
		for (Contender contender : Contender.values()) {
			for (Load load : EnumSet.of(Load.ALLOWED, Load.REJECTED)) {
				Decider decider = contender.create(load);
				for (int i = 0; i < OF_EACH; i++) {
					decider.decide("another", sink);
				}
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
	 * @param drawn the keys of a thread
	 * @param sink takes the decisions
	 * @return the answer
	 */
	@Benchmark
	public boolean manyKeys(DrawnKeys drawn, Blackhole sink) {
		return this.decider.decide(drawn.next(), sink);
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
	 * A thread's keys, drawn beforehand, so that drawing is not measured.
	 */
	@State(Scope.Thread)
	public static class DrawnKeys {

		private static final int DRAWN = 1 << 20;

		private String[] keys = {};

		private int last;

		/**
		 * Draws the keys.
		 * @param benchmark has them all
		 */
		@Setup
		public void draw(DecisionBenchmark benchmark) {
			this.keys = ThreadLocalRandom.current()
				.ints(DRAWN, 0, benchmark.keys.length)
				.mapToObj((position) -> benchmark.keys[position])
				.toArray(String[]::new);
		}

		String next() {
			this.last = (this.last + 1) & (DRAWN - 1);
			return this.keys[this.last];
		}

	}

}
