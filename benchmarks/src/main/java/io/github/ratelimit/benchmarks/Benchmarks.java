package io.github.ratelimit.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.benchmarks.actuator.ActuatorSuite;
import io.github.ratelimit.benchmarks.decision.DecisionSuite;
import io.github.ratelimit.benchmarks.http.GatewaySuite;
import io.github.ratelimit.benchmarks.http.HttpSuite;
import io.github.ratelimit.benchmarks.http.PartsSuite;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.picture.AlgorithmPicture;
import io.github.ratelimit.benchmarks.redis.RedisSuite;
import io.github.ratelimit.benchmarks.report.Machine;
import io.github.ratelimit.benchmarks.report.Report;
import io.github.ratelimit.benchmarks.report.ResultsFolder;
import io.github.ratelimit.benchmarks.startup.StartupSuite;

/**
 * Runs a suite, keeps what it measured, and writes the report anew. Runs in the
 * benchmarks' own folder.
 */
public final class Benchmarks {

	private static final List<Suite> SUITES = List.of(new DecisionSuite(), new HttpSuite(), new PartsSuite(),
			new GatewaySuite(), new RedisSuite(), new ActuatorSuite(), new StartupSuite());

	private Benchmarks() {
	}

	/**
	 * Runs.
	 * @param arguments a suite's name, or {@code report} to write the report only; and
	 * {@code quick} or {@code full}
	 * @throws Exception if a contender fails
	 */
	public static void main(String[] arguments) throws Exception {
		String name = (arguments.length > 0) ? arguments[0] : "";
		ResultsFolder results = new ResultsFolder(Path.of("results"));
		if (!name.equals("report")) {
			Suite suite = suite(name);
			Mode mode = Mode.valueOf(arguments[1].toUpperCase(Locale.ROOT));
			String before = Machine.otherWork();
			List<Measurement> measurements = suite.run(mode);
			String otherWork = "before: %s, after: %s".formatted(before, Machine.otherWork());
			results.save(suite, "mvn -pl benchmarks -am verify -DskipTests -Dsuite=" + name + " -Dmode=" + arguments[1],
					otherWork, measurements);
		}
		new Report(results, Path.of("RESULTS.md"), Path.of("charts")).write(SUITES);
		AlgorithmPicture.write(Path.of("..", "docs", "algorithms.svg"));
	}

	private static Suite suite(String name) {
		return SUITES.stream()
			.filter((suite) -> suite.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no suite '" + name + "': use report or one of "
					+ SUITES.stream().map(Suite::name).toList()));
	}

}
