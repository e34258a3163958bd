package io.github.ratelimit.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.ForwardingDecider;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * How a test acquires permits, and of what kind of store: a test that is run with all of
 * them finds the same.
 */
enum Asking {

	/** By a thread that waits. */
	HERE,

	/** Without a thread, of a store in this process. */
	AT_ONCE,

	/** Without a thread, of a store that makes its callers wait. */
	ELSEWHERE,

	/** Without a thread, of a store that answers later. */
	LATER;

	boolean take(Acquisition acquisition, List<PermitRequest> requests) {
		return (this == HERE) ? acquisition.take(requests)
				: Boolean.TRUE.equals(ReactivePermits.take(acquisition, requests).block());
	}

	void refundUncharged(Acquisition acquisition) {
		if (this == HERE) {
			acquisition.refundUncharged();
		}
		else {
			ReactivePermits.refundUncharged(acquisition).block();
		}
	}

	/**
	 * A store of the kind, which decides as another does.
	 */
	RateLimitStore of(RateLimitStore store) {
		return (this == HERE || this == AT_ONCE) ? store : new Outside(store);
	}

	private final class Outside implements RateLimitStore {

		private final RateLimitStore store;

		Outside(RateLimitStore store) {
			this.store = store;
		}

		@Override
		public String name() {
			return "outside";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return new ForwardingDecider(this.store.open(policy)) {

				@Override
				public RateLimitDecision decideWithoutDelay(String key, long permits) {
					return this.states.decideWithoutDelay(key, permits);
				}

				@Override
				public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
					return this.states.settle(key, reserved, used, given);
				}

			};
		}

		@Override
		public Supplier<RateLimitSession> sessions() {
			Supplier<RateLimitSession> sessions = this.store.sessions();
			return () -> new Session((sessions != null) ? sessions.get() : SeparateSession.INSTANCE);
		}

	}

	private final class Session implements RateLimitSession {

		private final RateLimitSession session;

		Session(RateLimitSession session) {
			this.session = session;
		}

		@Override
		public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
			return this.session.decide(questions);
		}

		@Override
		public void refund(List<Given> given) {
			this.session.refund(given);
		}

		@Override
		public RateLimitSession call() {
			return new Session(this.session.call());
		}

		@Override
		public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
			return isBlocking() ? RateLimitSession.super.decideAsync(questions)
					: CompletableFuture.supplyAsync(() -> decide(questions));
		}

		@Override
		public CompletionStage<Void> refundAsync(List<Given> given) {
			return isBlocking() ? RateLimitSession.super.refundAsync(given)
					: CompletableFuture.runAsync(() -> refund(given));
		}

		@Override
		public boolean isBlocking() {
			return Asking.this != LATER;
		}

	}

}
