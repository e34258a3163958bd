package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.store.SharedOverrides.Snapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static io.github.ratelimit.store.SharedOverrides.ANY_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances of an application tell one another what was changed.
 */
class SharedOverridesTests {

	private static final String THREAD = "ratelimit-redis-changes";

	/* Those of tests that ran before in this process. */
	private final Set<Thread> others = listening().collect(Collectors.toSet());

	private final TestRedis redis = TestRedis.start();

	@AfterEach
	void close() {
		this.redis.close();
		TestRedis.await(() -> threads() == 0);
	}

	private TestStore store() {
		return new TestStore(ClientKind.LETTUCE.standalone(this.redis.port()), TestStore.PATIENT, FailureMode.LOCAL);
	}

	private static long write(TestStore store, String text) {
		return store.overrides().write("api", text, null, ANY_VERSION, 10).version();
	}

	private static String text(TestStore store) {
		Snapshot snapshot = store.overrides().read(ANY_VERSION);
		return snapshot.entries().get("api").text();
	}

	/**
	 * Listens, and waits until that is known to have begun.
	 */
	private AtomicInteger listen(TestStore store) {
		AtomicInteger told = new AtomicInteger();
		long before = subscribers();
		store.overrides().listen(told::incrementAndGet);
		TestRedis.await(() -> subscribers() > before && told.get() > 0);
		return told;
	}

	private long subscribers() {
		return this.redis.call("CLIENT", "LIST", "TYPE", "pubsub")
			.lines()
			.filter((line) -> line.contains(" sub=1 "))
			.count();
	}

	private long threads() {
		return listening().filter((thread) -> !this.others.contains(thread)).count();
	}

