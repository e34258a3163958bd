package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;

/**
 * One turn of a contender.
 *
 * @param tally what the callers saw
 * @param counters what the server did meanwhile
 */
record Round(Tally tally, ServerCounters counters) {

	/* Nobody's budget is larger that is meant to be used up. */
	private static final int MAX_PERMITS = 1000;

	static Round play(Contender contender, ServerAccess redis, Load load, boolean useUp, Duration leadIn, Duration time)
			throws Exception {
		redis.clear();
		contender.prepare();
		if (useUp) {
			useUp(contender);
		}
		load.ask(contender, leadIn);
		ServerCounters before = redis.counters();
		Tally tally = load.ask(contender, time);
		return new Round(tally, redis.counters().since(before));
	}

	private static void useUp(Contender contender) throws Exception {
		for (int i = 0; i < MAX_PERMITS; i++) {
			if (!contender.decide(0)) {
				return;
			}
		}
		throw new IllegalStateException("It rejects nothing");
	}

}
