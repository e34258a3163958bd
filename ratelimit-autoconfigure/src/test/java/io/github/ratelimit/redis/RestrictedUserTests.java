package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStates;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The permissions that README names are enough for all that is asked of Redis, and each
 * is needed.
 */
class RestrictedUserTests {

	private static final Pattern RULES = Pattern.compile("ACL SETUSER shop on (.*)");

	private static final String CLIENT = "+ping";

	private static final RedisSettings SETTINGS = new RedisSettings("ratelimit", Duration.ofSeconds(20),
			Duration.ofSeconds(1), Duration.ZERO, true, 1);

	private TestRedis redis;

	@BeforeEach
	void start() {
		this.redis = TestRedis.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	private static List<String> documented() {
		try {
			Matcher rules = RULES.matcher(Files.readString(Path.of("..", "README.md")));
			assertThat(rules.find()).isTrue();
			return Arrays.stream(rules.group(1).split(" ")).filter((rule) -> !rule.startsWith(">")).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Stream<String> commands() {
		return documented().stream().filter((rule) -> rule.startsWith("+") && !rule.equals(CLIENT));
	}

	/*
	 * The user that clients are without a name.
	 */
	private void permit(List<String> rules) {
		String[] command = Stream
			.concat(Stream.of("ACL", "SETUSER", "default", "resetkeys", "resetchannels", "-@all"), rules.stream())
			.toArray(String[]::new);
		assertThat(this.redis.call(command)).startsWith("+OK");
	}

	private boolean everythingIsDone(ClientKind client) {
		RedisConnectionFactory factory = client.standalone(this.redis.port());
		try (TestStore store = new TestStore(factory, SETTINGS, RedisFailureMode.LOCAL)) {
			boolean done = RedisPolicies.of(10, Duration.ofHours(1)).allMatch((policy) -> isDone(store, policy))
					&& isDone(store, RateLimitPolicy.of("growing",
							RateLimit.of(RateLimitAlgorithm.SLIDING_WINDOW_LOG, 5, Duration.ofMillis(20))));
			store.availability().check();
			return done && store.availability().isAvailable();
		}
	}

	private static boolean isDone(TestStore store, RateLimitPolicy policy) {
		RateLimitStates states = store.open(policy);
		boolean done = true;
		try {
			for (int round = 0; round < 3; round++) {
				for (int i = 1; i < 5; i++) {
					RateLimitDecision decision = states.decide("key", i);
					done &= !decision.fallback();
					if (decision.allowed() && i % 2 == 0) {
						states.giveBack("key", i, decision);
					}
				}
				states.decide("other", 1);
				states.reset("key");
			}
			for (int i = 0; i < 200; i++) {
				done &= !states.decide("key", 1 + i % 2).fallback();
			}
		}
		catch (IllegalStateException ex) {
			return false;
		}
		return done && store.availability().isAvailable();
	}

	@ParameterizedTest
	@EnumSource
	void whatIsDocumentedIsEnough(ClientKind client) {
		permit(documented());
		assertThat(everythingIsDone(client)).isTrue();
		assertThat(this.redis.call("ACL", "LOG")).doesNotContain("evalsha", "NOPERM");
	}

	@ParameterizedTest
	@MethodSource("commands")
	void withoutOneOfThemSomethingFails(String command) {
		permit(documented().stream().filter((rule) -> !rule.equals(command)).toList());
		assertThat(everythingIsDone(ClientKind.JEDIS)).isFalse();
	}

}
