package io.github.ratelimit.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/**
 * What is advised, beside what exact buckets for every caller say.
 */
@Tag("slow")
class AccuracyTests {

	/* One caller in 20. */
	private static final double COMMON = 0.05;

	static Stream<Arguments> traces() {
		return Stream.of(
				Arguments.of("Zipf", 1L, (Consumer<Trace.Sink>) (sink) -> Trace.zipf(1, 100_000, 500_000, sink)),
				Arguments.of("diurnal", 2L, (Consumer<Trace.Sink>) (sink) -> Trace.diurnal(2, 20_000, sink)),
				Arguments.of("bots", 3L, (Consumer<Trace.Sink>) (sink) -> Trace.bots(3, 40_000, 300_000, 1000, sink)),
				Arguments.of("few bots", 4L,
						(Consumer<Trace.Sink>) (sink) -> Trace.bots(4, 40_000, 300_000, 200, sink)),
				Arguments.of("ten million callers", 5L,
						(Consumer<Trace.Sink>) (sink) -> Trace.crowd(5, 10_000_000, 20_000, 1_000_000, sink)));
	}

	/*
	 * Of what more than one caller in 20 would meet, nobody would choose a limit, and a
	 * sample of some thousands knows it less exactly.
	 */
	@ParameterizedTest(name = "{0}, seed {1}")
	@MethodSource("traces")
	void sharesAreThoseOfAnExactReplay(String name, long seed, Consumer<Trace.Sink> trace) {
		Replay replay = new Replay(seed);
		trace.accept(replay);
		Advice advice = replay.advice();
		List<String> wrong = new ArrayList<>();
		int rejecting = 0;
		for (int rate = 0; rate < CandidateGrid.RATES; rate++) {
			for (int burst = 0; burst < CandidateGrid.BURSTS; burst++) {
				Advice.Point point = advice.curves().get(rate).points().get(burst);
				double callers = replay.rejectedCallers(rate, burst);
				double requests = replay.rejectedRequests(rate, burst);
				rejecting += (requests > 0.01) ? 1 : 0;
				if (Math.abs(point.callers() - callers) > ((callers < COMMON) ? 0.005 : 0.015)
						|| Math.abs(point.requests() - requests) > Math.max(0.002, 0.1 * requests)) {
					wrong.add("rate %d, burst %d: %.4f of callers for %.4f, %.4f of requests for %.4f".formatted(rate,
							point.burst(), point.callers(), callers, point.requests(), requests));
				}
			}
		}
		assertThat(wrong).as("seed " + seed).isEmpty();
		assertThat(rejecting).isGreaterThan(20);
		assertThat(advice.requests()).isEqualTo(replay.requests());
		assertThat(advice.callers()).isCloseTo(replay.callers(), withinPercentage(4));
	}

	/*
	 * Many callers with about as many requests each become busy ones, and are forgotten
	 * as such. A sample is off by chance, the mean of several hardly.
	 */
	@Test
	void sharesOfRequestsAreOnAverageThoseOfAnExactReplayWhereNobodyMakesMost() {
		Replay replay = new Replay(LongStream.rangeClosed(1, 8).toArray());
		Trace.diurnal(6, 40_000, replay);
		List<Advice> advices = replay.advices();
		List<String> wrong = new ArrayList<>();
		for (int rate = 0; rate < CandidateGrid.RATES; rate++) {
			for (int burst = 0; burst < CandidateGrid.BURSTS; burst++) {
				double mean = meanOfRequests(advices, rate, burst);
				double requests = replay.rejectedRequests(rate, burst);
				if (Math.abs(mean - requests) > Math.max(0.001, 0.05 * requests)) {
					wrong.add("rate %d, burst %d: %.4f of requests for %.4f".formatted(rate, burst, mean, requests));
				}
			}
		}
		assertThat(wrong).isEmpty();
	}

	private static double meanOfRequests(List<Advice> advices, int rate, int burst) {
		return advices.stream()
			.mapToDouble((advice) -> advice.curves().get(rate).points().get(burst).requests())
			.average()
			.orElseThrow();
	}

}
