package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The questions of one request, which together wait no longer than the time-out. Each
 * decision takes from all policies or from none; for each policy, either the store
 * decides or its fallback.
 * <p>
 * Where the store can decide on all policies together, it is asked in one call. Otherwise
 * all are asked at once, first for a look, and if none lacks permits, for the permits.
 */
final class RemoteSession implements RateLimitSession {

	/* The failure of a call that has hardly any time says nothing about its server. */
	private static final int MIN_PART = 10;

	private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

	private final RemoteStore store;

	private final RateLimitClock clock;

	private final WaitBudget time;

	/**
	 * Creates a session.
	 * @param store the store to ask
	 * @param clock this process' time
	 * @param time how long the request may wait
	 */
	RemoteSession(RemoteStore store, RateLimitClock clock, WaitBudget time) {
		this.store = store;
		this.clock = clock;
		this.time = time;
	}

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		NonBlockingThread.refuse(this.store.displayName());
		if (questions.size() == 1) {
			return finish(decideOnly(new PolicyCall(questions.get(0)), Way.HERE));
		}
		List<PolicyCall> calls = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		if (mustAsk(calls, deadline)) {
			finish(decideRemotely(calls, deadline, Way.HERE));
		}
		return conclude(calls, deadline);
	}

	@Override
	public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
		if (questions.size() == 1) {
			return decideOnly(new PolicyCall(questions.get(0)), Way.LATER);
		}
		List<PolicyCall> calls = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		CompletionStage<Void> asked = mustAsk(calls, deadline) ? decideRemotely(calls, deadline, Way.LATER) : DONE;
		return asked.thenApply((done) -> conclude(calls, deadline));
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	/*
	 * What nearly all requests ask, on a short way: those of a busy key follow each other
	 * faster than several questions could be sorted.
	 */
	private CompletionStage<List<@Nullable RateLimitDecision>> decideOnly(PolicyCall call, Way way) {
		Deadline deadline = Deadline.after(this.time.left());
		long askedAt = this.clock.nanos();
		call.decision = call.states.answers.find(call.key, call.permits, askedAt);
		call.shared = call.decision == null && !isOver(deadline.timeout().toNanos()) && call.breaker.tryAcquirePermission();
		return !call.shared ? CompletableFuture.completedStage(conclude(call, deadline))
				: way.then(call.askingAlone(false).start(deadline), (answer) -> {
					try {
						RateLimitDecision said = answer.await();
						call.decided(call.permits, said, said.allowed(), askedAt);
						call.breaker.succeeded(call.taken);
					}
					catch (StoreCallException ex) {
						call.fail(ex);
						call.breaker.failed(ex, askedAt);
					}
					return conclude(call, deadline);
				});
	}

	private List<@Nullable RateLimitDecision> conclude(PolicyCall call, Deadline deadline) {
		if (call.decision == null) {
			call.decideLocally();
		}
		this.time.use(deadline.passedNanos(), call.failure != null);
		return Collections.singletonList(call.decision);
	}

	/*
	 * Whether the store must be asked, because what is known does not decide.
	 */
	private boolean mustAsk(List<PolicyCall> calls, Deadline deadline) {
		if (isKnownToBeRejected(calls)) {
			return false;
		}
		boolean triesAgain = !isOver(deadline.remainingNanos())
				&& share(calls.stream().filter((call) -> call.decision == null).toList());
		return triesAgain || !isRejectedLocally(calls);
	}

	private List<@Nullable RateLimitDecision> conclude(List<PolicyCall> calls, Deadline deadline) {
		if (isRejected(calls)) {
			for (int i = calls.size() - 1; i >= 0; i--) {
				calls.get(i).undo();
			}
		}
		noteWait(deadline, calls);
		return calls.stream().map((call) -> call.decision).toList();
	}

	private void noteWait(Deadline deadline, List<PolicyCall> calls) {
		this.time.use(deadline.passedNanos(), calls.stream().anyMatch((call) -> call.failure != null));
	}

	private static boolean isRejected(List<PolicyCall> calls) {
		return calls.stream().anyMatch(PolicyCall::isRejected);
	}

	private boolean isKnownToBeRejected(List<PolicyCall> calls) {
		long now = this.clock.nanos();
		for (PolicyCall call : calls) {
			call.decision = call.states.answers.find(call.key, call.permits, now);
			if (call.isRejected()) {
				return true;
			}
		}
		return false;
	}

	/*
	 * Finds out whose servers may be asked, and whether the request tries a server again,
	 * which it then must ask.
	 */
	private static boolean share(List<PolicyCall> calls) {
		Map<Breaker, Boolean> reachable = new HashMap<>();
		boolean triesAgain = false;
		for (PolicyCall call : calls) {
			boolean available = call.breaker.isAvailable();
			call.shared = reachable.computeIfAbsent(call.breaker, Breaker::tryAcquirePermission);
			triesAgain |= call.shared && !available;
		}
		return triesAgain;
	}

	private CompletionStage<Void> decideRemotely(List<PolicyCall> calls, Deadline deadline, Way way) {
		List<PolicyCall> shared = calls.stream().filter((call) -> call.shared).toList();
		RemoteStore.Call<List<RateLimitDecision>> together = (shared.size() > 1)
				? this.store.together(shared.stream().map(PolicyCall::asking).toList()) : null;
		CompletionStage<Void> asked;
		if (together != null) {
			asked = askTogether(shared, together, deadline, way);
		}
		else if (shared.stream().filter((call) -> call.permits > 0).count() > 1) {
			asked = lookAndTake(shared, deadline, way);
		}
		else {
			asked = askEach(shared, false, deadline, way);
		}
		return asked.thenRun(() -> {
			if (!isRejected(calls) && !isRejectedLocally(calls)) {
				decideLocally(calls);
			}
		});
	}

	/*
	 * Looking first keeps a request that one policy rejects from writing to the others.
	 */
	private static boolean isRejectedLocally(List<PolicyCall> calls) {
		for (PolicyCall call : calls) {
			if (calls.size() > 1 && call.isLocal()
					&& call.states.fallback.decide(call.key, 0).remaining() < call.permits) {
				call.decideLocally();
				if (call.isRejected()) {
					return true;
				}
			}
		}
		return false;
	}

	private static void decideLocally(List<PolicyCall> calls) {
		for (PolicyCall call : calls) {
			if (call.isLocal()) {
				call.decideLocally();
				if (call.isRejected() && call.permits > 0) {
					return;
				}
			}
		}
	}

	private CompletionStage<Void> askTogether(List<PolicyCall> calls,
			RemoteStore.Call<List<RateLimitDecision>> together, Deadline deadline, Way way) {
		long askedAt = this.clock.nanos();
		return way.tell(together.start(deadline), (decisions) -> {
			boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
			for (int i = 0; i < decisions.size(); i++) {
				calls.get(i).decided(calls.get(i).permits, decisions.get(i), agreed, askedAt);
			}
		}, (failure) -> calls.forEach((call) -> call.fail(failure))).thenRun(() -> report(calls, askedAt));
	}

	/*
	 * Some may give although others reject.
	 */
	private CompletionStage<Void> lookAndTake(List<PolicyCall> calls, Deadline deadline, Way way) {
		return askEach(calls, true, deadline, way).thenCompose((looked) -> {
			List<PolicyCall> rest = new ArrayList<>(calls);
			rest.removeIf((call) -> !call.shared || call.permits == 0);
			PolicyCall lacking = rest.stream().filter(PolicyCall::lacksPermits).findFirst().orElse(null);
			if (lacking == null) {
				return askEach(rest, false, deadline, way);
			}
			rest.remove(lacking);
			return askEach(List.of(lacking), false, deadline, way)
				.thenCompose((asked) -> lacking.isRejected() ? DONE : askEach(rest, false, deadline, way));
		});
	}

	private CompletionStage<Void> askEach(List<PolicyCall> calls, boolean look, Deadline deadline, Way way) {
		if (isOver(deadline.remainingNanos())) {
			calls.forEach((call) -> call.fail(StoreCallException.noAnswer(deadline.timeout())));
			return DONE;
		}
		long askedAt = this.clock.nanos();
		return askEach(calls, (call) -> call.askingAlone(look), deadline, way,
				(call, said) -> call.decided(look ? 0 : call.permits, said, said.allowed(), askedAt));
	}

	private <T> CompletionStage<Void> askEach(List<PolicyCall> calls, Function<PolicyCall, RemoteStore.Call<T>> asked,
			Deadline deadline, Way way, BiConsumer<PolicyCall, T> answered) {
		long askedAt = this.clock.nanos();
		List<RemoteStore.Answer<T>> answers = calls.stream().map((call) -> asked.apply(call).start(deadline)).toList();
		CompletableFuture<?>[] told = new CompletableFuture<?>[answers.size()];
		for (int i = 0; i < told.length; i++) {
			PolicyCall call = calls.get(i);
			told[i] = way.tell(answers.get(i), (said) -> answered.accept(call, said), call::fail).toCompletableFuture();
		}
		return CompletableFuture.allOf(told).thenRun(() -> report(calls, askedAt));
	}

	/*
	 * Whether too little time is left to ask.
	 */
	private boolean isOver(long nanos) {
		return nanos < this.time.timeout().toNanos() / MIN_PART;
	}

	/*
	 * The calls of one round trip to one server count as one.
	 */
	private static void report(List<PolicyCall> calls, long askedAt) {
		calls.stream().collect(Collectors.groupingBy((call) -> call.breaker)).forEach((server, asked) -> {
			List<PolicyCall> answered = asked.stream().filter((call) -> call.failure == null).toList();
			if (!answered.isEmpty()) {
				server.succeeded(answered.stream().anyMatch((call) -> call.taken));
			}
			asked.stream()
				.map((call) -> call.failure)
				.filter(Objects::nonNull)
				.findFirst()
				.ifPresent((failure) -> server.failed(failure, askedAt));
		});
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Several permits of one key go back in turn, because a place in a queue goes back
	 * only from its end. Permits that cannot be refunded because the store is unavailable
	 * stay taken.
	 */
	@Override
	public void refund(List<Given> given) {
		NonBlockingThread.refuse(this.store.displayName());
		finish(refund(given, Way.HERE));
	}

	@Override
	public CompletionStage<Void> refundAsync(List<Given> given) {
		return refund(given, Way.LATER);
	}

	private CompletionStage<Void> refund(List<Given> given, Way way) {
		List<PolicyCall> all = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			all.add(new PolicyCall(given.get(i)));
		}
		Deadline deadline = Deadline.after(this.time.left());
		return refundInTurn(all, deadline, way).thenRun(() -> noteWait(deadline, all));
	}

	private CompletionStage<Void> refundInTurn(List<PolicyCall> calls, Deadline deadline, Way way) {
		List<PolicyCall> each = new ArrayList<>();
		for (PolicyCall call : calls) {
			if (each.stream().noneMatch(call::isOfSameKey)) {
				each.add(call);
			}
		}
		if (each.isEmpty()) {
			return DONE;
		}
		List<PolicyCall> rest = new ArrayList<>(calls);
		rest.removeAll(each);
		return refundEach(each, deadline, way).thenCompose((refunded) -> refundInTurn(rest, deadline, way));
	}

	private CompletionStage<Void> refundEach(List<PolicyCall> calls, Deadline deadline, Way way) {
		boolean over = isOver(deadline.remainingNanos());
		calls.stream().filter((call) -> over || !call.shared).forEach(PolicyCall::undo);
		List<PolicyCall> rest = calls.stream().filter((call) -> call.taken).toList();
		share(rest);
		return askEach(rest.stream().filter((call) -> call.shared).toList(), PolicyCall::refunding, deadline, way,
				(call, nothing) -> call.taken = false)
			.thenRun(() -> calls.forEach((call) -> call.states.forgetRejection(call.key)));
	}

	@Override
	public RateLimitSession call() {
		return new RemoteSession(this.store, this.clock, this.time.call());
	}

	/*
	 * What was done on the caller's thread is done by now.
	 */
	private static <T> T finish(CompletionStage<T> done) {
		try {
			return done.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				throw failure;
			}
			if (ex.getCause() instanceof Error failure) {
				throw failure;
			}
			throw ex;
		}
	}

	/**
	 * How the answers to calls are waited for. All calls of a step are sent by then.
	 */
	private enum Way {

		/** On the caller's thread, which also does all that follows, at once. */
		HERE,

		/** Not at all. What follows is done by the thread that has the answer. */
		LATER;

		/**
		 * Tells what an answer says, or why there is none.
		 */
		<T> CompletionStage<Void> tell(RemoteStore.Answer<T> answer, Consumer<T> said,
				Consumer<StoreCallException> failed) {
			return then(answer, (there) -> {
				try {
					said.accept(there.await());
				}
				catch (StoreCallException ex) {
					failed.accept(ex);
				}
				return null;
			});
		}

		/**
		 * Does something that awaits an answer.
		 */
		<T, U> CompletionStage<U> then(RemoteStore.Answer<T> answer, Function<RemoteStore.Answer<T>, U> next) {
			return (this == LATER) ? answer.later(() -> next.apply(answer))
					: CompletableFuture.completedStage(next.apply(answer));
		}

	}

	/**
	 * One policy's part in a decision of several, as far as it is known.
	 */
	private static final class PolicyCall {

		private final ResilientStore.ResilientDecider states;

		private final String key;

		private final long permits;

		private final boolean withoutDelay;

		private final Breaker breaker;

		/* The policy's last answer: a decision, or a look. */
		private @Nullable RateLimitDecision decision;

		private boolean taken;

		/* Whether the store decides, and not the fallback. */
		private boolean shared;

		private @Nullable StoreCallException failure;

		PolicyCall(Question question) {
			this.states = (ResilientStore.ResilientDecider) question.states();
			this.key = question.key();
			this.permits = question.permits();
			this.withoutDelay = question.withoutDelay();
			this.breaker = this.states.breaker(this.key);
		}

		/* Of what was given, to be refunded. */
		PolicyCall(Given given) {
			this(new Question(given.states(), given.key(), given.permits(), false));
			this.decision = given.decision();
			this.taken = true;
			this.shared = !given.decision().fallback();
		}

		private boolean isOfSameKey(PolicyCall other) {
			return this.states.versions == other.states.versions && this.key.equals(other.key);
		}

		private boolean isRejected() {
			return this.decision != null && !this.decision.allowed();
		}

		private boolean lacksPermits() {
			return this.decision != null && this.decision.remaining() < this.permits;
		}

		/* Whether the fallback has yet to decide. */
		private boolean isLocal() {
			return this.decision == null && !this.shared;
		}

		/* Together with other policies. */
		private RemoteStore.Call<RateLimitDecision> asking() {
			return this.states.remote.decide(this.key, this.permits, this.withoutDelay);
		}

		private RemoteStore.Call<RateLimitDecision> askingAlone(boolean look) {
			return this.states.joined.decide(this.key, look ? 0 : this.permits, this.withoutDelay);
		}

		private RemoteStore.Call<Void> refunding() {
			return this.states.remote.refund(this.key, this.permits, Objects.requireNonNull(this.decision));
		}

		/*
		 * Notes the store's answer, and whether all policies that were asked together
		 * agree.
		 */
		private void decided(long permits, RateLimitDecision said, boolean agreed, long askedAt) {
			this.decision = said;
			this.taken = agreed && permits > 0;
			this.states.answers.remember(this.key, permits, this.withoutDelay, said, askedAt);
		}

		private void fail(StoreCallException cause) {
			this.decision = null;
			this.shared = false;
			this.failure = cause;
		}

		private void decideLocally() {
			RateLimitDecision local = this.states.decideLocally(this.key, this.permits, this.withoutDelay);
			this.decision = local;
			this.taken = local.allowed() && this.permits > 0;
		}

		/*
		 * Refunds what was taken, without waiting for the store.
		 */
		private void undo() {
			if (!this.taken || this.decision == null) {
				return;
			}
			if (this.shared) {
				this.states.refundLater(this.key, this.permits, this.decision);
			}
			else {
				this.states.fallback.refund(this.key, this.permits, this.decision);
			}
			this.taken = false;
			this.decision = null;
		}

	}

}
