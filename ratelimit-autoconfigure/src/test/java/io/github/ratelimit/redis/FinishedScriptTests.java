package io.github.ratelimit.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.ratelimit.RateLimitAlgorithm.FIXED_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_COUNTER;
import static io.github.ratelimit.RateLimitAlgorithm.SLIDING_WINDOW_LOG;
import static io.github.ratelimit.RateLimitAlgorithm.TOKEN_BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each finished script is a file that can be read, and run by hand. The system property
 * {@code ratelimit.scripts.write} writes the files anew.
 */
class FinishedScriptTests extends OneStore {

	private static final Path FILES = Path.of("src/test/resources/io/github/ratelimit/redis/scripts");

	/* Of a calendar's windows, in the order of its numbers. */
	private static final List<String> MOMENTS = List.of("$before", "$begin", "$end", "$after");

	private static final Duration HOUR = Duration.ofHours(1);

	private static final List<String> BANNING = List.of("fixed-window-counter", "leaky-bucket", "two-limits");

	static Stream<RateLimitPolicy> policies() {
		RateLimit.Builder queue = RateLimit.builder(LEAKY_BUCKET).limit(10).window(HOUR).burst(9L);
		return Stream.of(policy(TOKEN_BUCKET), policy(FIXED_WINDOW_COUNTER), policy(SLIDING_WINDOW_COUNTER),
				policy(SLIDING_WINDOW_LOG),
				RateLimitPolicy.of("sliding-window-log-count-rejected",
						RateLimit.builder(SLIDING_WINDOW_LOG).limit(10).window(HOUR).countRejected(true).build()),
				RateLimitPolicy.of("leaky-bucket", queue.build()),
				RateLimitPolicy.of("leaky-bucket-nodelay", queue.nodelay(true).build()),
				RateLimitPolicy.of("calendar-window-counter", CalendarModel.limit(10, "P1M", "Europe/Berlin", null)),
				RateLimitPolicy.of("two-limits", TestPolicies.limit(TOKEN_BUCKET, 10, HOUR),
						TestPolicies.limit(SLIDING_WINDOW_LOG, 10, HOUR)));
	}

	private static RateLimitPolicy policy(RateLimitAlgorithm algorithm) {
		return RateLimitPolicy.of(algorithm.id(), TestPolicies.limit(algorithm, 10, HOUR));
	}

	static Stream<FinishedScript> scripts() {
		List<RateLimitPolicy> two = List.of(policy(TOKEN_BUCKET), policy(FIXED_WINDOW_COUNTER));
		return Stream
			.of(policies().flatMap((policy) -> Stream.of(deciding(policy), refunding(policy))),
					Stream.of(deciding("two-policies.lua", "Decides on a request for two policies.", two)),
					policies().filter((policy) -> !policy.delays()).map((policy) -> settling(charged(policy, ""))),
					Stream.of(policy(TOKEN_BUCKET), policy(SLIDING_WINDOW_LOG))
						.map((policy) -> deciding(charged(policy, "-charged"))),
					policies().filter((policy) -> BANNING.contains(policy.name()))
						.map((policy) -> deciding(banning(policy))))
			.flatMap((scripts) -> scripts);
	}

	private static RateLimitPolicy charged(RateLimitPolicy policy, String suffix) {
		return RateLimitPolicy.builder(policy.name() + suffix).charge("status >= 400").limits(policy.limits()).build();
	}

	private static RateLimitPolicy banning(RateLimitPolicy policy) {
		return RateLimitPolicy.builder(policy.name() + "-ban")
			.limits(policy.limits())
			.ban(RateLimitBan.builder().build())
			.build();
	}

	private static FinishedScript deciding(RateLimitPolicy policy) {
		return deciding(policy.name() + ".lua", "Decides on a request.", List.of(policy));
	}

	private static FinishedScript deciding(String name, String purpose, List<RateLimitPolicy> policies) {
		List<RedisStates> states = policies.stream().map(FinishedScriptTests::states).toList();
		long[] permits = new long[policies.size()];
		Arrays.fill(permits, 1);
		ScriptCall call = JointStates.of(states).deciding(VirtualServer.questions(states, permits));
		return new FinishedScript(name, purpose, policies, call.script(), call, "", "");
	}

	private static FinishedScript refunding(RateLimitPolicy policy) {
		ScriptCall example = states(policy).deciding("key", 1, false);
		ScriptCall.Script script = RateLimitScripts.of(PolicyScript.of(policy)).refund();
		return new FinishedScript(policy.name() + "-refund.lua", "Refunds what a request was given.", List.of(policy),
				script, example, " 1" + " $MOMENT $RESET".repeat(policy.limits().size()),
				", the permits, and for each limit the moment of its decision and its reset time");
	}

	private static FinishedScript settling(RateLimitPolicy policy) {
		ScriptCall example = states(policy).deciding("key", 1, false);
		ScriptCall.Script script = RateLimitScripts.of(PolicyScript.of(policy)).settle();
		return new FinishedScript(policy.name() + "-settle.lua", "Takes what was used beyond what was given.",
				List.of(policy), script, example, " 3", ", and behind them the permits");
	}

	private static RedisStates states(RateLimitPolicy policy) {
		return new RedisStates(policy, "test", null, Duration.ZERO);
	}

	private static String file(String name) throws IOException {
		return Files.readString(FILES.resolve(name));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void theFileIsTheScript(FinishedScript script) throws IOException {
		if (Boolean.getBoolean("ratelimit.scripts.write")) {
			Files.createDirectories(FILES);
			Files.writeString(FILES.resolve(script.name()), script.text(), StandardCharsets.UTF_8);
		}
		assertThat(file(script.name())).isEqualTo(script.text());
		assertThat(FinishedScript.sent(file(script.name()))).isEqualTo(FinishedScript.stripped(script.script().text()));
	}

	@ParameterizedTest
	@MethodSource("scripts")
	void theExampleTakesPermitsOrRefundsThem(FinishedScript script) throws IOException {
		String text = file(script.name());
		boolean gives = script.name().endsWith("-refund.lua");
		List<String> words = new ArrayList<>(FinishedScript.example(text));
		if (gives) {
			RateLimitDecision decision = states(store, script, 0).decide("key", 1);
			RateLimitReceipt given = RateLimitReceipt.of(decision);
			for (int i = 0; i < decision.limits().size(); i++) {
				words.set(words.indexOf("$MOMENT"), "" + LimitScript.micros(given.decidedAtNanos(i)));
				words.set(words.indexOf("$RESET"), "" + LimitScript.micros(given.resetAfterNanos(i)));
			}
		}
		List<Long> numbers = PolicyScript.of(script.policies().get(0)).limits().get(0).numbers(1, false);
		words.replaceAll((word) -> MOMENTS.contains(word) ? "" + numbers.get(MOMENTS.indexOf(word)) : word);
		int keys = words.indexOf(",");
		words.remove(keys);
		words.addAll(0, List.of("EVAL", text, "" + keys));
		assertThat(redis.call(words.toArray(String[]::new))).startsWith("$");
		for (int i = 0; i < script.policies().size(); i++) {
			assertThat(states(store, script, i).decide("key", 0).remaining())
				.isEqualTo(gives ? 10 : script.name().endsWith("-settle.lua") ? 7 : 9);
		}
	}

	private static PolicyDecider states(TestStore store, FinishedScript script, int policy) {
		return store.open(script.policies().get(policy));
	}

}
