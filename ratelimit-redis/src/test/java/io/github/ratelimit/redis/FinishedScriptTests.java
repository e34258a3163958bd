package io.github.ratelimit.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each finished script is a file that can be read. The system property
 * {@code ratelimit.scripts.write} writes the files anew.
 */
class FinishedScriptTests {

	private static final Path FILES = Path.of("src/test/resources/io/github/ratelimit/redis/scripts");

	private static final Duration HOUR = Duration.ofHours(1);

	private static final List<String> BANNING = List.of("fixed-window-counter", "leaky-bucket", "two-limits");

	static Stream<RateLimitPolicy> policies() {
		RateLimit.Builder queue = RateLimit.builder(LEAKY_BUCKET).limit(10).window(HOUR).burst(9L);
		return Stream.of(policy(TOKEN_BUCKET), policy(FIXED_WINDOW_COUNTER), policy(SLIDING_WINDOW_COUNTER),
				policy(SLIDING_WINDOW_LOG),
				RateLimitPolicy.of("sliding-window-log-count-rejected", TestPolicies.countingRejected(10, HOUR)),
				RateLimitPolicy.of("leaky-bucket", queue.build()),
				RateLimitPolicy.of("leaky-bucket-nodelay", queue.nodelay(true).build()), waiting(SLIDING_WINDOW_LOG),
				waiting(SLIDING_WINDOW_COUNTER),
				RateLimitPolicy.of("calendar-window-counter", CalendarModel.limit(10, "P1M", "Europe/Berlin", null)),
				RateLimitPolicy.of("two-limits", TestPolicies.limit(TOKEN_BUCKET, 10, HOUR),
						TestPolicies.limit(SLIDING_WINDOW_LOG, 10, HOUR)));
	}

	private static RateLimitPolicy policy(RateLimitAlgorithm algorithm) {
		return RateLimitPolicy.of(algorithm.id(), TestPolicies.limit(algorithm, 10, HOUR));
	}

	private static RateLimitPolicy waiting(RateLimitAlgorithm algorithm) {
		return RateLimitPolicy.builder(algorithm.id() + "-waiting")
			.limit(TestPolicies.limit(algorithm, 10, HOUR))
			.maxWait(HOUR)
			.build();
	}

	static Stream<FinishedScript> scripts() {
		List<RateLimitPolicy> two = List.of(policy(TOKEN_BUCKET), policy(FIXED_WINDOW_COUNTER));
		return Stream.of(policies().flatMap((policy) -> Stream.of(deciding(policy), refunding(policy))),
				Stream.of(deciding("two-policies.lua", "Decides on a request for two policies.", two)),
				policies().filter((policy) -> !policy.delays()).map((policy) -> settling(charged(policy, ""))),
				Stream.of(policy(FIXED_WINDOW_COUNTER), policy(SLIDING_WINDOW_LOG))
					.map((policy) -> settling(warning(policy))),
				Stream.of(policy(TOKEN_BUCKET), policy(SLIDING_WINDOW_LOG))
					.map((policy) -> deciding(charged(policy, "-charged"))),
				policies().filter((policy) -> BANNING.contains(policy.name()))
					.map((policy) -> deciding(banning(policy))),
				policies().map(FinishedScriptTests::decidingAll),
				Stream.of(decidingAll(charged(policy(SLIDING_WINDOW_LOG), "-charged")),
						decidingAll(banning(policy(FIXED_WINDOW_COUNTER)))))
			.flatMap((scripts) -> scripts);
	}

	private static RateLimitPolicy charged(RateLimitPolicy policy, String suffix) {
		return RateLimitPolicy.builder(policy.name() + suffix).charge("status >= 400").limits(policy.limits()).build();
	}

	private static RateLimitPolicy warning(RateLimitPolicy policy) {
		return RateLimitPolicy.builder(policy.name() + "-warning")
			.charge("status >= 400")
			.limits(policy.limits())
			.warnAt(80)
			.build();
	}

	private static RateLimitPolicy banning(RateLimitPolicy policy) {
		return RateLimitPolicy.builder(policy.name() + "-ban").limits(policy.limits()).ban(new RateLimitBan(3)).build();
	}

	private static FinishedScript deciding(RateLimitPolicy policy) {
		return deciding(policy.name() + ".lua", "Decides on a request.", List.of(policy));
	}

	private static FinishedScript deciding(String name, String purpose, List<RateLimitPolicy> policies) {
		List<PolicyScript> scripts = policies.stream().map(PolicyScript::of).toList();
		return new FinishedScript(name, purpose, (scripts.size() > 1) ? RateLimitScripts.together(scripts)
				: RateLimitScripts.of(scripts.get(0)).decide());
	}

	private static FinishedScript decidingAll(RateLimitPolicy policy) {
		return new FinishedScript(policy.name() + "-all.lua", "Decides on several requests.",
				RateLimitScripts.of(PolicyScript.of(policy)).decideAll());
	}

	private static FinishedScript refunding(RateLimitPolicy policy) {
		return new FinishedScript(policy.name() + "-refund.lua", "Refunds what a request was given.",
				scripts(policy).refund());
	}

	private static FinishedScript settling(RateLimitPolicy policy) {
		return new FinishedScript(policy.name() + "-settle.lua", "Takes what was used beyond what was given.",
				scripts(policy).settle());
	}

	private static RateLimitScripts scripts(RateLimitPolicy policy) {
		return RateLimitScripts.of(PolicyScript.of(policy));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void theFileIsTheScript(FinishedScript script) throws IOException {
		if (Boolean.getBoolean("ratelimit.scripts.write")) {
			Files.createDirectories(FILES);
			Files.writeString(FILES.resolve(script.name()), script.text());
		}
		assertThat(FILES.resolve(script.name())).content().isEqualTo(script.text());
	}

	/**
	 * A script as the assembler finishes it.
	 *
	 * @param name the name of the file
	 * @param purpose what the script does
	 * @param script the script
	 */
	record FinishedScript(String name, String purpose, ScriptCall.Script script) {

		private static final Pattern OPENING = Pattern.compile("\\b(then|do|function|else)\\b");

		private static final Pattern CLOSING = Pattern.compile("\\b(end|else|elseif)\\b");

		/**
		 * The file: the script, indented.
		 */
		String text() {
			StringBuilder text = new StringBuilder("-- " + this.purpose + "\n");
			int depth = 0;
			for (String line : this.script.text().lines().map(String::strip).toList()) {
				int closed = CLOSING.matcher(line).lookingAt() ? 1 : 0;
				int goesOn = line.startsWith("and ") || line.startsWith("or ") ? 2 : 0;
				text.append("  ".repeat(depth - closed + goesOn)).append(line).append('\n');
				depth += count(OPENING, line) - count(CLOSING, line);
			}
			return text.toString();
		}

		private static int count(Pattern pattern, String line) {
			return (int) pattern.matcher(line).results().count();
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

}
