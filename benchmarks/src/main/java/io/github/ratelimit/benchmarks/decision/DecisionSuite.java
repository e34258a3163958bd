package io.github.ratelimit.benchmarks.decision;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A decision in this process, beside the least that it can be and beside the peers.
 */
public final class DecisionSuite implements Suite {

	private static final int MANY = 4;

	private static final String YES_OR_NO = "one hot key, 1 thread, only yes or no";

	private static final String AFTER_ALL = "one hot key, allowed, 1 thread, in a process that has run all of them";

	private static final Set<Contender> OURS = EnumSet.range(Contender.TOKEN_BUCKET, Contender.TWO_LIMITS);

	static final Set<Contender> OURS_OF_ONE = EnumSet.range(Contender.TOKEN_BUCKET, Contender.SLIDING_WINDOW_COUNTER);

	/*
	 * Limits by themselves, beside those of the peers that are asked for one key at a
	 * time.
	 */
	private static final Set<Contender> PLAIN = EnumSet.of(Contender.FLOOR, Contender.TOKEN_BUCKET,
			Contender.LEAKY_BUCKET, Contender.FIXED_WINDOW_COUNTER, Contender.SLIDING_WINDOW_LOG,
			Contender.SLIDING_WINDOW_COUNTER, Contender.TWO_LIMITS, Contender.BUCKET4J, Contender.RESILIENCE4J,
			Contender.GUAVA);

	@Override
	public String name() {
		return "decision";
	}

	@Override
	public String description() {
		return """
				A decision in this process

				Policy, key and permits in; allowed, remaining, retry and reset times out, counted for the metrics. The
				floor is `Caffeine.getIfPresent`, `System.nanoTime` and one compare-and-set of the value found. The peers
				are used as their documentation says: a bucket or limiter for each key in Caffeine, found with
				`Cache.get`. resilience4j and Guava are asked for yes or no, because they tell no more at once; bucket4j
				for its remaining tokens. "Bytes kept" are beyond Caffeine's entry and the key's text.
				Of many keys, a thread asks for one after another of a million that were drawn beforehand; keys, entries and
				states are some 20 MB, more than the processor's own caches have.

				Contenders take turns in short processes of their own. A time is the lower quartile of all turns, and its
				error half of what the processes' own lower quartiles lie apart; these are listed, too. Four threads ask at
				the same time, so that on two processors each time is twice as long as its work.""";
	}

	@Override
	public List<Table> tables() {
		String allowed = Load.ALLOWED.situation(1);
		String rejected = Load.REJECTED.situation(1);
		List<Table> tables = new ArrayList<>();
		tables.add(Table.ofRatios(allowed, JmhRounds.TIME)
			.goal(Goal.atMost(1.2), labels(OURS_OF_ONE))
			.goal(Goal.atMost(1.5), Contender.SLIDING_WINDOW_LOG.label(), Contender.TWO_LIMITS.label(),
					Contender.PLANNED.label())
			.goal(Goal.atMost(1.7), Contender.SHADOWED.label())
			.goal(Goal.atMost(2), Contender.CHARGED.label())
			.drawn());
		tables.add(Table.ofRatios(allowed, JmhRounds.TIME).dividedBy(Contender.TOKEN_BUCKET.label(), allowed));
		tables.add(AddedTime.table(allowed));
		tables.add(Table.ofRatios(rejected, JmhRounds.TIME)
			.dividedBy(Table.FLOOR, allowed)
			.goal(Goal.atMost(1.2), labels(OURS_OF_ONE))
			.goal(Goal.atMost(1.2), Contender.BANNING.label())
			.goal(Goal.atMost(1.6), Contender.OBSERVED.label()));
		tables.add(Table.ofRatios(Load.REJECTED.situation(MANY), JmhRounds.TIME)
			.dividedBy(Table.FLOOR, allowed)
			.goal(Goal.atMost(1.3), labels(OURS_OF_ONE))
			.drawn());
		tables.add(Table.ofRatios(Load.ALLOWED.situation(MANY), JmhRounds.TIME)
			.goal(Goal.atMost(2.5), labels(OURS_OF_ONE))
			.goal(Goal.atMost(1.3), labels(EnumSet.range(Contender.TOKEN_BUCKET, Contender.FIXED_WINDOW_COUNTER))));
		tables.add(Table.ofRatios(AFTER_ALL, JmhRounds.TIME));
		String many = Load.MANY_KEYS.situation(1);
		tables.add(Table.ofRatios(many, JmhRounds.TIME)
			.goal(Goal.atMost(1.3), labels(OURS_OF_ONE))
			.goal(Goal.atMost(2), Contender.SLIDING_WINDOW_LOG.label()));
		tables.add(Table.ofRatios(many, JmhRounds.TIME)
			.dividedBy(Contender.BUCKET4J.label(), many)
			.goal(Goal.atMost(0.5), labels(OURS_OF_ONE)));
		tables.add(Table.ofFigures(allowed, JmhRounds.ALLOCATED)
			.goal(Goal.atMost(64), labels(OURS))
			.goal(Goal.atMost(104), Contender.TWO_LIMITS.label()));
		tables.add(Table.ofFigures(YES_OR_NO, JmhRounds.ALLOCATED).goal(Goal.atMost(0), labels(OURS_OF_ONE)));
		tables.add(Footprint.table());
		return tables;
	}

	private static String[] labels(Set<Contender> contenders) {
		return contenders.stream().map(Contender::label).toArray(String[]::new);
	}

	@Override
	public List<Measurement> run(Mode mode) throws RunnerException, IOException {
		List<Contender> all = Arrays.asList(Contender.values());
		// what is charged nothing is never rejected
		Set<Contender> rejecting = EnumSet.complementOf(EnumSet.of(Contender.FLOOR, Contender.CHARGED));
		Set<Contender> rejectingPlain = EnumSet.copyOf(PLAIN);
		rejectingPlain.retainAll(rejecting);
		JmhRounds jmh = new JmhRounds(mode);
		for (int round = 0; round < jmh.rounds(); round++) {
			jmh.run("hotKey", Load.ALLOWED, 1, Load.ALLOWED.situation(1), all);
			jmh.run("hotKey", Load.REJECTED, 1, Load.REJECTED.situation(1), rejecting);
			jmh.run("hotKey", Load.ALLOWED, MANY, Load.ALLOWED.situation(MANY), PLAIN);
			jmh.run("hotKey", Load.REJECTED, MANY, Load.REJECTED.situation(MANY), rejectingPlain);
			jmh.run("manyKeys", Load.MANY_KEYS, 1, Load.MANY_KEYS.situation(1), PLAIN);
			jmh.runAfterAll("hotKey", Load.ALLOWED, AFTER_ALL, all);
		}
		// of which only the bytes are told, which are the same each time
		jmh.run("yesOrNo", Load.ALLOWED, 1, YES_OR_NO, all);
		List<Measurement> measurements = new ArrayList<>(jmh.measurements());
		measurements.addAll(AddedTime.of(jmh.measurements()));
		measurements.addAll(Footprint.measure(mode));
		return measurements;
	}

}
