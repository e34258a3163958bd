package io.github.ratelimit.remote;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.RateLimitDecision;

/**
 * States of a remote store whose decisions a test may hold back, so that calls are under
 * way for as long as it likes.
 */
class HeldStates implements RemoteStore.States {

	/* While so many are under way, others wait. */
	static final int FEW = 4;

	/* Those that are under way, in the order in which they were sent. */
	final List<Held<?>> held = new CopyOnWriteArrayList<>();

	/* Whether what is sent from now on is held back. */
	boolean hold = true;

	boolean joins = true;

	private final RemoteStore.States states;

	HeldStates(RemoteStore.States states) {
		this.states = states;
	}

	@Override
	public String server(String key) {
		return this.states.server(key);
	}

	@Override
	public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
		return held(this.states.decide(key, permits, withoutDelay), permits);
	}

	@Override
	public boolean joins() {
		return this.joins;
	}

	@Override
	public RemoteStore.Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
		return held(this.states.decideAll(key, permits, withoutDelay), permits);
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
		return this.states.refund(key, permits, given);
	}

	@Override
	public RemoteStore.Call<Void> charge(String key, long permits) {
		return this.states.charge(key, permits);
	}

	@Override
	public RemoteStore.Call<Void> reset(String key) {
		return this.states.reset(key);
	}

	/**
	 * Makes each decision in a call that a look has joined before it and one behind it,
	 * which changes nothing.
	 */
	RemoteStore.States amongLooks() {
		JoinedDecisions joined = new JoinedDecisions(this, (key, permits, given) -> {
			throw new AssertionError("Nobody gives up");
		});
		return new HeldStates(this.states) {

			@Override
			public RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
				return (deadline) -> {
					HeldStates.this.hold = true;
					for (int i = 0; i <= FEW; i++) {
						joined.decide(key, 0, withoutDelay, deadline);
					}
					RemoteStore.Answer<RateLimitDecision> answer = joined.decide(key, permits, withoutDelay, deadline);
					joined.decide(key, 0, withoutDelay, deadline);
					HeldStates.this.hold = false;
					HeldStates.this.held.forEach((look) -> look.answer.complete(null));
					HeldStates.this.held.clear();
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
