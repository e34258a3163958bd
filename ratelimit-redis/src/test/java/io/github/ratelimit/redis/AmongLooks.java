package io.github.ratelimit.redis;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteDecider;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Decides on each request in one call with a look before it and one behind it, which
 * changes nothing.
 *
 * @param store the store that decides
 */
record AmongLooks(RemoteStore store) implements RemoteStore {

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public String displayName() {
		return this.store.displayName();
	}

	@Override
	public Set<String> servers() {
		return this.store.servers();
	}

	@Override
	public String address() {
		return this.store.address();
	}

	@Override
	public Map<String, Call<?>> checks() {
		return this.store.checks();
	}

	@Override
	public @Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> decisions) {
		return this.store.together(decisions.stream().map((each) -> ((CallAmongLooks) each).alone()).toList());
	}

	@Override
	public @Nullable SharedOverrides sharedOverrides() {
		return this.store.sharedOverrides();
	}

	@Override
	public void close() {
		this.store.close();
	}

	@Override
	public RemoteDecider open(RateLimitPolicy policy) {
		RemoteDecider states = this.store.open(policy);
		return new RemoteDecider() {

			@Override
			public String server(String key) {
				return states.server(key);
			}

			@Override
			public Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
				return new CallAmongLooks(states.decide(key, permits, withoutDelay),
						(ScriptCall<List<RateLimitDecision>>) states.decideAll(key, new long[] { 0, permits, 0 },
								withoutDelay),
						states.joins());
			}

			@Override
			public Call<Void> refund(String key, long permits, RateLimitDecision given) {
				return states.refund(key, permits, given);
			}

			@Override
			public Call<@Nullable LateCharge> charge(String key, long permits) {
				return states.charge(key, permits);
			}

			@Override
			public Call<Void> reset(String key) {
				return states.reset(key);
			}

		};
	}

	private record CallAmongLooks(Call<RateLimitDecision> alone, ScriptCall<List<RateLimitDecision>> all,
			boolean joins) implements Call<RateLimitDecision> {

		@Override
		public Answer<RateLimitDecision> start(Deadline deadline) {
			if (!this.joins) {
				return this.alone.start(deadline);
			}
			return new ScriptCall<RateLimitDecision>(this.all.runner, this.all.script, this.all.keys) {

				@Override
				byte[][] arguments() {
					return CallAmongLooks.this.all.arguments();
				}

				@Override
				boolean takeMoment(long now) {
					return CallAmongLooks.this.all.takeMoment(now);
				}

				@Override
				RateLimitDecision read(byte[] answer) {
					return CallAmongLooks.this.all.read(answer).get(1);
				}

			}.start(deadline);
		}

	}

}
