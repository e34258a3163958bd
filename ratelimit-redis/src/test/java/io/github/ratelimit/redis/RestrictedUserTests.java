package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.TestPolicies;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.StoreCallException;
import io.github.ratelimit.store.PolicyDecider;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The documented permissions are enough for all that is asked of Redis, and each is
 * needed.
 */
class RestrictedUserTests extends OneServer {

	private static final Pattern COMMAND = Pattern.compile("^ACL SETUSER .*$", Pattern.MULTILINE);

	@BeforeEach
	void forgetUser() {
		redis.call("ACL", "LOG", "RESET");
		redis.call("ACL", "DELUSER", "shop");
		redis.call("SCRIPT", "FLUSH");
	}

	private static List<String> documented() {
		try {
			Matcher command = COMMAND.matcher(Files.readString(Path.of("..", "docs", "redis.md")));
			assertThat(command.find()).isTrue();
			return List.of(command.group().replace("~ratelimit:", "~test:").split(" "));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Stream<String> permissions() {
		return documented().stream().filter((word) -> word.startsWith("+"));
	}

	private static void permit(TestRedis server, Stream<String> command) {
		assertThat(server.call(command.toArray(String[]::new))).startsWith("+OK");
	}

	private static RedisConnectionFactory standalone(ClientKind client) {
		return client.standalone(shop(new RedisStandaloneConfiguration("127.0.0.1", redis.port())));
	}

	private static <C extends RedisConfiguration.WithAuthentication> C shop(C configuration) {
		configuration.setUsername("shop");
		configuration.setPassword("secret");
		return configuration;
	}

	private static boolean everythingIsDone(RedisConnectionFactory factory) {
		try (TestStore store = new TestStore(factory, TestStore.FORGETFUL, FailureMode.LOCAL)) {
			boolean done = TestPolicies.of(10, Duration.ofHours(1)).allMatch((policy) -> isDone(store, policy));
			store.availability().check();
			return done && store.availability().isAvailable();
		}
	}

	private static boolean isDone(TestStore store, RateLimitPolicy policy) {
		PolicyDecider states = store.open(policy);
		boolean done = true;
		try {
			for (int key = 0; key < 10; key++) {
				for (int i = 1; i < 7; i++) {
					RateLimitDecision decision = states.decide("key" + key, 1 + i % 3);
					done &= !decision.fallback();
					if (decision.allowed() && i % 2 == 0) {
						states.refund("key" + key, 1 + i % 3, decision);
					}
				}
				states.reset("key" + key);
				states.refund("key" + key, 1, states.decide("key" + key, 1));
			}
		}
		catch (IllegalStateException ex) {
			return false;
		}
		return done;
	}

	/*
	 * Clients introduce themselves, and need not be allowed to. From version 7 on a
	 * server names the subcommand as well: client|setname.
	 */
	private static List<String> notPermitted(TestRedis server) {
		List<String> log = server.call("ACL", "LOG").lines().toList();
		return IntStream.range(0, log.size())
			.filter((line) -> log.get(line).equals("object"))
			.mapToObj((line) -> log.get(line + 2))
			.map((command) -> command.split("\\|")[0])
			.toList();
	}

	@ParameterizedTest
	@EnumSource
	void whatIsDocumentedIsEnough(ClientKind client) {
		permit(redis, documented().stream());
		assertThat(everythingIsDone(standalone(client))).isTrue();
		assertThat(notPermitted(redis)).isSubsetOf("client");
	}

	@ParameterizedTest
	@MethodSource("permissions")
	void eachOfThemIsNeeded(String permission) {
		permit(redis, documented().stream().filter((word) -> !word.equals(permission)));
		everythingIsDone(standalone(ClientKind.JEDIS));
		assertThat(notPermitted(redis)).contains(permission.substring(1));
	}

	@Test
	void noOtherKeysAreUsed() {
		permit(redis, documented().stream().map((word) -> word.startsWith("~") ? "~other:*" : word));
		assertThat(everythingIsDone(standalone(ClientKind.LETTUCE))).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void aDatabaseOfItsOwnNeedsOneMore(ClientKind client) {
		permit(redis, Stream.concat(documented().stream(), Stream.of("+select")));
		RedisStandaloneConfiguration configuration = shop(new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
		configuration.setDatabase(1);
		assertThat(everythingIsDone(client.standalone(configuration))).isTrue();
		assertThat(notPermitted(redis)).isSubsetOf("client");
	}

	/*
	 * Whoever does not log in has no keys, so that each connection must.
	 */
	@ParameterizedTest
	@EnumSource
	void aClustersClientsNeedTwoMore(ClientKind client) {
		TestCluster cluster = TestCluster.shared();
		byte[] key = "test:{asked}".getBytes(StandardCharsets.US_ASCII);
		String slot = "" + SlotHash.getSlot(key);
		TestRedis source = cluster.nodes().get(TestCluster.owner(SlotHash.getSlot(key)));
		TestRedis target = cluster.nodes().get((cluster.nodes().indexOf(source) + 1) % 3);
		Stream<String> permitted = Stream.concat(documented().stream(), Stream.of("+cluster", "+asking"));
		List<String> command = permitted.toList();
		try {
			for (TestRedis node : cluster.nodes()) {
				permit(node, command.stream());
				permit(node, Stream.of("ACL", "SETUSER", "default", "resetkeys"));
				node.call("ACL", "LOG", "RESET");
				node.call("CONFIG", "RESETSTAT");
			}
			RedisConnectionFactory factory = client.cluster(shop(new RedisClusterConfiguration(
					cluster.nodes().stream().map((node) -> "127.0.0.1:" + node.port()).toList())));
			try (ScriptRunner runner = RedisRateLimitStore.runner(factory)) {
				ScriptCall<byte[]> call = ScriptCall.of(runner,
						ScriptCall.Script.of("return redis.call('TIME')[1]", ""), new byte[][] { key }, new byte[0][],
						Function.identity());
				assertThatThrownBy(() -> call.start(Deadline.after(Duration.ZERO)).await())
					.isInstanceOf(StoreCallException.class);
				TestRedis.await(
						() -> client == ClientKind.LETTUCE || !source.info("commandstats", "cmdstat_pttl").isEmpty());
				target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", TestCluster.id(source));
				source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", TestCluster.id(target));
				assertThat(call.start(Deadline.after(TestStore.PATIENT.timeout())).await()).isNotEmpty();
				Stream.of(source, target).forEach((node) -> node.call("CLUSTER", "SETSLOT", slot, "STABLE"));
			}
			assertThat(everythingIsDone(factory)).isTrue();
			assertThat(cluster.nodes())
				.allSatisfy((node) -> assertThat(notPermitted(node)).isSubsetOf("client", "info"));
		}
		finally {
			for (TestRedis node : cluster.nodes()) {
				node.call("CLUSTER", "SETSLOT", slot, "STABLE");
				node.call("ACL", "DELUSER", "shop");
				node.call("ACL", "SETUSER", "default", "allkeys");
			}
		}
	}

}
