package io.github.ratelimit.local;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The JIT compiler makes one piece of code of a decision that allows. What it leaves out
 * is a call each time, and costs some decisions a tenth of their time. It says so in a
 * log, which it writes in a process of its own, one compilation after the other.
 */
class InliningTests {

	private static final String OWN = "io.github.ratelimit.";

	/*
	 * The line of a compilation that the program waits for, without those of its calls.
	 */
	private static final Pattern COMPILATION = Pattern.compile("^ *\\d+ +\\d+ [ %][ s][ !]b.*");

	/* What the compiler says of a call that it leaves out although it happens. */
	private static final Pattern LEFT_OUT = Pattern
		.compile("unloaded signature classes|already compiled into|too big|too large|too deep|recursive"
				+ "|virtual call|no static binding|NodeCount|size >");

	@ParameterizedTest
	@EnumSource(names = { "TOKEN_BUCKET", "FIXED_WINDOW_COUNTER", "SLIDING_WINDOW_COUNTER" })
	void aDecisionThatAllowsIsCompiledAsAWhole(RateLimitAlgorithm algorithm) throws IOException, InterruptedException {
		assumeThat(System.getProperty("java.vm.name")).as("HotSpot with its own compilers").startsWith("OpenJDK");
		JavaProcess process = JavaProcess.run(Decisions.class, "-XX:-TieredCompilation", "-Xbatch",
				"-XX:CICompilerCount=1", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintCompilation",
				"-XX:+PrintInlining", "-Dalgorithm=" + algorithm);
		assertThat(process.exit()).as(process.text()).isZero();

		List<String> calls = callsWithin(Decisions.class.getName() + "::decide ", process.text());
		assertThat(calls).as(process.text())
			.anyMatch((call) -> isInlined(call, "LocalDecider::decide"))
			.anyMatch((call) -> isInlined(call, "State::decide"))
			.anyMatch((call) -> isInlined(call, "::decision"))
			.noneMatch((call) -> call.contains(OWN) && LEFT_OUT.matcher(call).find());
	}

	private static boolean isInlined(String call, String method) {
		return call.contains(method) && call.contains("inline (hot)");
	}

	/*
	 * The lines between that of a method's last compilation and that of the next.
	 */
	private static List<String> callsWithin(String method, String log) {
		List<String> lines = log.lines().toList();
		int begin = lines.size() - 1;
		while (begin >= 0 && !(isCompilation(lines.get(begin)) && lines.get(begin).contains(" " + method))) {
			begin--;
		}
		Stream<String> after = lines.stream().skip(begin + 1L);
		return after.takeWhile((line) -> !isCompilation(line)).toList();
	}

	private static boolean isCompilation(String line) {
		return COMPILATION.matcher(line).matches();
	}

	/**
	 * Asks a limit that allows everything, often enough to be compiled.
	 */
	static final class Decisions {

		private static final int ENOUGH = 60_000;

		private Decisions() {
		}

		public static void main(String[] arguments) {
			RateLimitAlgorithm algorithm = RateLimitAlgorithm.valueOf(System.getProperty("algorithm"));
			RateLimit limit = RateLimit.of(algorithm, 1_000_000, Duration.ofDays(1));
			RateLimiter limiter = limiter(limit);
			int allowed = 0;
			for (int i = 0; i < ENOUGH; i++) {
				if (decide(limiter)) {
					allowed++;
				}
			}
			if (allowed < ENOUGH) {
				System.exit(1);
			}
		}

		private static RateLimiter limiter(RateLimit limit) {
			return new StoreRateLimiterRegistry(new LocalRateLimitStore(RateLimitClock.system(), 100), List.of())
				.register(RateLimitPolicy.of("policy", limit));
		}

		private static boolean decide(RateLimiter limiter) {
			return limiter.decide("key", 1).allowed();
		}

	}

}
