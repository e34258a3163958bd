package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several calls at once take no longer than one, and one that fails costs no other its
 * answer.
 */
@ParameterizedClass
@EnumSource(ClientKind.class)
class ScriptRunnerTests {

	private static final ScriptCall.Script ECHO = ScriptCall.Script.of("return redis.call('incr', KEYS[1]) .. ARGV[1]",
			"return 'mended'");

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	@Parameter
	private ClientKind client;

	private static TestCluster cluster;

	private RedisConnectionFactory factory;

	private ScriptRunner runner;

	@BeforeParameterizedClassInvocation
	static void startCluster() {
		cluster = TestCluster.shared();
	}

	@BeforeEach
	void start() {
		this.factory = this.client.cluster(cluster.nodes());
		this.runner = RedisRateLimitStore.runner(this.factory);
		this.runner.connect();
		TestRedis.await(() -> IntStream.range(0, 3).allMatch((node) -> runs(call("warm" + node, node)))
				&& this.runner.nodes().size() == 3);
	}

	@AfterEach
	void stop() {
		this.runner.close();
		ClientKind.stop(this.factory);
		cluster.heal();
	}

	private boolean runs(ScriptCall<String> call) {
		try {
			return !call.start(Deadline.after(TIMEOUT)).await().isEmpty();
		}
		catch (StoreCallException ex) {
			return false;
		}
	}

	private static byte[] key(String name, int node) {
		return IntStream.range(0, 1000)
			.mapToObj((number) -> (name + number).getBytes(StandardCharsets.US_ASCII))
			.filter((key) -> TestCluster.owner(SlotHash.getSlot(key)) == node)
			.findFirst()
			.orElseThrow();
	}

	private ScriptCall<String> call(String name, int node) {
		return ScriptCall.of(this.runner, ECHO, new byte[][] { key(name, node) },
				new byte[][] { (":" + name).getBytes(StandardCharsets.US_ASCII) }, ScriptRunnerTests::text);
	}

	private static CompletionStage<String> later(ScriptCall<String> call) {
		RemoteStore.Answer<String> answer = call.start(Deadline.after(TIMEOUT));
		return answer.later(answer::await);
	}

	private static String text(byte[] answer) {
		return new String(answer, StandardCharsets.US_ASCII);
	}

	private List<String> runAll(List<ScriptCall<String>> calls) {
		Deadline deadline = Deadline.after(TIMEOUT);
		List<RemoteStore.Answer<String>> answers = calls.stream().map((call) -> call.start(deadline)).toList();
		return answers.stream().map(ScriptRunnerTests::answer).toList();
	}

	private static String answer(RemoteStore.Answer<String> answer) {
		try {
			return answer.await();
		}
		catch (StoreCallException ex) {
			return "failed: " + ex.getMessage();
		}
	}

	@Test
	void serversAreToldApart() {
		assertThat(this.runner.isCluster()).isTrue();
		for (int node = 0; node < 3; node++) {
			assertThat(this.runner.node(key("any", node))).isEqualTo("127.0.0.1:" + cluster.nodes().get(node).port());
		}
	}

	@Test
	void answersComeInTheOrderOfTheCalls() {
		cluster.nodes().forEach((node) -> node.call("SCRIPT", "FLUSH"));
		cluster.nodes().get(1).call("RPUSH", new String(key("b", 1), StandardCharsets.US_ASCII), "something else");
		List<String> texts = runAll(List.of(call("a", 0), call("b", 1), call("c", 2), call("a", 0), call("d", 1)));
		assertThat(texts).element(1).isEqualTo("mended");
		assertThat(texts).element(2).isEqualTo("1:c");
		assertThat(texts).element(4).isEqualTo("1:d");
		assertThat(List.of(texts.get(0), texts.get(3))).containsExactlyInAnyOrder("1:a", "2:a");
	}

	@Test
	void whoHangsCostsTheOthersNothingAndAllTogetherOneTimeOut() {
		cluster.nodes().get(0).freeze();
		long begin = RunningTime.nanos();
		List<String> texts = runAll(
				List.of(call("a", 0), call("b", 0), call("c", 0), call("d", 1), call("e", 2), call("f", 0)));
		assertThat(RunningTime.since(begin)).isLessThan(TIMEOUT.multipliedBy(2));
		assertThat(texts).containsExactly("failed: no answer within 500 ms", "failed: no answer within 500 ms",
				"failed: no answer within 500 ms", "1:d", "1:e", "failed: no answer within 500 ms");
	}

	@Test
	void whoIsNotAnsweredInTimeCostsNobodyAnAnswerThatIsStillAwaited() {
		TestRedis node = cluster.nodes().get(0);
		node.freeze();
		CompletableFuture<String> answer = new CompletableFuture<>();
		Thread patient = new Thread(
				() -> answer.complete(call("patient", 0).start(Deadline.after(Duration.ofSeconds(20))).await()));
		patient.start();
		TestRedis.await(() -> patient.getState() == Thread.State.TIMED_WAITING);
		assertThat(runs(call("impatient", 0))).isFalse();
		node.thaw();
		TestRedis.await(() -> !patient.isAlive());
		assertThat(answer).isCompletedWithValue("1:patient");
	}

	@Test
	void whoDoesNotWaitIsToldWhenItIsDoneAndWhenItFails() {
		assertThat(later(call("told", 1))).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("1:told");
		cluster.nodes().get(1).freeze();
		CompletionStage<String> posted = later(call("told", 1));
		TestRedis.await(() -> posted.toCompletableFuture().isDone());
		cluster.nodes().get(1).thaw();
		assertThat(posted).failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(StoreCallException.class);
	}

	@Test
	void slotsWithoutAServerAreAServerOfTheirOwn() {
		String slot = "" + SlotHash.getSlot(key("lost", 0));
		assertThat(this.runner.nodes()).hasSize(3).doesNotContain("");
		cluster.nodes().forEach((node) -> node.call("CLUSTER", "DELSLOTS", slot));
		TestRedis.await(() -> !runs(call("lost", 0)) && this.runner.nodes().contains(""));
		assertThat(this.runner.node(key("lost", 0))).isEmpty();
		assertThat(cluster.nodes().get(0).call("CLUSTER", "ADDSLOTS", slot)).startsWith("+OK");
		if (this.client == ClientKind.JEDIS) {
			TestRedis.await(() -> !this.runner.nodes().contains(""));
		}
		TestRedis.await(() -> runs(call("lost", 0)) && !this.runner.nodes().contains(""));
	}

	@Test
	void afterItsEndItFailsAndDoesNotHang() {
		this.runner.close();
		assertThatExceptionOfType(StoreCallException.class)
			.isThrownBy(call("late", 1).start(Deadline.after(TIMEOUT))::await);
		assertThat(later(call("late", 1))).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(StoreCallException.class);
	}

}
