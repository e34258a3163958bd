package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.sentinel.StatefulRedisSentinelConnectionImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Connections that end while others wait for them, and clients that fail, or are stopped
 * while they connect and never answer.
 */
class LettuceNodeTests {

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final CompletableFuture<LettuceNode> self = new CompletableFuture<>();

	private final RedisAsyncCommands<byte[], byte[]> commands = mock();

	private final LettuceConnectionFactory factory = mock();

	private final CompletableFuture<Thread> begun = new CompletableFuture<>();

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	@AfterEach
	void stop() {
		this.scheduler.shutdownNow();
	}

	private LettuceNode node(Supplier<StatefulRedisConnection<byte[], byte[]>> opener) {
		LettuceNode node = new LettuceNode("", opener, this.scheduler);
		this.self.complete(node);
		return node;
	}

	private StatefulRedisConnection<byte[], byte[]> connection() {
		return connection(() -> {
		});
	}

	private StatefulRedisConnection<byte[], byte[]> connection(Runnable onClose) {
		StatefulRedisConnection<byte[], byte[]> connection = mock();
		given(connection.isOpen()).willReturn(true);
		given(connection.async()).willReturn(this.commands);
		given(connection.closeAsync()).willAnswer((call) -> {
			onClose.run();
			return CompletableFuture.completedFuture(null);
		});
		return connection;
	}

	private static void close(LettuceNode node) {
		LettuceNode.close(Set.of(node));
	}

	@Test
	void aConnectionsThreadThatIsWaitedForMayConnectAgain() throws Exception {
		AtomicBoolean asked = new AtomicBoolean();
		LettuceNode node = node(() -> connection(() -> asked
			.set(CompletableFuture.supplyAsync(() -> this.self.join().connect().isCompletedExceptionally())
				.completeOnTimeout(false, 10, TimeUnit.SECONDS)
				.join())));
		node.connect().get(60, TimeUnit.SECONDS);
		close(node);
		assertThat(asked).isTrue();
	}

	@Test
	void anAttemptThatHasBegunEndsFirst() throws Exception {
		Thread closing = Thread.currentThread();
		CountDownLatch begun = new CountDownLatch(1);
		AtomicBoolean isClosing = new AtomicBoolean();
		LettuceNode node = node(() -> {
			begun.countDown();
			TestRedis.await(() -> isClosing.get() && closing.getState() == Thread.State.WAITING);
			return connection();
		});
		CompletableFuture<LettuceNode.Connected> attempt = node.connect();
		assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
		isClosing.set(true);
		close(node);
		assertThat(attempt).isCompleted();
		assertThat(node.current()).isNull();
	}

	@Test
	void anAttemptThatIsNeverAnsweredEndsWithItsThread() throws Exception {
		CompletableFuture<Thread> begun = new CompletableFuture<>();
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> answer = new CompletableFuture<>();
		LettuceNode node = node(() -> {
			begun.complete(Thread.currentThread());
			try {
				return answer.get();
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new RedisException(ex);
			}
		});
		CompletableFuture<LettuceNode.Connected> attempt = node.connect();
		Thread thread = begun.get(60, TimeUnit.SECONDS);
		close(node);
		thread.join(60_000);
		assertThat(thread.isAlive()).isFalse();
		assertThat(attempt).isCompletedExceptionally();
	}

	@Test
	void anErrorOfTheVirtualMachineEndsACallAtOnce() {
		Error error = new NoClassDefFoundError("for this test");
		CompletableFuture<LettuceNode> notFound = CompletableFuture.supplyAsync(() -> {
			throw error;
		});
		assertFailsAtOnce(call(null, notFound), error);
		LettuceNode broken = node(() -> {
			throw error;
		});
		assertFailsAtOnce(call(broken, null), error);
		given(this.commands.<byte[]>evalsha(any(String.class), any(ScriptOutputType.class), any(byte[][].class),
				any(byte[][].class)))
			.willThrow(error);
		assertFailsAtOnce(call(node(this::connection), null), error);
	}

	private PendingCall<byte[]> call(LettuceNode known, CompletableFuture<LettuceNode> found) {
		LettuceScriptRunner servers = mock();
		given(servers.known(any())).willReturn(known);
		given(servers.find(any())).willReturn(found);
		ScriptCall<byte[]> call = ScriptCall.of(servers, ScriptCall.Script.of("", ""), new byte[][] { {} },
				new byte[0][], Function.identity());
		return new LettuceCall<>(servers, call, Deadline.after(Duration.ofMinutes(10))).send();
	}

	private static void assertFailsAtOnce(PendingCall<?> call, Error error) {
		assertThatExceptionOfType(error.getClass()).isThrownBy(call::await).isSameAs(error);
	}

	private <T> T neverAnswer() {
		this.begun.complete(Thread.currentThread());
		try {
			return new CompletableFuture<T>().get();
		}
		catch (InterruptedException | ExecutionException ex) {
			this.ended.complete(true);
			throw new RedisException(ex);
		}
	}

