package io.github.ratelimit.resilience;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.resilience.StoreCallException.Blame;
import io.github.ratelimit.store.RateLimitStates;
import io.github.ratelimit.store.RateLimitStore;

/**
 * A store in this process that stands in for one that is reached over a network: it fails
 * on command, and counts how often it is called.
 */
final class FailingStore implements RemoteStore {

	private final RateLimitStore store;

	volatile boolean fails;

	/* What callers see of a decision. */
	UnaryOperator<RateLimitDecision> view = UnaryOperator.identity();

	private int calls;

	FailingStore(RateLimitStore store) {
		this.store = store;
	}

	/**
	 * How often the store was called since the last time.
	 */
	int calls() {
		int since = this.calls;
		this.calls = 0;
		return since;
	}

	private <T> T call(Supplier<T> answer) {
		this.calls++;
		if (this.fails) {
			throw new StoreCallException("the cable is cut", null, Blame.SERVER);
		}
		return answer.get();
	}

	@Override
	public String name() {
		return "grid";
	}

	@Override
	public String displayName() {
		return "The grid";
	}

	@Override
	public String address() {
		return "grid:7000";
	}

	@Override
	public RateLimitStates open(RateLimitPolicy policy) {
		return new States(this.store.open(policy));
	}

	@Override
	public Check check() {
		return new Check() {

			@Override
			public Set<String> servers() {
				return FailingStore.this.servers();
			}

			@Override
			public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
				try {
					return servers.isEmpty() ? Map.of() : call(Map::of);
				}
				catch (StoreCallException ex) {
					return Map.of("", ex);
				}
			}

		};
	}

	private final class States implements RateLimitStates {

		private final RateLimitStates states;

		States(RateLimitStates states) {
			this.states = states;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return FailingStore.this.view.apply(call(() -> this.states.decide(key, permits)));
		}

		@Override
		public void giveBack(String key, long permits, RateLimitDecision given) {
			call(() -> {
				this.states.giveBack(key, permits, given);
				return true;
			});
		}

		@Override
		public void reset(String key) {
			call(() -> {
				this.states.reset(key);
				return true;
			});
		}

	}

}
