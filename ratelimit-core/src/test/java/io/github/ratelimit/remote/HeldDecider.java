package io.github.ratelimit.remote;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.LateCharge;
import org.jspecify.annotations.Nullable;

/**
 * Decides in a remote store, and holds decisions back for a test, so that calls are under
 * way for as long as it likes.
 */
class HeldDecider implements RemoteDecider {

	/* While so many are under way, others wait. */
	static final int FEW = 4;

	/* Those that are under way, in the order in which they were sent. */
	final List<Held<?>> held = new CopyOnWriteArrayList<>();

	/* Whether what is sent from now on is held back. */
	boolean hold = true;

	boolean joins = true;

	private final RemoteDecider decider;

	HeldDecider(RemoteDecider decider) {
		this.decider = decider;
	}

	@Override
	public String server(String key) {
		return this.decider.server(key);
	}

	@Override
	public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
		return held(this.decider.decide(key, permits, withoutDelay), permits);
	}

	@Override
	public boolean joins() {
		return this.joins;
	}

	@Override
	public RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
		return held(this.decider.decideAll(key, permits, withoutDelay), permits);
	}

	private <T> RemoteStore.Call<T> held(RemoteStore.Call<T> call, long... permits) {
		return (deadline) -> {
			Held<T> sent = new Held<>(call, deadline, permits);
			if (this.hold) {
				this.held.add(sent);
			}
			else {
				sent.answer();
			}
			return sent.answer;
		};
	}

	@Override
	public RemoteStore.Call<Void> refund(String key, long permits, RateLimitDecision given) {
		return this.decider.refund(key, permits, given);
	}

	@Override
	public RemoteStore.Call<@Nullable LateCharge> charge(String key, long permits) {
		return this.decider.charge(key, permits);
	}

	@Override
	public RemoteStore.Call<Void> reset(String key) {
		return this.decider.reset(key);
	}

	/**
	 * Makes each decision in a call that a look has joined before it and one behind it,
	 * which changes nothing.
	 */
	RemoteDecider amongLooks() {
		JoinedDecisions joined = new JoinedDecisions(this, (key, permits, given) -> {
			throw new AssertionError("Nobody gives up");
		});
		return new HeldDecider(this.decider) {

			@Override
			public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
				return (deadline) -> {
					HeldDecider.this.hold = true;
					for (int i = 0; i <= FEW; i++) {
						joined.decide(key, 0, withoutDelay, deadline);
					}
					RemoteStore.Answer<RateLimitDecision> answer = joined.decide(key, permits, withoutDelay, deadline);
					joined.decide(key, 0, withoutDelay, deadline);
					HeldDecider.this.hold = false;
					HeldDecider.this.held.forEach((look) -> look.answer.complete(null));
					HeldDecider.this.held.clear();
					return answer;
				};
			}

		};
	}

	/**
	 * A call that the store has yet to make.
	 */
	static final class Held<T> {

		final long[] permits;

		final Deadline deadline;

		final HeldAnswer<T> answer;

		private final RemoteStore.Call<T> call;

		private Held(RemoteStore.Call<T> call, Deadline deadline, long[] permits) {
			this.call = call;
			this.deadline = deadline;
			this.permits = permits;
			this.answer = new HeldAnswer<>(deadline);
		}

		/* Makes the call now. */
		void answer() {
			try {
				this.answer.complete(this.call.start(this.deadline).await());
			}
			catch (StoreCallException ex) {
				fail(ex);
			}
		}

		void fail(Throwable failure) {
			this.answer.completeExceptionally(failure);
		}

	}

}
