package io.github.ratelimit.redis;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.CalendarWindowContract;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

/**
 * Windows of a calendar in Redis, for three instances of an application in turn. What
 * they take for the time is each another moment, because each was last asked at another.
 */
class RedisCalendarInstancesTests extends CalendarWindowContract {

	@AutoClose
	private static VirtualServer server;

	@BeforeAll
	static void start() {
		server = new VirtualServer();
	}

	@Override
	protected ManualClock clock() {
		return server.clock();
	}

	@Override
	protected PolicyDecider open(RateLimitPolicy policy) {
		server.redis().call("FLUSHALL");
		return new Instances(Stream.generate(() -> server.open(policy)).limit(3).toList());
	}

	@Override
	protected int traces() {
		return 400;
	}

	private static final class Instances implements PolicyDecider {

		private final List<PolicyDecider> instances;

		private int next;

		Instances(List<PolicyDecider> instances) {
			this.instances = instances;
		}

		private PolicyDecider next() {
			return this.instances.get((this.next++ / 5) % this.instances.size());
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return next().decide(key, permits);
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			next().refund(key, permits, given);
		}

		@Override
		public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
			return next().settle(key, reserved, used, given);
		}

		@Override
		public void reset(String key) {
			next().reset(key);
		}

	}

}
