package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.remote.StoreCallException.Blame;
import org.jspecify.annotations.Nullable;

/**
 * Decides on the requests of one policy, those for a busy key together. A request that
 * finds few others under way for its key is sent alone, at once. More wait until few are
 * under way, and then are sent in one call. So nobody waits for company.
 * <p>
 * Each waits until its own deadline. Who gives up is never sent, or is refunded what it
 * was given once the answer comes. A failure is that of all that have joined.
 */
final class JoinedDecisions {

	/*
	 * A few callers are as quick as each alone: none of them waits for another's answer.
	 */
	private static final int FEW = 4;

	/*
	 * Of so many callers, half are told while the store decides for the others.
	 */
	private static final int MANY = 32;

	/**
	 * How many requests for a key wait at most, and join one call. So many are sent
	 * whatever is under way.
	 */
	static final int MAX_WAITING = 1024;

	/* A target is there while requests for it are under way. */
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
		return !this.states.joins() ? this.states.decide(key, permits, withoutDelay)
				: (deadline) -> start(new Target(key, withoutDelay), new Request(permits, deadline));
	}

	private RemoteStore.Answer<RateLimitDecision> start(Target target, Request request) {
		Traffic traffic;
		List<Request> next;
		do {
			traffic = this.targets.computeIfAbsent(target, Traffic::new);
			next = traffic.with(request);
		}
		while (next == null);
		if (next.size() == 1) {
			return sendAlone(traffic, next);
		}
		send(traffic, next);
		return request;
	}

	/*
	 * What fails without being sent is over too, or others would wait for it for ever.
	 */
	private RemoteStore.Answer<RateLimitDecision> sendAlone(Traffic traffic, List<Request> alone) {
		Request request = alone.get(0);
		try {
			RemoteStore.Answer<RateLimitDecision> answer = this.states
				.decide(traffic.target.key, request.permits, traffic.target.withoutDelay)
				.start(request.deadline);
			answer.whenOver(() -> end(traffic, alone));
			return answer;
		}
		catch (Throwable ex) {
			end(traffic, alone);
			throw ex;
		}
	}

	private void end(Traffic traffic, List<Request> requests) {
		send(traffic, traffic.without(requests));
	}

	/*
	 * Callers are told before the next call is sent, so that those who ask again at once
	 * join it: else they would be sent in many calls of a few. What is under way now may
	 * be few enough for one more call.
	 */
	private void send(Traffic traffic, List<Request> next) {
		if (next.isEmpty()) {
			return;
		}
		JoinedCall joined = new JoinedCall(traffic.target, next);
		CompletableFuture.completedFuture(joined).thenCompose(this::send).whenComplete((decisions, failure) -> {
			try {
				if (decisions != null) {
					tell(joined, decisions);
				}
				else {
					joined.fail(failure);
				}
			}
			catch (Throwable ex) {
				joined.fail(ex);
			}
			finally {
				end(traffic, next);
			}
		});
		end(traffic, List.of());
	}

	private CompletionStage<List<RateLimitDecision>> send(JoinedCall joined) {
		List<Request> requests = joined.requests;
		long[] permits = new long[requests.size()];
		Deadline latest = requests.get(0).deadline;
		for (int i = 0; i < permits.length; i++) {
			permits[i] = requests.get(i).permits;
			latest = latest.later(requests.get(i).deadline);
		}
		RemoteStore.Answer<List<RateLimitDecision>> answer = this.states
			.decideAll(joined.target.key, permits, joined.target.withoutDelay)
			.start(latest);
		return answer.later(answer::await);
	}

	/*
	 * A place in a queue goes back only from its end, so the last is refunded first.
	 */
	private void tell(JoinedCall joined, List<RateLimitDecision> decisions) {
		for (int i = 0; i < joined.requests.size(); i++) {
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
	 * The requests for a target that are under way, and those that wait, of which there
	 * are none while few are under way.
	 */
	final class Traffic {

		private final Target target;

		private final List<Request> waiting = new ArrayList<>();

		/* Those of each joined call. */
		private final List<List<Request>> sent = new ArrayList<>();

		int underWay;

		private final AtomicBoolean watched = new AtomicBoolean();

		private boolean ended;

		Traffic(Target target) {
			this.target = target;
		}

		/*
		 * Adds a request, and returns those to send now. Traffic that has ended, because
		 * its last request was answered, adds none and returns null.
		 */
		synchronized @Nullable List<Request> with(Request request) {
			if (this.ended) {
				return null;
			}
			if (this.underWay < FEW) {
				this.underWay++;
				return List.of(request);
			}
			request.traffic = this;
			this.waiting.add(request);
			return next(MAX_WAITING);
		}

		synchronized List<Request> without(List<Request> requests) {
			this.underWay -= requests.size();
			this.sent.remove(requests);
			List<Request> next = next((this.underWay < FEW) ? 1 : Math.max(this.underWay, MANY - this.underWay));
			if (this.underWay == 0) {
				this.ended = true;
				JoinedDecisions.this.targets.remove(this.target, this);
			}
			return next;
		}

		/*
		 * Watches all that wait or have joined a call: to watch each cost an eighth of a
		 * decision.
		 */
		void watch() {
			if (!this.watched.get() && this.watched.compareAndSet(false, true)) {
				PendingAnswer.WATCH.add(this::endWaits);
			}
		}

		private boolean endWaits() {
			List<Request> open = new ArrayList<>();
			synchronized (this) {
				this.sent.forEach(open::addAll);
				open.addAll(this.waiting);
				this.watched.set(!open.isEmpty());
			}
			open.forEach(Request::isOver);
			return open.isEmpty();
		}

		/*
		 * Moves those that still wait to the next call, if there are as many as it takes.
		 */
		private List<Request> next(int least) {
			int size = this.waiting.size();
			if (size < least) {
				return List.of();
			}
			this.waiting.removeIf(Request::isDone);
			int half = (this.waiting.size() + this.underWay + 1) / 2;
			int most = (size == MAX_WAITING || half < MANY / 2) ? MAX_WAITING : half;
			List<Request> first = this.waiting.subList(0, Math.min(most, this.waiting.size()));
			List<Request> next = new ArrayList<>(first);
			first.clear();
			if (!next.isEmpty()) {
				this.underWay += next.size();
				this.sent.add(next);
			}
			return next;
		}

	}

	/**
	 * A request, and what it is answered.
	 */
	private static final class Request extends PendingAnswer<RateLimitDecision, RateLimitDecision> {

		/* A volatile write for each request costs some percent of a decision. */
		private static final AtomicReferenceFieldUpdater<Request, JoinedCall> JOINED = AtomicReferenceFieldUpdater
			.newUpdater(Request.class, JoinedCall.class, "joined");

		private final long permits;

		/* Of one that waits. */
		private @Nullable Traffic traffic;

		private volatile @Nullable JoinedCall joined;

		Request(long permits, Deadline deadline) {
			super(deadline);
			this.permits = permits;
		}

		@Override
		void watch() {
			Objects.requireNonNull(this.traffic).watch();
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
			requests.forEach((request) -> Request.JOINED.lazySet(request, this));
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
