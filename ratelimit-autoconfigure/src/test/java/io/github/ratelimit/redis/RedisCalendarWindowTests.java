package io.github.ratelimit.redis;

import io.github.ratelimit.CalendarWindowContract;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Windows of a calendar in Redis, where the server's clock is anywhere and the
 * application's is not moved.
 */
class RedisCalendarWindowTests extends CalendarWindowContract {

	private static VirtualServer server;

	@BeforeAll
	static void start() {
		server = new VirtualServer();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Override
	protected ManualClock clock() {
		return server.clock();
	}

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		server.redis().call("FLUSHALL");
		return server.open(policy);
	}

	@Override
	protected int traces() {
		return 600;
	}

}
