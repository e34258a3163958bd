package io.github.ratelimit.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

import io.github.ratelimit.benchmarks.measure.Estimate;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;

/**
 * An application's start, with and without the starter.
 */
public final class StartupSuite implements Suite {

	private static final String STARTED = "start-up";

	private static final String TIME = "time until ready";

	private static final String CPU = "CPU time until ready";

	private static final String CLASSES = "classes loaded";

	private static final String OURS = "classes of ours loaded";

	private static final List<String> MODULES = List.of("ratelimit-core", "ratelimit-redis", "ratelimit-autoconfigure");

	private static final String HEAP = "heap in use";

	private static final String JAR = "size of the jar file";

	@Override
	public String name() {
		return "startup";
	}

	@Override
	public String description() {
		return """
				Start-up and footprint

				A small application with Spring MVC and Tomcat: as it is, and with the starter, one rule and one annotated
				handler. Each start is a process of its own, and both take turns; times are from the start of the process until
				the application is ready, the median of all starts, with half the median's 99.9 % confidence interval.
				""";
	}

	@Override
	public List<Table> tables() {
		return List.of(beside(TIME).goal(Goal.atMost(1.06), Contender.WITH.title()), beside(CPU), beside(CLASSES),
				beside(HEAP), Table.ofFigures(STARTED, OURS).goal(Goal.atMost(160), Contender.WITH.title()),
				Table.ofFigures(STARTED, JAR));
	}

	private static Table beside(String metric) {
		return Table.ofFigures(STARTED, metric).dividedBy(Contender.WITHOUT.title(), STARTED);
	}

	@Override
	public List<Measurement> run(Mode mode) throws IOException {
		List<Measurement> figures = new ArrayList<>();
		starts(mode).forEach((contender, starts) -> {
			figures.add(estimate(starts, Start::millis).as(STARTED, contender.title(), TIME, "ms"));
			figures.add(estimate(starts, Start::cpuMillis).as(STARTED, contender.title(), CPU, "ms"));
		});
		for (Contender contender : Contender.values()) {
			Footprint footprint = Footprint.of(contender, mode.javaOptions());
			figures.add(exact(contender, CLASSES, footprint.classes(), ""));
			figures.add(exact(contender, OURS, footprint.ours(), ""));
			figures.add(exact(contender, HEAP, footprint.heapBytes() / 1e6, "MB"));
		}
		long bytes = 0;
		for (String module : MODULES) {
			Path library = Contender.WITH.classPath().entry(module);
			if (Files.isRegularFile(library)) {
				bytes += Files.size(library);
			}
		}
		if (bytes > 0) {
			figures.add(exact(Contender.WITH, JAR, bytes / 1e3, "kB"));
		}
		return figures;
	}

	private static Map<Contender, List<Start>> starts(Mode mode) throws IOException {
		int rounds = switch (mode) {
			case SMOKE -> 1;
			case QUICK -> 20;
			case FULL -> 60;
		};
		Map<Contender, List<Start>> starts = new EnumMap<>(Contender.class);
		List<Contender> contenders = Arrays.asList(Contender.values());
		Random random = new Random(1);
		for (int i = 0; i < rounds; i++) {
			Collections.shuffle(contenders, random);
			for (Contender contender : contenders) {
				starts.computeIfAbsent(contender, (absent) -> new ArrayList<>())
					.add(Start.of(contender, mode.javaOptions()));
			}
		}
		return starts;
	}

	private static Estimate estimate(List<Start> starts, ToDoubleFunction<Start> figure) {
		return Estimate.of(starts.stream().mapToDouble(figure).toArray());
	}

	private static Measurement exact(Contender contender, String metric, double value, String unit) {
		return new Measurement(STARTED, contender.title(), metric, value, 0, unit);
	}

}
