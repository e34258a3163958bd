package io.github.ratelimit.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import io.github.ratelimit.benchmarks.measure.Curves;
import io.github.ratelimit.benchmarks.measure.Goal;
import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Mode;
import io.github.ratelimit.benchmarks.measure.Suite;
import io.github.ratelimit.benchmarks.measure.Table;
import io.github.ratelimit.benchmarks.report.Report;
import io.github.ratelimit.benchmarks.report.ResultsFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The report has every ratio with its error, and hides no goal that was missed.
 */
class ReportTests {

	@TempDir
	private Path folder;

	@Test
	void ratiosAreToTheReferenceAndGoalsAreMetOrMissed() throws IOException {
		String page = write(Table.ofRatios("hot", "time").goal(Goal.atMost(1.5), "ours", "other"));
		assertThat(page).contains("| floor | 20 ± 1 ns | 1 |  |")
			.contains("| ours | 30 ± 3 ns | 1.50 ± 0.17 | ≤ 1.50 met |")
			.contains("| other | 31 ns | 1.55 ± 0.08 | ≤ 1.50 **missed** |");
	}

	@Test
	void theFigureOfEachProcessIsBesideThemWhereTheyDiffer() throws IOException {
		assertThat(write(Table.ofRatios("compiled", "time")))
			.contains("| goal | each process |\n|---|---|---|---|---|\n")
			.contains("| ours | 40 ± 2 ns |  |  | 38.2 40 42.3 |")
			.contains("| other | 50 ns |  |  |  |");
		assertThat(write(Table.ofRatios("hot", "time"))).doesNotContain("each process");
	}

	@Test
	void theReferenceMayBeOfAnotherSituation() throws IOException {
		String page = write(Table.ofRatios("cold", "time").dividedBy("floor", "hot").goal(Goal.atLeast(3), "ours"));
		assertThat(page).contains("× floor (hot)").contains("| ours | 60 ns | 3 ± 0.15 | ≥ 3 met |");
	}

	@Test
	void aTableIsDrawnWhereItIsWanted() throws IOException {
		String page = write(Table.ofRatios("hot", "time").drawn());
		assertThat(page).contains("(charts/stub-hot-time.svg)");
		assertThat(this.folder.resolve("charts/stub-hot-time.svg")).content()
			.startsWith("<svg")
			.contains(">floor</text>", ">other</text>", ">1.55</text>");
	}

	@Test
	void aChartIsWellFormedAndSmallAndSaysWhatABarThatIsCutStandsFor() throws Exception {
		write(Table.ofRatios("far", "time").drawn());
		Path chart = this.folder.resolve("charts/stub-far-time.svg");
		Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile());
		assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(3);
		assertThat(chart).content().contains("a &lt; b", ">100</text>").containsOnlyOnce("class=\"cut\"");
		assertThat(Files.size(chart)).isLessThan(15_000);
	}

	@Test
	void curvesHaveAPointForEachSituation() throws Exception {
		assertThat(write(Table.ofFigures("hot", "time"))).contains("![curves](charts/stub-curves.svg)");
		Path chart = this.folder.resolve("charts/stub-curves.svg");
		Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(chart.toFile());
		assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
		assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(3);
		assertThat(chart).content().contains(">ours, 60</text>", ">other, 31</text>");
	}

	@Test
	void everyChartIsAtMostFifteenKilobytes() throws IOException {
		try (Stream<Path> charts = Files.list(Path.of("charts"))) {
			assertThat(charts).isNotEmpty().allSatisfy((chart) -> assertThat(Files.size(chart)).isLessThan(15_000));
		}
	}

	@Test
	void aSuiteWithoutResultsIsLeftOut() throws IOException {
		Path page = this.folder.resolve("RESULTS.md");
		new Report(new ResultsFolder(this.folder.resolve("results")), page, this.folder.resolve("charts"))
			.write(List.of(new StubSuite(Table.ofFigures("hot", "time"))));
		assertThat(Files.readString(page)).doesNotContain("A stub");
	}

	private String write(Table table) throws IOException {
		ResultsFolder results = new ResultsFolder(this.folder.resolve("results"));
		StubSuite suite = new StubSuite(table);
		results.save(suite, "a command", "quiet", suite.run(Mode.SMOKE));
		Path page = this.folder.resolve("RESULTS.md");
		new Report(results, page, this.folder.resolve("charts")).write(List.of(suite));
		assertThat(Files.readString(page)).contains("## A stub").contains("`a command`").contains(", quiet, ");
		return Files.readString(page);
	}

	private record StubSuite(Table table) implements Suite {

		@Override
		public String name() {
			return "stub";
		}

		@Override
		public String description() {
			return "A stub";
		}

		@Override
		public List<Table> tables() {
			return List.of(this.table);
		}

		@Override
		public List<Curves> curves() {
			return List
				.of(new Curves("curves", "time", List.of(new Curves.Place(1, "hot"), new Curves.Place(16, "cold")),
						List.of("other", "ours", "none")));
		}

		@Override
		public List<Measurement> run(Mode mode) {
			return List.of(new Measurement("hot", "floor", "time", 20, 1, "ns"),
					new Measurement("hot", "ours", "time", 30, 3, "ns"),
					new Measurement("hot", "other", "time", 31, 0, "ns"),
					new Measurement("cold", "ours", "time", 60, 0, "ns"),
					new Measurement("far", "floor", "time", 10, 0, "ns"),
					new Measurement("far", "a < b", "time", 20, 0, "ns"),
					new Measurement("far", "slow", "time", 1000, 0, "ns"),
					new Measurement("compiled", "ours", "time", 40, 2, "ns", List.of(38.2, 40.0, 42.3)),
					new Measurement("compiled", "other", "time", 50, 0, "ns"));
		}

	}

}
