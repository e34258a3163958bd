package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.remote.RoundTrip.Mode;
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

	private final RemoteStore store;

	private final RateLimitClock clock;

	private final WaitBudget budget;

	/**
	 * Creates a session.
	 * @param store the store to ask
	 * @param clock this process' time
	 * @param budget how long the request may wait
	 */
	RemoteSession(RemoteStore store, RateLimitClock clock, WaitBudget budget) {
		this.store = store;
		this.clock = clock;
		this.budget = budget;
	}

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		if (questions.size() == 1) {
			return Collections.singletonList(decideOnly(new PolicyCall(questions.get(0))));
		}

		NonBlockingThread.refuse(this.store.displayName());
		List<PolicyCall> calls = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = this.budget.begin();
		joined(decideTogether(calls, deadline, Mode.SYNCHRONOUS));
		return conclude(calls, deadline);
	}

	@Override
	public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
		if (questions.size() == 1) {
			return decideOnlyAsync(new PolicyCall(questions.get(0)));
		}

		List<PolicyCall> calls = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = this.budget.begin();
		return decideTogether(calls, deadline, Mode.ASYNCHRONOUS).thenApply((done) -> conclude(calls, deadline));
	}

	@Override
	public boolean isBlocking() {
		return false;
	}

	/**
	 * Decides what nearly all requests ask, on a short way: those of a busy key follow
	 * each other faster than several questions could be sorted.
	 */
	RateLimitDecision decideOnly(PolicyCall call) {
		NonBlockingThread.refuse(this.store.displayName());
		Deadline deadline = this.budget.begin();
		long askedAt = this.clock.nanos();
		if (!call.recall(askedAt) && tryToAskStore(call, deadline)) {
			call.await(call.take(deadline), askedAt);
		}
		return conclude(call, deadline);
	}

	private CompletionStage<List<@Nullable RateLimitDecision>> decideOnlyAsync(PolicyCall call) {
		Deadline deadline = this.budget.begin();
		long askedAt = this.clock.nanos();
		if (call.recall(askedAt) || !tryToAskStore(call, deadline)) {
			return CompletableFuture.completedStage(Collections.singletonList(conclude(call, deadline)));
		}

		RemoteStore.Answer<RateLimitDecision> answer = call.take(deadline);
		return answer.later(() -> {
			call.await(answer, askedAt);
			return Collections.singletonList(conclude(call, deadline));
		});
	}

	/*
	 * Has the store decide, if there is time and its breaker permits it. Otherwise the
	 * fallback does.
	 */
	private boolean tryToAskStore(PolicyCall call, Deadline deadline) {
		return this.budget.isEnough(deadline.timeout().toNanos()) && call.tryToAskStore();
	}

	private RateLimitDecision conclude(PolicyCall call, Deadline deadline) {
		RateLimitDecision decision = call.decisionOrFallback();
		this.budget.end(deadline, call.failure() != null);
		return decision;
	}

	/*
	 * What this process can reject by itself does not reach the store. But a request
	 * whose call is to try a server again makes that call: until then, no other does.
	 */
	private CompletionStage<Void> decideTogether(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		recallUpToRejection(calls);
		if (isRejected(calls)) {
			return RoundTrip.NOTHING;
		}

		boolean triesAgain = permitCalls(calls, deadline);
		if (!triesAgain) {
			rejectLocally(calls);
		}
		if (isRejected(calls)) {
			return RoundTrip.NOTHING;
		}
		return decideRemotely(calls, deadline, mode);
	}

	/*
	 * Has those ask the store that have no decision yet, if there is time. Returns
	 * whether one of them tries a server again.
	 */
	private boolean permitCalls(List<PolicyCall> calls, Deadline deadline) {
		if (!this.budget.isEnough(deadline.remainingNanos())) {
			return false;
		}
		return RoundTrip.permitCalls(calls.stream().filter((call) -> !call.isDecided()).toList());
	}

	/* If one rejects, what the others have taken goes back. */
	private List<@Nullable RateLimitDecision> conclude(List<PolicyCall> calls, Deadline deadline) {
		if (isRejected(calls)) {
			for (int i = calls.size() - 1; i >= 0; i--) {
				calls.get(i).undo();
			}
		}
		this.budget.end(deadline, RoundTrip.hasFailed(calls));
		return calls.stream().map(PolicyCall::decision).toList();
	}

	private static boolean isRejected(List<PolicyCall> calls) {
		for (PolicyCall call : calls) {
			if (call.isRejected()) {
				return true;
			}
		}
		return false;
	}

	/* Recalls what the store has said of each key, up to the first rejection. */
	private void recallUpToRejection(List<PolicyCall> calls) {
		long now = this.clock.nanos();
		for (PolicyCall call : calls) {
			call.recall(now);
			if (call.isRejected()) {
				return;
			}
		}
	}

	private CompletionStage<Void> decideRemotely(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		List<PolicyCall> asking = calls.stream().filter(PolicyCall::asksStore).toList();
		return askStore(asking, deadline, mode).thenRun(() -> decideRest(calls));
	}

	/* The fallbacks decide on what the store has not, unless something rejects. */
	private static void decideRest(List<PolicyCall> calls) {
		if (isRejected(calls)) {
			return;
		}
		rejectLocally(calls);
		if (!isRejected(calls)) {
			decideLocally(calls);
		}
	}

	private CompletionStage<Void> askStore(List<PolicyCall> asking, Deadline deadline, Mode mode) {
		if (asking.size() > 1) {
			RemoteStore.Call<List<RateLimitDecision>> together = this.store
				.together(asking.stream().map(PolicyCall::part).toList());
			if (together != null) {
				long askedAt = this.clock.nanos();
				return RoundTrip.sendTogether(asking, together.start(deadline), mode, askedAt,
						(decisions) -> decided(asking, decisions, askedAt));
			}
		}
		if (asking.stream().filter((call) -> call.permits() > 0).count() > 1) {
			return lookAndTake(asking, deadline, mode);
		}
		return takeFromEach(asking, deadline, mode);
	}

	/*
	 * Has the fallback of a policy reject that lacks permits, if there is one. To look
	 * first keeps a request that one policy rejects from writing to the others.
	 */
	private static void rejectLocally(List<PolicyCall> calls) {
		for (PolicyCall call : calls) {
			if (call.awaitsFallback() && call.fallbackLacksPermits()) {
				call.decideLocally();
				if (call.isRejected()) {
					return;
				}
			}
		}
	}

	private static void decideLocally(List<PolicyCall> calls) {
		for (PolicyCall call : calls) {
			if (call.awaitsFallback()) {
				call.decideLocally();
				if (call.isRejected() && call.permits() > 0) {
					return;
				}
			}
		}
	}

	private static void decided(List<PolicyCall> calls, List<RateLimitDecision> decisions, long askedAt) {
		boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
		for (int i = 0; i < decisions.size(); i++) {
			calls.get(i).decided(decisions.get(i), agreed, askedAt);
		}
	}

	/*
	 * If a policy rejects, what the others have given must go back. So a policy that is
	 * seen to lack permits is asked first, and the others only if it gives nevertheless.
	 */
	private CompletionStage<Void> lookAndTake(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		return lookAtEach(calls, deadline, mode).thenCompose((looked) -> {
			List<PolicyCall> taking = new ArrayList<>(calls);
			taking.removeIf((call) -> !call.asksStore() || call.permits() == 0);
			PolicyCall lacking = taking.stream().filter(PolicyCall::lacksPermits).findFirst().orElse(null);
			if (lacking == null) {
				return takeFromEach(taking, deadline, mode);
			}

			taking.remove(lacking);
			return takeFromEach(List.of(lacking), deadline, mode).thenCompose((asked) -> {
				if (lacking.isRejected()) {
					return RoundTrip.NOTHING;
				}
				return takeFromEach(taking, deadline, mode);
			});
		});
	}

	private CompletionStage<Void> lookAtEach(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		if (failIfTooLate(calls, deadline)) {
			return RoundTrip.NOTHING;
		}
		long askedAt = this.clock.nanos();
		return RoundTrip.sendEach(calls, (call) -> call.look(deadline), mode, askedAt,
				(call, said) -> call.looked(said, askedAt));
	}

	private CompletionStage<Void> takeFromEach(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		if (failIfTooLate(calls, deadline)) {
			return RoundTrip.NOTHING;
		}
		long askedAt = this.clock.nanos();
		return RoundTrip.sendEach(calls, (call) -> call.take(deadline), mode, askedAt,
				(call, said) -> call.decided(said, said.allowed(), askedAt));
	}

	private boolean failIfTooLate(List<PolicyCall> calls, Deadline deadline) {
		boolean tooLate = !this.budget.isEnough(deadline.remainingNanos());
		if (tooLate) {
			calls.forEach((call) -> call.fail(StoreCallException.noAnswer(deadline.timeout())));
		}
		return tooLate;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Several permits of one key go back in turn, because a queue takes its positions
	 * back only from its end. Permits that cannot be refunded because the store is
	 * unavailable stay taken.
	 */
	@Override
	public void refund(List<Given> given) {
		NonBlockingThread.refuse(this.store.displayName());
		joined(refund(given, Mode.SYNCHRONOUS));
	}

	@Override
	public CompletionStage<Void> refundAsync(List<Given> given) {
		return refund(given, Mode.ASYNCHRONOUS);
	}

	private CompletionStage<Void> refund(List<Given> given, Mode mode) {
		List<PolicyCall> all = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			all.add(new PolicyCall(given.get(i)));
		}
		Deadline deadline = this.budget.begin();
		return refundInTurn(all, deadline, mode).thenRun(() -> this.budget.end(deadline, RoundTrip.hasFailed(all)));
	}

	private CompletionStage<Void> refundInTurn(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		List<PolicyCall> each = new ArrayList<>();
		for (PolicyCall call : calls) {
			if (each.stream().noneMatch(call::isOfSameKey)) {
				each.add(call);
			}
		}
		if (each.isEmpty()) {
			return RoundTrip.NOTHING;
		}

		List<PolicyCall> rest = new ArrayList<>(calls);
		rest.removeAll(each);
		return refundEach(each, deadline, mode).thenCompose((refunded) -> refundInTurn(rest, deadline, mode));
	}

	private CompletionStage<Void> refundEach(List<PolicyCall> calls, Deadline deadline, Mode mode) {
		boolean tooLate = !this.budget.isEnough(deadline.remainingNanos());
		calls.stream().filter((call) -> tooLate || !call.asksStore()).forEach(PolicyCall::undo);

		List<PolicyCall> taken = calls.stream().filter(PolicyCall::isTaken).toList();
		RoundTrip.permitCalls(taken);
		List<PolicyCall> asking = taken.stream().filter(PolicyCall::asksStore).toList();
		long askedAt = this.clock.nanos();
		return RoundTrip
			.sendEach(asking, (call) -> call.refund(deadline), mode, askedAt, (call, nothing) -> call.refunded())
			.thenRun(() -> calls.forEach(PolicyCall::forgetRejection));
	}

	@Override
	public RateLimitSession call() {
		return new RemoteSession(this.store, this.clock, this.budget.call());
	}

	/*
	 * Returns the result of what the caller's thread has done, and is done with by now.
	 */
	private static <T> T joined(CompletionStage<T> done) {
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

}
