package io.github.ratelimit.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The parent of this process, as the process itself sees it. They talk over the standard
 * streams, so that the process notices when its parent is gone.
 */
public final class ParentProcess {

	static final String MARK = "measured: ";

	private ParentProcess() {
	}

	/**
	 * Tells the parent figures.
	 * @param subject what they are about
	 * @param figures the figures
	 */
	public static void tell(String subject, long... figures) {
		System.out.println(Arrays.stream(figures)
			.mapToObj(Long::toString)
			.collect(Collectors.joining(" ", MARK + subject + " ", "")));
	}

	/**
	 * Answers the parent's questions until it has no more, or is gone.
	 * @param answers what it may ask for
	 * @throws IOException if the questions cannot be read
	 */
	public static void serve(Map<String, Supplier<long[]>> answers) throws IOException {
		BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String subject = questions.readLine(); subject != null; subject = questions.readLine()) {
			Supplier<long[]> answer = answers.get(subject);
			if (answer == null) {
				throw new IllegalArgumentException("Nobody knows its " + subject);
			}
			tell(subject, answer.get());
		}
	}

}
