package io.github.ratelimit.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * A decision in Redis, beside the least that a script can cost there. Not with JMH, which
 * runs one contender after the other: here they take turns every second, and each round
 * has throughput, latencies and the server's own counters of the same time.
 */
public final class RedisSuite implements Suite {

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public String description() {
		return """
				A decision in Redis

				Floor: `EVALSHA` of a script that returns 1, over a plain Lettuce connection. All share one client and its
				settings and use one connection each, which all callers share; Redisson has its own client and its usual pool.
				A caller asks again as soon as it has its answer. One that is asynchronous holds no thread meanwhile: ours ask
				through the store's `RateLimitSession`, and in one line as WebFlux does, whose requests go on on other threads.

				The names of algorithms are ours. Callers of one key join a call of Redis while others are under way; "not
				joined" is the same store without that. Two limits are a token bucket and a fixed window counter. Two or three
				rules are so many policies that one request meets in one place, each a token bucket: all give a permit, or none
				does. What is charged nothing is settled once it is decided on, and nobody waits for that or for what is tried
				in shadow. With three plans, every key has one of them, which was found out before. Two or three buckets of
				bucket4j are asked one after the other. No rejection is remembered, but where a name says so. With batching,
				bucket4j, too, joins what callers of one process ask of one bucket meanwhile; without, it is left out where a
				thousand callers would compare and set in vain.

				Contenders take turns, and each turn begins with an empty database; a figure is the middle of several
				turns, with half their spread. Throughput, p99 and what the server says of itself (`INFO`) are of the same
				decisions; of asynchronous callers, one in 16 is timed. In every turn it is checked that everybody decides as the title says. Commands run are those of
				clients and those that scripts call. Three instances are three stores with 64 asynchronous callers each, which
				use up one budget.
				""";
	}

	@Override
	public List<Table> tables() {
		return RedisTables.all();
	}

	@Override
	public List<Curves> curves() {
		return RedisTables.curves();
	}

	@Override
	public List<Measurement> run(Mode mode) throws Exception {
		List<Measurement> measurements = new ArrayList<>();
		try (RedisServer server = RedisServer.open(); ServerAccess redis = new ServerAccess(server)) {
			for (Situation situation : Situation.ALL) {
				measurements.addAll(
						measure(redis, situation, Entrants.of(situation), Schedule.of(mode), Metric.OF_SHORT_TURNS));
			}
			measurements.addAll(measure(redis, Situation.REJECTED, List.of(Entrants.remembering()),
					Schedule.ofForgetting(mode), Set.of(Metric.SCRIPTS_A_SECOND)));
			for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
				measurements.add(Instances.measure(redis, algorithm, Schedule.of(mode).measured()));
			}
		}
		return measurements;
	}

	private static List<Measurement> measure(ServerAccess redis, Situation situation, List<Entrant> entrants,
			Schedule schedule, Set<Metric> metrics) throws Exception {
		try (Contest contest = new Contest(redis, situation, entrants)) {
			return contest.measure(schedule, metrics);
		}
	}

}
