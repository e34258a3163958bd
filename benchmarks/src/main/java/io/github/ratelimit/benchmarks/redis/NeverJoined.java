package io.github.ratelimit.benchmarks.redis;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.redis.RedisRateLimitStore;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.remote.RemoteDecider;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.ResilienceSettings;
import io.github.ratelimit.remote.ResilientStore;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;

/**
 * What our store asks in Redis, with a call for each decision.
 *
 * @param redis what is asked
 */
record NeverJoined(RemoteStore redis) implements RemoteStore {

	/**
	 * The same store over the same connection, where no callers join. The store keeps to
	 * itself what it asks.
	 */
	static ResilientStore store(RedisRateLimitStore store, ResilienceSettings settings) {
		Object redis = new DirectFieldAccessor(store).getPropertyValue("store.remote");
		return new ResilientStore(new NeverJoined((RemoteStore) Objects.requireNonNull(redis)), settings,
				(policy) -> FailureMode.REJECT, Ours.NOT_HERE, null, RateLimitClock.system());
	}

	@Override
	public String name() {
		return this.redis.name();
	}

	@Override
	public String displayName() {
		return this.redis.displayName();
	}

	@Override
	public RemoteDecider open(RateLimitPolicy policy) {
		return new SingleDecider(this.redis.open(policy));
	}

	@Override
	public Set<String> servers() {
		return this.redis.servers();
	}

	@Override
	public String address() {
		return this.redis.address();
	}

	@Override
	public Map<String, Call<?>> checks() {
		return this.redis.checks();
	}

	@Override
	public @Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> decisions) {
		return this.redis.together(decisions);
	}

	@Override
	public @Nullable SharedOverrides sharedOverrides() {
		return this.redis.sharedOverrides();
	}

	@Override
	public void close() {
		this.redis.close();
	}

	private record SingleDecider(RemoteDecider states) implements RemoteDecider {

		@Override
		public String server(String key) {
			return this.states.server(key);
		}

		@Override
		public Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
			return this.states.decide(key, permits, withoutDelay);
		}

		@Override
		public Call<Void> refund(String key, long permits, RateLimitDecision given) {
			return this.states.refund(key, permits, given);
		}

		@Override
		public Call<@Nullable LateCharge> charge(String key, long permits) {
			return this.states.charge(key, permits);
		}

		@Override
		public Call<Void> reset(String key) {
			return this.states.reset(key);
		}

	}

}