	private static Stream<Thread> listening() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals(THREAD) && thread.isAlive());
	}

	@Test
	void instancesAreToldOfEachOthersChanges() {
		try (TestStore one = store(); TestStore other = store()) {
			AtomicInteger toldOne = listen(one);
			AtomicInteger toldOther = listen(other);
			int before = toldOne.get();
			int beforeOther = toldOther.get();
			write(one, "first");
			TestRedis.await(() -> toldOther.get() > beforeOther);
			assertThat(text(other)).isEqualTo("first");
			write(other, "second");
			TestRedis.await(() -> toldOne.get() > before + 1);
			assertThat(text(one)).isEqualTo("second");
		}
	}

	@Test
	void aConnectionThatIsCutIsOpenedAgain() {
		try (TestStore one = store(); TestStore other = store()) {
			AtomicInteger told = listen(other);
			long known = write(one, "first");
			this.redis.call("CLIENT", "KILL", "TYPE", "pubsub");
			write(one, "second");
			assertThat(other.overrides().read(known).entries().get("api").text()).isEqualTo("second");
			TestRedis.await(() -> subscribers() == 1);
			int before = told.get();
			write(one, "third");
			TestRedis.await(() -> told.get() > before);
		}
	}

	@Test
	void aServerThatComesBackEmptyIsListenedToAgain() {
		try (TestStore one = store(); TestStore other = store()) {
			AtomicInteger told = listen(other);
			long known = write(one, "first");
			this.redis.kill();
			this.redis.startAgain();
			TestRedis.await(() -> isEmpty(other, known));
			TestRedis.await(() -> subscribers() == 1);
			int before = told.get();
			TestRedis.await(() -> isWritten(one, known));
			TestRedis.await(() -> told.get() > before);
		}
	}

	private static boolean isEmpty(TestStore store, long known) {
		try {
			return store.overrides().read(known).entries().isEmpty();
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	/*
	 * A pool may have connections to the server that was.
	 */
	private static boolean isWritten(TestStore store, long known) {
		try {
			return write(store, "second") > known;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	@Test
	void aListenerThatFailsAndOneThatReadsAreBothToldAgain() {
		try (TestStore store = store()) {
			SharedOverrides overrides = store.overrides();
			AtomicInteger read = new AtomicInteger();
			overrides.listen(() -> {
				throw new IllegalStateException("a listener fails");
			});
			overrides.listen(() -> read.addAndGet(overrides.read(ANY_VERSION).entries().size()));
			TestRedis.await(() -> subscribers() == 1);
			for (int i = 1; i <= 3; i++) {
				int before = read.get();
				write(store, "text" + i);
				TestRedis.await(() -> read.get() > before);
			}
			assertThat(threads()).isEqualTo(1);
		}
	}

	@Test
	void whoDoesNotListenHasNoThreadAndWhoClosesHasNoneLeft() {
		try (TestStore store = store()) {
			write(store, "text");
			assertThat(threads()).isZero();
			listen(store);
			assertThat(threads()).isEqualTo(1);
		}
		TestRedis.await(() -> threads() == 0 && subscribers() == 0);
	}

	@Test
	void aClosedStoreBeginsNoThread() {
		TestStore store = store();
		store.close();
		store.overrides().listen(() -> {
		});
		assertThat(threads()).isZero();
	}

	@Test
	void aStoreWhoseServerHangsIsClosedAtOnce() {
		TestStore store = store();
		listen(store);
		this.redis.freeze();
		long begin = System.nanoTime();
		store.closeStore();
		assertThat(System.nanoTime() - begin).isLessThan(Duration.ofSeconds(20).toNanos());
		this.redis.thaw();
		TestRedis.await(() -> subscribers() == 0);
		store.close();
	}

	@Test
	void whoMayNeitherPublishNorSubscribeStillWritesAndReads() {
		this.redis.call("ACL", "SETUSER", "shop", "reset", "on", ">secret", "~test:*", "+eval", "+evalsha", "+time",
				"+get", "+set", "+del", "+hget", "+hset", "+hdel", "+hlen", "+hscan", "+ping", "+hello", "+client");
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.redis.port());
		configuration.setUsername("shop");
		configuration.setPassword("secret");
		try (TestStore store = new TestStore(ClientKind.LETTUCE.standalone(configuration), TestStore.PATIENT,
				FailureMode.LOCAL)) {
			AtomicInteger told = new AtomicInteger();
			store.overrides().listen(told::incrementAndGet);
			write(store, "text");
			assertThat(text(store)).isEqualTo("text");
			TestRedis.await(() -> List.of("subscribe", "publish")
				.stream()
				.allMatch((command) -> this.redis.call("ACL", "LOG").contains(command)));
			for (int i = 0; i < 20; i++) {
				write(store, "text" + i);
				assertThat(text(store)).isEqualTo("text" + i);
			}
			assertThat(told).hasValue(0);
		}
	}

	@Test
	void aMasterIsListenedToBehindASentinel() {
		TestRedis replica = TestRedis.replicaOf(this.redis);
		TestRedis sentinel = TestRedis.sentinelOf(this.redis);
		try (TestStore one = new TestStore(ClientKind.LETTUCE.sentinel("master", sentinel.port()), TestStore.PATIENT,
				FailureMode.LOCAL)) {
			AtomicInteger told = new AtomicInteger();
			one.overrides().listen(told::incrementAndGet);
			TestRedis.await(() -> told.get() > 0);
			int before = told.get();
			write(one, "text");
			TestRedis.await(() -> told.get() > before);
			assertThat(text(one)).isEqualTo("text");
		}
		finally {
			sentinel.close();
			replica.close();
		}
	}

	@Test
	void theNodesOfAClusterShareThem() {
		TestCluster cluster = TestCluster.shared();
		try (TestStore one = new TestStore(ClientKind.LETTUCE.cluster(cluster.nodes()), TestStore.PATIENT,
				FailureMode.LOCAL);
				TestStore other = new TestStore(ClientKind.LETTUCE.cluster(cluster.nodes()), TestStore.PATIENT,
						FailureMode.LOCAL)) {
			AtomicInteger told = new AtomicInteger();
			other.overrides().listen(told::incrementAndGet);
			TestRedis.await(() -> told.get() > 0);
			int before = told.get();
			long known = write(one, "text");
			TestRedis.await(() -> told.get() > before);
			assertThat(text(other)).isEqualTo("text");
			assertThat(other.overrides().read(known)).isNull();
		}
	}

	@Test
	void withJedisInstancesReadEachOthersChangesAndListenToNothing() {
		try (TestStore one = new TestStore(ClientKind.JEDIS.standalone(this.redis.port()), TestStore.PATIENT,
				FailureMode.LOCAL);
				TestStore other = new TestStore(ClientKind.JEDIS.standalone(this.redis.port()), TestStore.PATIENT,
						FailureMode.LOCAL)) {
			AtomicInteger told = new AtomicInteger();
			other.overrides().listen(told::incrementAndGet);
			for (int i = 0; i < 20; i++) {
				write(one, "text" + i);
				assertThat(text(other)).isEqualTo("text" + i);
			}
			assertThat(told).hasValue(0);
			assertThat(subscribers()).isZero();
		}
	}

}
