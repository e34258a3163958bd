package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * Each waits until its own deadline. One that gives up is never sent, or is refunded what
 * it was given once the answer comes. A failure is that of all that have joined.
 */
final class JoinedDecisions {

	/*
	 * A few callers are as quick as each alone: none of them waits for another's answer.
	 */
	private static final int FEW = 4;

	/* Of so many callers, half are answered while the store decides for the others. */
	private static final int MANY = 32;

	/**
	 * The most requests for a key that wait, and join one call. So many are sent whatever
	 * is under way.
	 */
	static final int MAX_WAITING = 1024;

	/* A key has a queue while requests for it are under way. */
	final Map<String, KeyQueue> queues = new ConcurrentHashMap<>();

	/* Those that cannot be delayed do not join the others. */
	final Map<String, KeyQueue> queuesWithoutDelay = new ConcurrentHashMap<>();

	private final RemoteDecider decider;

	private final Refund refund;

	/**
	 * Creates decisions.
	 * @param decider decides
	 * @param refund refunds those that have given up
	 */
	JoinedDecisions(RemoteDecider decider, Refund refund) {
		this.decider = decider;
		this.refund = refund;
	}

	/**
	 * Decides on a request, as {@link RemoteDecider#decide} does.
	 * @param deadline the deadline until which there is time for the answer
	 */
	RemoteStore.Answer<RateLimitDecision> decide(String key, long permits, boolean withoutDelay, Deadline deadline) {
		if (!this.decider.joins()) {
			return this.decider.decide(key, permits, withoutDelay).start(deadline);
		}

		while (true) {
			KeyQueue queue = queues(withoutDelay).computeIfAbsent(key, (absent) -> new KeyQueue(absent, withoutDelay));
			if (queue.tryBeginAlone()) {
				return sendAlone(queue, permits, deadline);
			}

			Request request = new Request(queue, permits, deadline);
			List<Request> next = queue.tryAdd(request);
			if (next != null) {
				send(queue, next);
				return request;
			}
		}
	}

	private Map<String, KeyQueue> queues(boolean withoutDelay) {
		return withoutDelay ? this.queuesWithoutDelay : this.queues;
	}

	/*
	 * A request that fails without being sent is over too, or others would wait for it
	 * for ever.
	 */
	private RemoteStore.Answer<RateLimitDecision> sendAlone(KeyQueue queue, long permits, Deadline deadline) {
		try {
			RemoteStore.Answer<RateLimitDecision> answer = this.decider.decide(queue.key, permits, queue.withoutDelay)
				.start(deadline);
			answer.whenOver(() -> send(queue, queue.endAlone()));
			return answer;
		}
		catch (Throwable ex) {
			send(queue, queue.endAlone());
			throw ex;
		}
	}

	/*
	 * Callers are answered before the next call is sent, so that those who ask again at
	 * once join it: else they would be sent in many calls of a few. After that, few
	 * enough may be under way for one more call.
	 */
	private void send(KeyQueue queue, List<Request> next) {
		if (next.isEmpty()) {
			return;
		}

		JoinedRequests joined = new JoinedRequests(queue, next);
		CompletableFuture.completedFuture(joined).thenCompose(this::send).whenComplete((decisions, failure) -> {
			try {
				if (decisions != null) {
					answer(joined, decisions);
				}
				else {
					joined.fail(failure);
				}
			}
			catch (Throwable ex) {
				joined.fail(ex);
			}
			finally {
				send(queue, queue.endJoined(next));
			}
		});
		send(queue, queue.next());
	}

	private CompletionStage<List<RateLimitDecision>> send(JoinedRequests joined) {
		List<Request> requests = joined.requests;
		long[] permits = new long[requests.size()];
		Deadline latest = requests.get(0).deadline;
		for (int i = 0; i < permits.length; i++) {
			permits[i] = requests.get(i).permits;
			latest = latest.later(requests.get(i).deadline);
		}

		RemoteStore.Answer<List<RateLimitDecision>> answer = this.decider
			.decideAll(joined.queue.key, permits, joined.queue.withoutDelay)
			.start(latest);
		return answer.later(answer::await);
	}

