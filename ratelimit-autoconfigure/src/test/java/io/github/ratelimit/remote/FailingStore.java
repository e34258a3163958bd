package io.github.ratelimit.remote;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * A store in this process that stands in for one that is reached over a network: it fails
 * on command, and counts how often it is called.
 */
final class FailingStore implements OneByOneStore {

	private final RateLimitStore store;

	volatile boolean fails;

	/* Whether settlements that nobody waits for wait to be answered. */
	boolean slow;

	/* Whether settlements fail before there is an answer to wait for. */
	boolean abrupt;

	/* What settlements fail with then, in place of an exception. */
	@Nullable Error error;

	private final Queue<Runnable> held = new ArrayDeque<>();

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

	void answerAll() {
		while (!this.held.isEmpty()) {
			this.held.remove().run();
		}
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
	public PolicyDecider open(RateLimitPolicy policy) {
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

	private final class States implements PolicyDecider {

		private final PolicyDecider states;

		States(PolicyDecider states) {
			this.states = states;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return FailingStore.this.view.apply(call(() -> this.states.decide(key, permits)));
		}

		@Override
		public RateLimitDecision decideWithoutDelay(String key, long permits) {
			return FailingStore.this.view.apply(call(() -> this.states.decideWithoutDelay(key, permits)));
		}

		@Override
		public @Nullable PolicyDecider under(RateLimitPolicy policy) {
			PolicyDecider changed = this.states.under(policy);
			return (changed != null) ? new States(changed) : null;
		}

		@Override
		public boolean bans() {
			return this.states.bans();
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			call(() -> {
				this.states.refund(key, permits, given);
				return true;
			});
		}

		@Override
		public void settle(String key, long reserved, long used, RateLimitDecision given) {
			call(() -> {
				this.states.settle(key, reserved, used, given);
				return true;
			});
		}

		@Override
		public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
			if (FailingStore.this.error != null) {
				throw FailingStore.this.error;
			}
			if (FailingStore.this.abrupt) {
				settle(key, reserved, used, given);
			}
			CompletableFuture<Void> answer = new CompletableFuture<>();
			FailingStore.this.held.add(() -> {
				try {
					settle(key, reserved, used, given);
					answer.complete(null);
				}
				catch (StoreCallException ex) {
					answer.completeExceptionally(ex);
				}
			});
			if (!FailingStore.this.slow) {
				answerAll();
			}
			return answer;
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
