package io.github.ratelimit.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a Java process has come to that had this one's class path.
 *
 * @param exit its exit code, 0 if all went well
 * @param text all that it printed
 */
public record JavaProcess(int exit, String text) {

	public static JavaProcess run(Class<?> main, String... options) throws IOException, InterruptedException {
		List<String> command = Stream
			.of(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()), Stream.of(options),
					Stream.of("-classpath", System.getProperty("java.class.path"), main.getName()))
			.flatMap((part) -> part)
			.toList();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		return new JavaProcess(process.waitFor(), text);
	}

}