	/*
	 * Answers the callers, and refunds those that have given up: the last one first,
	 * because a limit's queue takes its positions back only from its end.
	 */
	private void answer(JoinedRequests joined, List<RateLimitDecision> decisions) {
		for (int i = 0; i < joined.requests.size(); i++) {
			joined.requests.get(i).complete(decisions.get(i));
		}

		CompletionStage<?> refunded = CompletableFuture.completedStage(null);
		for (int i = decisions.size() - 1; i >= 0; i--) {
			Request request = joined.requests.get(i);
			RateLimitDecision decision = decisions.get(i);
			if (request.isCompletedExceptionally() && request.permits > 0 && decision.allowed()) {
				refunded = refunded.handle((done, failure) -> done)
					.thenCompose((done) -> this.refund.refund(joined.queue.key, request.permits, decision));
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
	 * The requests for a key that can join one call: those that are under way, and those
	 * that wait, of which there are none while few are under way.
	 */
	final class KeyQueue {

		private final String key;

		/* Whether they cannot be delayed. */
		private final boolean withoutDelay;

		private final List<Request> waiting = new ArrayList<>();

		/* The requests of each joined call. */
		private final List<List<Request>> sent = new ArrayList<>();

		private int underWay;

		private final AtomicBoolean watched = new AtomicBoolean();

		private boolean ended;

		private KeyQueue(String key, boolean withoutDelay) {
			this.key = key;
			this.withoutDelay = withoutDelay;
		}

		synchronized int underWay() {
			return this.underWay;
		}

		/*
		 * Notes that a request is sent alone, if few are under way. A queue that has
		 * ended, because its last request was answered, sends none.
		 */
		private synchronized boolean tryBeginAlone() {
			if (this.ended || this.underWay >= FEW) {
				return false;
			}
			this.underWay++;
			return true;
		}

		/*
		 * Lets a request wait, and returns those to send now. Returns null, and adds
		 * nothing, if few are under way by now, so that it need not wait.
		 */
		private synchronized @Nullable List<Request> tryAdd(Request request) {
			if (this.ended || this.underWay < FEW) {
				return null;
			}
			this.waiting.add(request);
			return moveToNextCall(MAX_WAITING);
		}

		/*
		 * Notes that a request is over that was sent alone, and returns those to send
		 * now.
		 */
		private synchronized List<Request> endAlone() {
			this.underWay--;
			return next();
		}

		/*
		 * Notes that a joined call is over, and returns those to send now.
		 */
		private synchronized List<Request> endJoined(List<Request> requests) {
			this.underWay -= requests.size();
			this.sent.remove(requests);
			return next();
		}

		/*
		 * Returns those to send now. The queue ends once nothing is under way.
		 */
		private synchronized List<Request> next() {
			List<Request> next = moveToNextCall(leastToSend());
			if (this.underWay == 0) {
				this.ended = true;
				queues(this.withoutDelay).remove(this.key, this);
			}
			return next;
		}

		private int leastToSend() {
			if (this.underWay < FEW) {
				return 1;
			}
			return Math.max(this.underWay, MANY - this.underWay);
		}

		/*
		 * Watches all that wait or have joined a call: to watch each cost an eighth of a
		 * decision.
		 */
		void watch() {
			if (!this.watched.get() && this.watched.compareAndSet(false, true)) {
				PendingAnswer.WATCH.add(this::endDueWaits);
			}
		}

		/*
		 * Ends the waits that are due, and returns whether the queue need not be watched.
		 * That is noted under the lock under which requests are added, or the next one
		 * would not be watched.
		 */
		private boolean endDueWaits() {
			List<Request> open = new ArrayList<>();
			synchronized (this) {
				this.sent.forEach(open::addAll);
				open.addAll(this.waiting);
				this.watched.set(!open.isEmpty());
			}

			open.forEach(Request::endIfDue);
			return open.isEmpty();
		}

		/*
		 * Moves those that still wait to the next call, if there are as many as it takes.
		 */
		private List<Request> moveToNextCall(int least) {
			if (this.waiting.size() < least) {
				return List.of();
			}

			boolean isFull = this.waiting.size() == MAX_WAITING;
			this.waiting.removeIf(Request::isDone);
			int count = this.waiting.size();
			int callers = this.waiting.size() + this.underWay;
			if (!isFull && callers >= MANY) {
				count = Math.min((callers + 1) / 2, this.waiting.size());
			}

			List<Request> first = this.waiting.subList(0, count);
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
	 * A request that waits for others, and what it is answered.
	 */
	private static final class Request extends PendingAnswer<RateLimitDecision, RateLimitDecision> {

		/* A volatile write for each request costs some percent of a decision. */
		private static final AtomicReferenceFieldUpdater<Request, JoinedRequests> JOINED = AtomicReferenceFieldUpdater
			.newUpdater(Request.class, JoinedRequests.class, "joined");

		private final KeyQueue queue;

		private final long permits;

		private volatile @Nullable JoinedRequests joined;

		Request(KeyQueue queue, long permits, Deadline deadline) {
			super(deadline);
			this.queue = queue;
			this.permits = permits;
		}

		@Override
		void watch() {
			this.queue.watch();
		}

		@Override
		protected RateLimitDecision read(RateLimitDecision decision) {
			return decision;
		}

		/*
		 * What is no failure of the call is a fault of this code, and must not pass for
		 * an outage.
		 */
		@Override
		protected StoreCallException failure(Throwable cause) {
			if (!(cause instanceof StoreCallException known)) {
				throw new CompletionException(cause);
			}
			return known;
		}

		/*
		 * A call that it has waited for says itself what has become of it.
		 */
		@Override
		protected StoreCallException giveUp() {
			JoinedRequests call = this.joined;
			if (call != null) {
				return call.firstFailure(StoreCallException.noAnswer(this.deadline.timeout()));
			}
			return new StoreCallException("not asked within " + this.deadline.timeout().toMillis() + " ms", null,
					Blame.CALLER);
		}

	}

	/**
	 * The requests that are sent in one call, in their order.
	 */
	private static final class JoinedRequests {

		private final KeyQueue queue;

		private final List<Request> requests;

		private @Nullable StoreCallException failure;

		JoinedRequests(KeyQueue queue, List<Request> requests) {
			this.queue = queue;
			this.requests = requests;
			requests.forEach((request) -> Request.JOINED.lazySet(request, this));
		}

		/*
		 * Returns the first failure, which is the same for all, so that it counts as one,
		 * however it is found.
		 */
		synchronized StoreCallException firstFailure(StoreCallException found) {
			if (this.failure == null) {
				this.failure = found;
			}
			return this.failure;
		}

		void fail(Throwable found) {
			Throwable cause = found;
			if (found instanceof CompletionException && found.getCause() != null) {
				cause = found.getCause();
			}
			Throwable same = (cause instanceof StoreCallException known) ? firstFailure(known) : cause;
			this.requests.forEach((request) -> request.completeExceptionally(same));
		}

	}

}
