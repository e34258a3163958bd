package io.github.ratelimit.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

import io.github.ratelimit.benchmarks.measure.Measurement;
import io.github.ratelimit.benchmarks.measure.Suite;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The latest results of each suite, as JSON, so that the report has them all although one
 * runs one suite at a time.
 */
public final class ResultsFolder {

	private final JsonMapper json = JsonMapper.builder().build();

	private final Path folder;

	/**
	 * Creates the folder's view.
	 * @param folder where the results are
	 */
	public ResultsFolder(Path folder) {
		this.folder = folder;
	}

	/**
	 * Keeps what was measured in place of the suite's former results.
	 * @param suite the suite
	 * @param command what was typed
	 * @param otherWork what else the machine did
	 * @param measurements the figures
	 * @throws IOException if the file cannot be written
	 */
	public void save(Suite suite, String command, String otherWork, List<Measurement> measurements) throws IOException {
		Files.createDirectories(this.folder);
		Results results = new Results(LocalDate.now(ZoneOffset.UTC).toString(), command,
				Machine.describe() + ", " + otherWork, Machine.java(), measurements);
		this.json.writerWithDefaultPrettyPrinter().writeValue(file(suite), results);
	}

	@Nullable Results find(Suite suite) {
		Path file = file(suite);
		return Files.exists(file) ? this.json.readValue(file, Results.class) : null;
	}

	private Path file(Suite suite) {
		return this.folder.resolve(suite.name() + ".json");
	}

}
