package io.github.ratelimit.test;

import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.KeyState;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;

final class HashMapRateLimitStore implements RateLimitStore {

	private final RateLimitClock clock;

	HashMapRateLimitStore(RateLimitClock clock) {
		this.clock = RateLimitClock.monotonic(clock);
	}

	@Override
	public String name() {
		return "hash-map";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return new HashMapDecider(Algorithm.of(policy, Tick.NANOSECOND), this.clock);
	}

	private static final class HashMapDecider implements PolicyDecider {

		private final Map<String, KeyState> keys = new HashMap<>();

		private final Algorithm algorithm;

		private final RateLimitClock clock;

		HashMapDecider(Algorithm algorithm, RateLimitClock clock) {
			this.algorithm = algorithm;
			this.clock = clock;
		}

		@Override
		public synchronized RateLimitDecision decide(String key, long permits) {
			long now = this.clock.nanos();
			return this.keys.computeIfAbsent(key, (absent) -> new KeyState(this.algorithm, now)).decide(now, permits);
		}

		@Override
		public synchronized void refund(String key, long permits, RateLimitDecision given) {
			KeyState state = this.keys.get(key);
			if (state != null) {
				state.refund(this.clock.nanos(), permits, given);
			}
		}

		@Override
		public synchronized void reset(String key) {
			this.keys.remove(key);
		}

		@Override
		public boolean reserves() {
			return true;
		}

	}

}
