package io.github.ratelimit.benchmarks.startup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.process.ChildProcess;
import io.github.ratelimit.benchmarks.process.ServerProcess;

/**
 * What a started application takes up.
 *
 * @param classes how many classes were loaded
 * @param ours how many of them are the library's
 * @param heapBytes what is in use on the heap after a collection
 */
record Footprint(long classes, long ours, long heapBytes) {

	static Footprint of(Contender contender, List<String> options) throws IOException {
		Path log = Files.createTempFile("classes", ".log");
		try {
			long classes;
			long heap;
			try (ChildProcess process = contender.start(logging(options, log))) {
				process.await(ServerProcess.PORT);
				classes = process.ask(ServerProcess.CLASSES)[0];
				heap = process.ask(ServerProcess.HEAP)[0];
			}
			return new Footprint(classes, ours(log), heap);
		}
		finally {
			Files.delete(log);
		}
	}

	private static List<String> logging(List<String> options, Path log) {
		return Stream.concat(options.stream(), Stream.of("-Xlog:class+load:file=" + log)).toList();
	}

	private static long ours(Path log) throws IOException {
		try (Stream<String> lines = Files.lines(log)) {
			return lines.filter((line) -> line.contains(" io.github.ratelimit.") && !line.contains(".benchmarks."))
				.count();
		}
	}

}
