package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.github.ratelimit.actuate.PolicyHistory.Shown;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of what all policies decided in the last hour.
 *
 * @param instance the name of the instance that decided
 * @param step the length of each step in seconds: a minute, or longer where that would be
 * too much
 * @param end when the last step ended
 * @param policies the requests of each policy in each step, oldest first, by what became
 * of them: {@code allowed}, at once or after waiting, {@code rejected} and
 * {@code wouldBeRejected}. What never happened is left out
 */
record HourDescriptor(String instance, int step, Instant end,
		Map<String, Map<String, int[]>> policies) implements OperationResponseBody {

	/* What is beside the policies fits in the rest of 64 kB. */
	private static final int MAX_LENGTH = 63_000;

	private static final int SECONDS_OF_A_MINUTE = 60;

	/* How many minutes a step has where single ones would be too much. */
	private static final int[] COARSER_STEPS = { 2, 5, 10, 30 };

	static HourDescriptor of(String instance, Instant end, int minutes, Map<String, PolicyHistory> policies) {
		int step = 1;
		Map<String, Map<String, int[]>> described = describe(minutes, step, policies);
		for (int i = 0; i < COARSER_STEPS.length && length(described) > MAX_LENGTH; i++) {
			step = COARSER_STEPS[i];
			described = describe(minutes, step, policies);
		}
		return new HourDescriptor(instance, step * SECONDS_OF_A_MINUTE, end, described);
	}

	private static Map<String, Map<String, int[]>> describe(int minutes, int step,
			Map<String, PolicyHistory> policies) {
		Map<String, Map<String, int[]>> described = new TreeMap<>();
		policies.forEach((name, history) -> {
			int[] allowed = history.minutes(Shown.ALLOWED);
			int[] delayed = history.minutes(Shown.DELAYED);
			Arrays.setAll(allowed, (i) -> plus(allowed[i], delayed[i]));

			Map<String, int[]> curves = new TreeMap<>();
			addCurve(Shown.ALLOWED, sums(allowed, minutes, step), curves);
			addCurve(Shown.REJECTED, sums(history.minutes(Shown.REJECTED), minutes, step), curves);
			addCurve(Shown.WOULD_BE_REJECTED, sums(history.minutes(Shown.WOULD_BE_REJECTED), minutes, step), curves);
			described.put(name, curves);
		});
		return described;
	}

	private static void addCurve(Shown shown, int[] values, Map<String, int[]> curves) {
		if (Arrays.stream(values).anyMatch((value) -> value > 0)) {
			curves.put(shown.id(), values);
		}
	}

	/*
	 * Adds up the newest minutes, so many in a step. A policy that is younger than the
	 * others has decided nothing before.
	 */
	private static int[] sums(int[] values, int minutes, int step) {
		int[] sums = new int[minutes / step];
		for (int i = 0; i < values.length; i++) {
			int fromNewest = (values.length - 1 - i) / step;
			if (fromNewest < sums.length) {
				int at = sums.length - 1 - fromNewest;
				sums[at] = plus(sums[at], values[i]);
			}
		}
		return sums;
	}

	private static int plus(int one, int other) {
		return (int) Math.min(Integer.MAX_VALUE, (long) one + other);
	}

	/* How many characters the policies are in JSON, with quotes, colons and commas. */
	private static long length(Map<String, Map<String, int[]>> policies) {
		long length = 0;
		for (Map.Entry<String, Map<String, int[]>> policy : policies.entrySet()) {
			length += policy.getKey().length() + "\"\":{},".length();
			for (Map.Entry<String, int[]> curve : policy.getValue().entrySet()) {
				length += curve.getKey().length() + "\"\":[],".length()
						+ Arrays.stream(curve.getValue())
							.mapToLong((value) -> String.valueOf(value).length() + 1)
							.sum();
			}
		}
		return length;
	}

}
