package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.remote.StoreCallException.Blame;
import org.jspecify.annotations.Nullable;

/**
 * Decides on the requests of one policy, those for a busy key together. A request that
 * finds few calls under way for its key is sent alone, at once. The others wait until one
 * of these is over, and then are sent in one call. So nobody waits for company.
 * <p>
 * Each waits until its own deadline. Who gives up is never sent, or is refunded what it
 * was given once the answer comes. A failure is that of all that have joined.
 */
final class JoinedDecisions {

	/* With fewer, a few callers would be slower than each alone. */
	private static final int MOST_UNDER_WAY = 4;

	/**
	 * How many requests for a key wait at most, and join one call. What finds so many is
	 * sent alone.
	 */
	static final int MOST_WAITING = 1024;

	/* A target is there while calls for it are under way. */
	final Map<Target, Traffic> targets = new ConcurrentHashMap<>();

	private final RemoteStore.States states;

	private final Refund refund;

	/**
	 * Creates decisions.
	 * @param states decide
	 * @param refund refunds those that have given up
	 */
	JoinedDecisions(RemoteStore.States states, Refund refund) {
		this.states = states;
		this.refund = refund;
	}

	/**
	 * Decides on a request, as {@link RemoteStore.States#decide} does.
	 */
	RemoteStore.Call<RateLimitDecision> decide(String key, long permits, boolean withoutDelay) {
		RemoteStore.Call<RateLimitDecision> alone = this.states.decide(key, permits, withoutDelay);
		return !this.states.joins() ? alone
				: (deadline) -> start(new Target(key, withoutDelay), new Request(alone, permits, deadline));
	}

	private RemoteStore.Answer<RateLimitDecision> start(Target target, Request request) {
		this.targets.compute(target, (same, found) -> ((found != null) ? found : new Traffic()).with(request));
		if (request.waits) {
			return request;
		}
		RemoteStore.Answer<RateLimitDecision> answer = request.alone.start(request.deadline());
		answer.whenOver(() -> sendNext(target));
		return answer;
	}

	/*
	 * A call is over: those that wait are sent in its place.
	 */
	private void sendNext(Target target) {
		List<Request> next = new ArrayList<>();
		this.targets.computeIfPresent(target, (same, traffic) -> traffic.withNext(next));
		if (next.isEmpty()) {
			return;
		}
		JoinedCall joined = new JoinedCall(target, next);
		CompletableFuture.completedFuture(joined).thenCompose(this::send).whenComplete((decisions, failure) -> {
			sendNext(target);
			if (decisions != null) {
				tell(joined, decisions);
			}
			else {
				joined.fail(failure);
			}
		});
	}

	private CompletionStage<List<RateLimitDecision>> send(JoinedCall joined) {
		List<Request> requests = joined.requests;
		if (requests.size() == 1) {
			Request only = requests.get(0);
			return only.alone.start(only.deadline()).later().thenApply(List::of);
		}
		long[] permits = requests.stream().mapToLong((request) -> request.permits).toArray();
		Deadline latest = requests.stream().map(Request::deadline).reduce(requests.get(0).deadline(), Deadline::later);
		return this.states.decideAll(joined.target.key, permits, joined.target.withoutDelay).start(latest).later();
	}

	/*
	 * A place in a queue goes back only from its end, so the last is refunded first.
	 */
	private void tell(JoinedCall joined, List<RateLimitDecision> decisions) {
		for (int i = 0; i < decisions.size(); i++) {
			joined.requests.get(i).complete(decisions.get(i));
		}
		CompletionStage<?> refunded = CompletableFuture.completedStage(null);
		for (int i = decisions.size() - 1; i >= 0; i--) {
			Request request = joined.requests.get(i);
			RateLimitDecision decision = decisions.get(i);
			if (request.isCompletedExceptionally() && request.permits > 0 && decision.allowed()) {
				refunded = refunded.handle((done, failure) -> done)
					.thenCompose((done) -> this.refund.refund(joined.target.key, request.permits, decision));
			}
		}
	}

	/**
	 * Refunds what a request was given.
	 */
	interface Refund {

		CompletionStage<Void> refund(String key, long permits, RateLimitDecision given);

	}

	/**
	 * What requests have in common that can join one call.
	 *
	 * @param key the key
	 * @param withoutDelay whether they cannot wait in a queue
	 */
	record Target(String key, boolean withoutDelay) {
	}

	/**
	 * The calls under way for a target, and the requests that wait. It changes only
	 * within the operations of the map.
	 */
	static final class Traffic {

		private final List<Request> waiting = new ArrayList<>();

		private int underWay;

		Traffic with(Request request) {
			request.waits = this.underWay >= MOST_UNDER_WAY && this.waiting.size() < MOST_WAITING;
			if (request.waits) {
				this.waiting.add(request);
			}
			else {
				this.underWay++;
			}
			return this;
		}

		/*
		 * Moves those that still wait to the next call, which takes the place of one that
		 * is over.
		 */
		@Nullable Traffic withNext(List<Request> next) {
			this.waiting.stream().filter((request) -> !request.isDone()).forEach(next::add);
			this.waiting.clear();
			if (next.isEmpty()) {
				this.underWay--;
			}
			return (this.underWay > 0) ? this : null;
		}

	}

	/**
	 * A request, and what it is answered.
	 */
	private static final class Request extends PendingAnswer<RateLimitDecision, RateLimitDecision> {

		private final RemoteStore.Call<RateLimitDecision> alone;

		private final long permits;

		private boolean waits;

		private volatile @Nullable JoinedCall joined;

		Request(RemoteStore.Call<RateLimitDecision> alone, long permits, Deadline deadline) {
			super(deadline);
			this.alone = alone;
			this.permits = permits;
		}

		Deadline deadline() {
			return this.deadline;
		}

		@Override
		protected RateLimitDecision read(RateLimitDecision decision) {
			return decision;
		}

		@Override
		protected StoreCallException failure(Throwable cause) {
			if (cause instanceof StoreCallException known) {
				return known;
			}
			throw new CompletionException(cause);
		}

		/*
		 * The calls that it has waited for say themselves what has become of them.
		 */
		@Override
		protected StoreCallException giveUp() {
			JoinedCall call = this.joined;
			return (call != null) ? call.failure(StoreCallException.noAnswer(this.deadline.timeout()))
					: new StoreCallException("not asked within " + this.deadline.timeout().toMillis() + " ms", null,
							Blame.CALLER);
		}

	}

	/**
	 * The requests that are sent in one call, in their order.
	 */
	private static final class JoinedCall {

		private final Target target;

		private final List<Request> requests;

		private @Nullable StoreCallException failure;

		JoinedCall(Target target, List<Request> requests) {
			this.target = target;
			this.requests = requests;
			requests.forEach((request) -> request.joined = this);
		}

		/*
		 * The same for all, so that it counts as one, however it is found.
		 */
		synchronized StoreCallException failure(StoreCallException found) {
			StoreCallException first = (this.failure != null) ? this.failure : found;
			this.failure = first;
			return first;
		}

		void fail(Throwable found) {
			Throwable cause = (found instanceof CompletionException && found.getCause() != null) ? found.getCause()
					: found;
			Throwable same = (cause instanceof StoreCallException known) ? failure(known) : cause;
			this.requests.forEach((request) -> request.completeExceptionally(same));
		}

	}

}
