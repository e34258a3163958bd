package io.github.ratelimit.benchmarks.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.measure.Measurement;

/**
 * Everybody in one situation, in turns, so that what changes on the machine meanwhile
 * changes it for all.
 */
final class Contest implements AutoCloseable {

	private final List<Player> players = new ArrayList<>();

	private final ServerAccess redis;

	private final Situation situation;

	private final Load load;

	Contest(ServerAccess redis, Situation situation, List<Entrant> entrants) {
		this.redis = redis;
		this.situation = situation;
		this.load = new Load(situation);
		Task task = situation.task(redis);
		entrants.forEach((entrant) -> this.players.add(new Player(entrant, entrant.opener().apply(task))));
	}

	List<Measurement> measure(Schedule schedule, Set<Metric> metrics) throws Exception {
		List<Player> order = new ArrayList<>(this.players);
		for (int i = 0; i < schedule.warmUps() + schedule.rounds(); i++) {
			Collections.rotate(order, 1);
			for (Player player : order) {
				Round round = play(player, schedule);
				if (i >= schedule.warmUps()) {
					player.rounds().add(round);
				}
			}
		}
		return this.players.stream().flatMap((player) -> figures(player, metrics)).toList();
	}

	private Round play(Player player, Schedule schedule) throws Exception {
		Entrant entrant = player.entrant();
		Round round = Round.play(player.contender(), this.redis, this.load,
				entrant.decides() && !this.situation.allowed(), schedule.leadIn(), schedule.measured());
		Tally tally = round.tally();
		if (entrant.decides() && tally.allowed() != (this.situation.allowed() ? tally.decisions() : 0)) {
			throw new IllegalStateException("%s: %s allowed %d of %d".formatted(this.situation.title(), entrant.name(),
					tally.allowed(), tally.decisions()));
		}
		return round;
	}

	private Stream<Measurement> figures(Player player, Set<Metric> metrics) {
		return metrics.stream().map((metric) -> metric.of(this.situation, player.entrant().name(), player.rounds()));
	}

	@Override
	public void close() {
		this.players.forEach((player) -> player.contender().close());
		this.load.close();
	}

	/**
	 * Somebody who takes part.
	 */
	private record Player(Entrant entrant, Contender contender, List<Round> rounds) {

		Player(Entrant entrant, Contender contender) {
			this(entrant, contender, new ArrayList<>());
		}

	}

}
