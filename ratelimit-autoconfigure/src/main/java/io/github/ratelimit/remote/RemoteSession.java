package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

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
	private static final int LEAST_PART = 10;

	private final RemoteStore store;

	private final RateLimitClock clock;

	private final WaitingTime time;

	/**
	 * Creates a session.
	 * @param store the store to ask
	 * @param clock this process' time
	 * @param time how long the request may wait
	 */
	RemoteSession(RemoteStore store, RateLimitClock clock, WaitingTime time) {
		this.store = store;
		this.clock = clock;
		this.time = time;
	}

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		List<PolicyCall> calls = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		if (!isKnownToBeRejected(calls)) {
			boolean triesAgain = !isOver(deadline)
					&& share(calls.stream().filter((call) -> call.decision == null).toList());
			if (triesAgain || !isRejectedLocally(calls)) {
				decideRemotely(calls, deadline);
			}
		}
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
			call.shared = reachable.computeIfAbsent(call.breaker, Breaker::mayCall);
			triesAgain |= call.shared && !available;
		}
		return triesAgain;
	}

	private void decideRemotely(List<PolicyCall> calls, Deadline deadline) {
		List<PolicyCall> shared = calls.stream().filter((call) -> call.shared).toList();
		RemoteStore.Call<List<RateLimitDecision>> together = (shared.size() > 1)
				? this.store.together(shared.stream().map((call) -> call.asking(call.permits)).toList()) : null;
		if (together != null) {
			askTogether(shared, together, deadline);
		}
		else if (shared.stream().filter((call) -> call.permits > 0).count() > 1) {
			lookAndTake(shared, deadline);
		}
		else {
			askEach(shared, false, deadline);
		}
		if (!isRejected(calls) && !isRejectedLocally(calls)) {
			decideLocally(calls);
		}
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

	private void askTogether(List<PolicyCall> calls, RemoteStore.Call<List<RateLimitDecision>> together,
			Deadline deadline) {
		long askedAt = this.clock.nanos();
		try {
			List<RateLimitDecision> decisions = together.start(deadline).get();
			boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
			for (int i = 0; i < decisions.size(); i++) {
				calls.get(i).decided(calls.get(i).permits, decisions.get(i), agreed, askedAt);
			}
		}
		catch (StoreCallException ex) {
			calls.forEach((call) -> call.fail(ex));
		}
		report(calls, askedAt);
	}

	/*
	 * Some may give although others reject.
	 */
	private void lookAndTake(List<PolicyCall> calls, Deadline deadline) {
		askEach(calls, true, deadline);
		List<PolicyCall> rest = new ArrayList<>(calls);
		rest.removeIf((call) -> !call.shared || call.permits == 0);
		PolicyCall lacking = rest.stream().filter(PolicyCall::lacksPermits).findFirst().orElse(null);
		if (lacking != null) {
			askEach(List.of(lacking), false, deadline);
			if (lacking.isRejected()) {
				return;
			}
			rest.remove(lacking);
		}
		askEach(rest, false, deadline);
	}

	private void askEach(List<PolicyCall> calls, boolean look, Deadline deadline) {
		if (isOver(deadline)) {
			calls.forEach((call) -> call.fail(StoreCallException.noAnswer(deadline.timeout())));
			return;
		}
		long askedAt = this.clock.nanos();
		askEach(calls, (call) -> call.asking(look ? 0 : call.permits), deadline,
				(call, said) -> call.decided(look ? 0 : call.permits, said, said.allowed(), askedAt));
	}

	private <T> void askEach(List<PolicyCall> calls, Function<PolicyCall, RemoteStore.Call<T>> asked, Deadline deadline,
			BiConsumer<PolicyCall, T> answered) {
		long askedAt = this.clock.nanos();
		List<Supplier<T>> answers = calls.stream().map((call) -> asked.apply(call).start(deadline)).toList();
		for (int i = 0; i < answers.size(); i++) {
			try {
				answered.accept(calls.get(i), answers.get(i).get());
			}
			catch (StoreCallException ex) {
				calls.get(i).fail(ex);
			}
		}
		report(calls, askedAt);
	}

	/*
	 * Whether too little time is left to ask.
	 */
	private boolean isOver(Deadline deadline) {
		return deadline.remainingNanos() < this.time.timeout().toNanos() / LEAST_PART;
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
		List<PolicyCall> all = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			all.add(new PolicyCall(given.get(i)));
		}
		Deadline deadline = Deadline.after(this.time.left());
		List<PolicyCall> rest = new ArrayList<>(all);
		while (!rest.isEmpty()) {
			List<PolicyCall> each = new ArrayList<>();
			for (PolicyCall call : rest) {
				if (each.stream().noneMatch(call::isOfSameKey)) {
					each.add(call);
				}
			}
			refundEach(each, deadline);
			rest.removeAll(each);
		}
		noteWait(deadline, all);
	}

	private void refundEach(List<PolicyCall> calls, Deadline deadline) {
		boolean over = isOver(deadline);
		calls.stream().filter((call) -> over || !call.shared).forEach(PolicyCall::undo);
		List<PolicyCall> rest = calls.stream().filter((call) -> call.taken).toList();
		share(rest);
		askEach(rest.stream().filter((call) -> call.shared).toList(), PolicyCall::refunding, deadline,
				(call, nothing) -> call.taken = false);
		calls.forEach((call) -> call.states.forgetRejection(call.key));
	}

	@Override
	public RateLimitSession call() {
		return new RemoteSession(this.store, this.clock, this.time.call());
	}

	/**
	 * One policy's part in a decision of several, as far as it is known.
	 */
	private static final class PolicyCall {

		private final ResilientStore.ResilientStates states;

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
			this.states = (ResilientStore.ResilientStates) question.states();
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

		private RemoteStore.Call<RateLimitDecision> asking(long permits) {
			return this.states.remote.decide(this.key, permits, this.withoutDelay);
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
				refunding().post();
				this.states.forgetRejection(this.key);
			}
			else {
				this.states.fallback.refund(this.key, this.permits, this.decision);
			}
			this.taken = false;
			this.decision = null;
		}

	}

}