	private void awaitBegun() throws Exception {
		assertThat(this.begun.get(60, TimeUnit.SECONDS)).isNotNull();
		assertThat(this.ended).isNotDone();
	}

	@Test
	void whoAsksForTheNodesOfAClusterIsEnded() throws Exception {
		RedisClusterClient client = mock();
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(client.getPartitions()).willAnswer((call) -> neverAnswer());
		LettuceCluster cluster = new LettuceCluster(this.factory);
		cluster.connect();
		awaitBegun();
		cluster.close();
		assertThat(this.ended.get(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void whoConnectsToASentinelIsEnded() throws Exception {
		RedisClient client = mock();
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(client.connectSentinel()).willAnswer((call) -> neverAnswer());
		given(this.factory.getSentinelConfiguration()).willReturn(new RedisSentinelConfiguration().master("master"));
		LettuceServer server = new LettuceServer(this.factory);
		server.connect();
		awaitBegun();
		server.close();
		assertThat(this.ended.get(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aLookAtASentinelThatEndsWithAnErrorIsNotTheLast() throws Exception {
		RedisClient client = mock();
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(client.connectSentinel()).willThrow(new NoClassDefFoundError("for this test"))
			.willAnswer((call) -> neverAnswer());
		given(this.factory.getSentinelConfiguration()).willReturn(new RedisSentinelConfiguration().master("master"));
		LettuceServer server = new LettuceServer(this.factory);
		server.connect();
		awaitBegun();
		server.close();
		assertThat(this.ended.get(60, TimeUnit.SECONDS)).isTrue();
	}

	/*
	 * The application's client has closed it, because it is stopped first.
	 */
	@Test
	void aConnectionToASentinelThatIsClosedAlreadyIsNotClosedAgain() throws Exception {
		RedisClient client = mock();
		StatefulRedisSentinelConnectionImpl<String, String> closed = mock();
		given(closed.isClosed()).willReturn(true);
		given(closed.sync()).willAnswer((call) -> neverAnswer());
		given(client.connectSentinel()).willReturn(closed);
		given(this.factory.getRequiredNativeClient()).willReturn(client);
		given(this.factory.getSentinelConfiguration()).willReturn(new RedisSentinelConfiguration().master("master"));
		LettuceServer server = new LettuceServer(this.factory);
		server.connect();
		awaitBegun();
		server.close();
		then(closed).should(never()).closeAsync();
	}

	@Test
	void connectionsHaveTheApplicationsName() {
		int port = TestCluster.shared().nodes().get(0).port();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisClusterConfiguration().clusterNode("127.0.0.1", port),
				LettuceClientConfiguration.builder().clientName("shop").build());
		factory.afterPropertiesSet();
		LettuceCluster cluster = new LettuceCluster(factory);
		try (StatefulRedisConnection<byte[], byte[]> connection = cluster.connect("127.0.0.1:" + port)) {
			assertThat(connection.sync().clientGetname()).asString().isEqualTo("shop");
		}
		cluster.close();
		factory.destroy();
	}

	/*
	 * Not those of the nodes, with which Lettuce notes none.
	 */
	@Test
	void connectionsToAClusterHaveTheApplicationsSettings() {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration().clusterNode("127.0.0.1", 1);
		assertThat(login(nodes, LettuceClientConfiguration.builder())).isEqualTo("null null");
		nodes.setUsername("shop");
		assertThat(login(nodes, LettuceClientConfiguration.builder())).isEqualTo("shop ");
		nodes.setPassword("secret");
		assertThat(login(nodes, LettuceClientConfiguration.builder())).isEqualTo("shop secret");
		assertThat(login(nodes, LettuceClientConfiguration.builder()
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					return RedisCredentialsProvider.from(() -> RedisCredentials.just("token", "of today"));
				}
			}))).isEqualTo("token of today");
		RedisURI uri = uri(nodes,
				LettuceClientConfiguration.builder()
					.commandTimeout(Duration.ofSeconds(7))
					.useSsl()
					.disablePeerVerification()
					.startTls()
					.and());
		assertThat(uri.getHost()).isEqualTo("::1");
		assertThat(uri.getPort()).isEqualTo(6379);
		assertThat(uri.isSsl()).isTrue();
		assertThat(uri.isStartTls()).isTrue();
		assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.NONE);
		assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(7));
	}

	private static RedisURI uri(RedisClusterConfiguration nodes,
			LettuceClientConfiguration.LettuceClientConfigurationBuilder settings) {
		return new LettuceCluster(new LettuceConnectionFactory(nodes, settings.build())).uri("::1:6379");
	}

	private static String login(RedisClusterConfiguration nodes,
			LettuceClientConfiguration.LettuceClientConfigurationBuilder settings) {
		RedisCredentials login = uri(nodes, settings).getCredentialsProvider().resolveCredentials().block();
		return login.getUsername() + " " + ((login.getPassword() != null) ? new String(login.getPassword()) : null);
	}

}
