package io.github.ratelimit.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What clients may make the states grow to does not end a process with little memory.
 */
class SmallHeapTests {

	@ParameterizedTest
	@ValueSource(strings = { "-XX:+UseG1GC", "-XX:+UseSerialGC" })
	void twoThousandClientsThatFillLargeLogsAreServedWithinAHeapOf160Megabytes(String collector) throws Exception {
		Output output = run(LogFlood.class, "-Xmx160m", collector);
		assertThat(output.exit()).as(output.text()).isZero();
		assertThat(output.text()).startsWith("allowed ").doesNotContain("OutOfMemoryError");
	}

	private static Output run(Class<?> main, String... options) throws IOException, InterruptedException {
		List<String> command = Stream
			.of(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()), Stream.of(options),
					Stream.of("-classpath", System.getProperty("java.class.path"), main.getName()))
			.flatMap((part) -> part)
			.toList();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return new Output(process.waitFor(), text);
	}

	private record Output(int exit, String text) {
	}

}
