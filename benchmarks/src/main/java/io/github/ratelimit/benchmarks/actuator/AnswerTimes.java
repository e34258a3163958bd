package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.ratelimit.benchmarks.actuator.EndpointServer.Answer;
import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * How long the endpoint takes to answer one client, whose requests take turns.
 */
final class AnswerTimes {

	private static final String SITUATION = "the endpoint, over HTTP";

	private static final String MEDIAN = "median answer time";

	private static final String P99 = "99th percentile of the answer time";

	private static final String SIZE = "size of the answer";

	/* What is computed at first takes longer than it may. */
	private static final int MOST_WARM_UPS = 10_000;

	private final Map<EndpointRequest, List<double[]>> turns = new EnumMap<>(EndpointRequest.class);

	private final Map<EndpointRequest, Integer> sizes = new EnumMap<>(EndpointRequest.class);

	private final EndpointServer server;

	private AnswerTimes(EndpointServer server) {
		this.server = server;
	}

	static List<Table> tables() {
		String simulation = EndpointRequest.SIMULATION.title();
		return List.of(Table.ofFigures(SITUATION, MEDIAN).goal(Goal.atMost(50), simulation),
				Table.ofFigures(SITUATION, P99).goal(Goal.atMost(50), simulation), Table.ofFigures(SITUATION, SIZE));
	}

	static List<Measurement> measure(Mode mode) throws IOException {
		EndpointSchedule schedule = EndpointSchedule.of(mode);
		try (EndpointServer server = EndpointServer.start(schedule.keys(), schedule.options())) {
			AnswerTimes times = new AnswerTimes(server);
			times.warmUp(schedule.warmUp());
			times.ask(schedule.turns(), schedule.sends());
			return times.figures();
		}
	}

	private void warmUp(int sends) throws IOException {
		for (EndpointRequest request : EndpointRequest.values()) {
			int sent = 1;
			for (Answer answer = this.server.send(request); sent < sends || !answer.isOk(); sent++) {
				if (sent == MOST_WARM_UPS) {
					throw unexpected(request, answer);
				}
				answer = this.server.send(request);
			}
		}
	}

	private void ask(int turns, int sends) throws IOException {
		List<EndpointRequest> requests = Arrays.asList(EndpointRequest.values());
		Random random = new Random(1);
		for (int i = 0; i < turns; i++) {
			Collections.shuffle(requests, random);
			for (EndpointRequest request : requests) {
				double[] millis = new double[sends];
				for (int j = 0; j < sends; j++) {
					millis[j] = ask(request).millis();
				}
				Arrays.sort(millis);
				this.turns.computeIfAbsent(request, (absent) -> new ArrayList<>()).add(millis);
			}
		}
	}

	private Answer ask(EndpointRequest request) throws IOException {
		Answer answer = this.server.send(request);
		if (!answer.isOk()) {
			throw unexpected(request, answer);
		}
		this.sizes.put(request, answer.body().length);
		return answer;
	}

	private static IllegalStateException unexpected(EndpointRequest request, Answer answer) {
		return new IllegalStateException("%s was answered with %d: %s".formatted(request.title(), answer.status(),
				new String(answer.body(), StandardCharsets.UTF_8)));
	}

	private List<Measurement> figures() {
		List<Measurement> figures = new ArrayList<>();
		for (EndpointRequest request : EndpointRequest.values()) {
			figures.add(quantile(request, 0.5).as(SITUATION, request.title(), MEDIAN, "ms"));
			figures.add(quantile(request, 0.99).as(SITUATION, request.title(), P99, "ms"));
			figures.add(new Measurement(SITUATION, request.title(), SIZE, this.sizes.getOrDefault(request, 0) / 1e3, 0,
					"kB"));
		}
		return figures;
	}

	private Estimate quantile(EndpointRequest request, double share) {
		return Estimate.of(this.turns.getOrDefault(request, List.of())
			.stream()
			.mapToDouble((millis) -> millis[(int) (share * millis.length)])
			.toArray());
	}

}
