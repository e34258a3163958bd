package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A Sentinel makes the replica the master while 200 callers ask: soon it decides for all
 * of them, and the former master for none.
 */
@Tag("faults")
@ParameterizedClass
@EnumSource(ClientKind.class)
class RedisSentinelFaultTests {

	private static final Duration TIMEOUT = Duration.ofMillis(250);

	private static final Duration BACK = Duration.ofSeconds(2);

	/* It leaves a server that hangs only after its own time-out, of two seconds. */
	private static final Duration BACK_OF_JEDIS = Duration.ofSeconds(3);

	private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

	@Parameter
	private ClientKind client;

	private TestRedis master;

	private TestRedis replica;

	private TestRedis sentinel;

	@BeforeParameterizedClassInvocation
	static void rehearse(ClientKind client) {
		FaultStore.rehearse(client);
	}

	@BeforeEach
	void start() {
		this.master = TestRedis.start();
		this.replica = TestRedis.replicaOf(this.master);
		this.sentinel = TestRedis.sentinelOf(this.master);
	}

	@AfterEach
	void stop() {
		this.sentinel.close();
		this.replica.close();
		this.master.close();
	}

	/*
	 * Left alone, a Sentinel finds only after a while that it has succeeded.
	 */
	@Test
	void aReplicaTakesOverByCommand() {
		this.sentinel.call("SENTINEL", "SET", "master", "failover-timeout", "20000");
		check("SENTINEL FAILOVER",
				Fault
					.losing(1,
							() -> TestRedis
								.await(() -> this.sentinel.call("SENTINEL", "FAILOVER", "master").startsWith("+OK")),
							this::awaitPromoted)
					.until(this::isReplicaAlone));
	}

	@Test
	void aMasterIsKilled() {
		check("killed master", Fault.losing(1, this.master::kill, this::awaitPromoted));
	}

	@Test
	void aMasterIsFrozen() {
		check("frozen master", Fault.losing(1, this.master::freeze, this::awaitPromoted),
				(this.client == ClientKind.JEDIS) ? BACK_OF_JEDIS : BACK);
	}

	private void awaitPromoted() {
		TestRedis.await(() -> this.replica.info("replication", "role").equals("master")
				&& this.sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "master")
					.contains("" + this.replica.port()));
	}

	private void check(String name, Fault fault) {
		check(name, fault, BACK);
	}

	private void check(String name, Fault fault, Duration back) {
		try (FaultStore store = new FaultStore(this.client.sentinel("master", this.sentinel.port()), TIMEOUT)) {
			FaultReport report = new FaultDriver(store.questions(), TIMEOUT, System::nanoTime).run(fault, Duration.ZERO,
					Duration.ZERO);
			report.log(name + " with " + this.client);
			report.checkNoException();
			report.checkDeadline();
			report.checkGiven(fault.losses().getAsInt());
			report.checkBackWithin(back);
		}
	}

	/*
	 * For all who ask meanwhile.
	 */
	private boolean isReplicaAlone() {
		long former = scripts(this.master);
		long present = scripts(this.replica);
		LockSupport.parkNanos(200_000_000);
		return scripts(this.master) == former && scripts(this.replica) > present;
	}

	private static long scripts(TestRedis redis) {
		Matcher calls = CALLS.matcher(redis.info("commandstats", "cmdstat_evalsha"));
		return calls.find() ? Long.parseLong(calls.group(1)) : 0;
	}

}
