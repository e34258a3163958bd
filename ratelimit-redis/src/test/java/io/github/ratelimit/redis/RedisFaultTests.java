package io.github.ratelimit.redis;

import java.time.Duration;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Something goes wrong with a server, or on the way to it, while 200 callers ask: none
 * sees an error, none waits for longer than it should, none is given too much, and all
 * are back soon.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisFaultTests {

	ClientKind client() {
		return ClientKind.LETTUCE;
	}

	@BeforeAll
	void rehearse() {
		FaultStore.rehearse(client());
	}

	@ParameterizedTest
	@EnumSource
	void withAServer(ServerFault kind) {
		try (TestRedis redis = TestRedis.start()) {
			check(kind, kind.effect(), kind.on(redis), redis.port());
		}
	}

	@ParameterizedTest
	@EnumSource
	void onTheWayToAServer(NetworkFault kind) {
		try (TestRedis redis = TestRedis.start(); TestProxy proxy = new TestProxy(redis)) {
			check(kind, kind.effect(), kind.on(proxy), proxy.port());
		}
	}

	private void check(Enum<?> kind, FaultEffect effect, Fault fault, int port) {
		try (FaultStore store = new FaultStore(client().standalone(port), effect.timeout())) {
			FaultReport report = new FaultDriver(store.questions(), effect.timeout(), System::nanoTime).run(fault,
					effect.hold(), Duration.ZERO);
			report.log(kind + " with " + client());
			report.checkNoException();
			report.checkDeadline();
			report.checkGiven(fault.losses().getAsInt());
			effect.check(report);
		}
	}

}
