package io.github.ratelimit.expression;

import java.util.Arrays;

/**
 * Describes an exception without its message, which often quotes what a client has sent.
 */
final class FailureText {

	private FailureText() {
	}

	/**
	 * Describes an exception.
	 * @param failure the exception
	 * @return its type, and where the application's code threw it
	 */
	static String of(Throwable failure) {
		return failure.getClass().getSimpleName() + Arrays.stream(failure.getStackTrace())
			.filter((frame) -> !isOfPlatform(frame.getClassName()))
			.findFirst()
			.filter((frame) -> !frame.getClassName().equals(SpelEvaluator.class.getName()))
			.map((frame) -> " at " + frame)
			.orElse("");
	}

	private static boolean isOfPlatform(String type) {
		return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.")
				|| type.startsWith("org.springframework.");
	}

}
