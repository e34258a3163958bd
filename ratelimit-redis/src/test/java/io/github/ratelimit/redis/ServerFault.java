package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.function.Function;

/**
 * What can go wrong with one server.
 */
enum ServerFault {

	KILLED((redis) -> Fault.losing(1, redis::kill, redis::startAgain)),

	FROZEN((redis) -> Fault.of(redis::freeze, redis::thaw)),

	CONNECTIONS_KILLED(FaultEffect.SOME,
			(redis) -> Fault.repeated(Duration.ofMillis(100), 0, () -> redis.call("CLIENT", "KILL", "TYPE", "normal"))),

	SCRIPTS_FLUSHED(FaultEffect.NONE,
			(redis) -> Fault.repeated(Duration.ofMillis(50), 0, () -> redis.call("SCRIPT", "FLUSH"))),

	ONE_LATE_ANSWER(FaultEffect.BRIEF, (redis) -> {
		long millis = FaultEffect.BRIEF.timeout().plusMillis(50).toMillis();
		return Fault.of(() -> redis.call("CLIENT", "PAUSE", "" + millis), () -> redis.call("PING"));
	}),

	OUT_OF_MEMORY((redis) -> Fault.of(() -> redis.call("CONFIG", "SET", "maxmemory", "1"),
			() -> redis.call("CONFIG", "SET", "maxmemory", "0"))),

	BUSY_WITH_ANOTHERS_SCRIPT((redis) -> {
		Thread other = new Thread(() -> redis.call("EVAL", "while true do end", "0"), "another's script");
		return Fault.of(() -> {
			redis.call("CONFIG", "SET", "lua-time-limit", "1");
			other.start();
			TestRedis.await(() -> redis.call("PING").startsWith("-BUSY"));
		}, () -> {
			redis.call("SCRIPT", "KILL");
			TestRedis.await(() -> redis.call("PING").startsWith("+PONG"));
		});
	}),

	TURNED_INTO_A_REPLICA((redis) -> Fault.of(() -> redis.call("REPLICAOF", "127.0.0.1", "1"),
			() -> redis.call("REPLICAOF", "NO", "ONE"))),

	STATES_OVERWRITTEN(FaultEffect.NONE,
			(redis) -> Fault.repeated(Duration.ofMillis(100), 1, () -> redis.call("EVAL", """
					for i, key in ipairs(redis.call('KEYS', '*')) do
						redis.call('DEL', key)
						if i % 3 == 0 then
							redis.call('RPUSH', key, 'another type')
						elseif i % 3 == 1 then
							redis.call('SET', key, string.rep(struct.pack('>d', 0 / 0), 3))
						else
							redis.call('SET', key, 'a text')
						end
					end""", "0"))),

	NO_MORE_CLIENTS((redis) -> {
		TestConsole console = new TestConsole(redis);
		return Fault.of(() -> {
			console.set("maxclients", "1");
			console.killOthers();
		}, () -> {
			console.set("maxclients", "1000");
			console.close();
		});
	}),

	PASSWORD_CHANGED((redis) -> {
		TestConsole console = new TestConsole(redis);
		return Fault.of(() -> {
			console.set("requirepass", "another");
			console.killOthers();
		}, () -> {
			console.set("requirepass", "");
			console.close();
		});
	}),

	SCRIPTS_FORBIDDEN((redis) -> Fault.of(() -> redis.call("ACL", "SETUSER", "default", "-evalsha", "-eval"),
			() -> redis.call("ACL", "SETUSER", "default", "+@all")));

	private final FaultEffect effect;

	private final Function<TestRedis, Fault> fault;

	ServerFault(Function<TestRedis, Fault> fault) {
		this(FaultEffect.OUTAGE, fault);
	}

	ServerFault(FaultEffect effect, Function<TestRedis, Fault> fault) {
		this.effect = effect;
		this.fault = fault;
	}

	FaultEffect effect() {
		return this.effect;
	}

	Fault on(TestRedis redis) {
		return this.fault.apply(redis);
	}

}
