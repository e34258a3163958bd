package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
		List<PolicyCall> parts = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		if (!isKnownToBeRejected(parts)) {
			boolean triesAgain = !isOver(deadline) && share(parts);
			if (triesAgain || !isRejectedLocally(parts)) {
				decideRemotely(parts, deadline);
			}
		}
		if (isRejected(parts)) {
			undo(parts);
		}
		noteWait(deadline, parts);
		List<@Nullable RateLimitDecision> decisions = new ArrayList<>(parts.size());
		parts.forEach((part) -> decisions.add(part.decision()));
		return decisions;
	}

	private void noteWait(Deadline deadline, List<PolicyCall> parts) {
		this.time.use(deadline.passedNanos(), parts.stream().anyMatch((part) -> part.failure() != null));
	}

	private static boolean isRejected(List<PolicyCall> parts) {
		return parts.stream().anyMatch(PolicyCall::isRejected);
	}

	private boolean isKnownToBeRejected(List<PolicyCall> parts) {
		long now = this.clock.nanos();
		for (PolicyCall part : parts) {
			part.recall(now);
			if (part.isRejected()) {
				return true;
			}
		}
		return false;
	}

	/*
	 * Whether the request tries a server again, which it then must ask.
	 */
	private static boolean share(List<PolicyCall> parts) {
		Map<Breaker, Boolean> reachable = new HashMap<>();
		boolean triesAgain = false;
		for (PolicyCall part : parts) {
			if (part.decision() == null) {
				boolean available = part.breaker().isAvailable();
				part.share(reachable.computeIfAbsent(part.breaker(), Breaker::mayCall));
				triesAgain |= part.isShared() && !available;
			}
		}
		return triesAgain;
	}

	private void decideRemotely(List<PolicyCall> parts, Deadline deadline) {
		List<PolicyCall> shared = parts.stream().filter(PolicyCall::isShared).toList();
		if (shared.size() > 1 && this.store.decidesTogether(shared.stream().map(PolicyCall::remote).toList())) {
			askTogether(shared, deadline);
		}
		else if (shared.stream().filter((part) -> part.permits() > 0).count() > 1) {
			lookAndTake(shared, deadline);
		}
		else {
			askEach(shared, false, deadline);
		}
		if (!isRejected(parts) && !isRejectedLocally(parts)) {
			decideLocally(parts);
		}
	}

	/*
	 * Looking first keeps a request that one policy rejects from writing to the others.
	 */
	private static boolean isRejectedLocally(List<PolicyCall> parts) {
		for (PolicyCall part : parts) {
			if (parts.size() > 1 && part.isLocal() && part.lacksPermitsLocally()) {
				part.decideLocally();
				if (part.isRejected()) {
					return true;
				}
			}
		}
		return false;
	}

	private static void decideLocally(List<PolicyCall> parts) {
		for (PolicyCall part : parts) {
			if (part.isLocal()) {
				part.decideLocally();
				if (part.isRejected() && part.permits() > 0) {
					return;
				}
			}
		}
	}

	private void askTogether(List<PolicyCall> parts, Deadline deadline) {
		List<Question> questions = parts.stream().map((part) -> part.question(false)).toList();
		long askedAt = this.clock.nanos();
		try {
			List<RateLimitDecision> decisions = this.store.decideTogether(questions, deadline);
			boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
			for (int i = 0; i < decisions.size(); i++) {
				parts.get(i).decided(questions.get(i), decisions.get(i), agreed, askedAt);
			}
		}
		catch (StoreCallException ex) {
			parts.forEach((part) -> part.fail(ex));
		}
		report(parts, true, askedAt);
	}

	/*
	 * Some may give although others reject.
	 */
	private void lookAndTake(List<PolicyCall> parts, Deadline deadline) {
		askEach(parts, true, deadline);
		List<PolicyCall> rest = new ArrayList<>(parts);
		rest.removeIf((part) -> !part.isShared() || part.permits() == 0);
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

	private void askEach(List<PolicyCall> parts, boolean look, Deadline deadline) {
		if (parts.isEmpty()) {
			return;
		}
		if (isOver(deadline)) {
			parts.forEach((part) -> part.fail(StoreCallException.noAnswer(deadline.timeout())));
			return;
		}
		List<Question> questions = parts.stream().map((part) -> part.question(look)).toList();
		long askedAt = this.clock.nanos();
		List<Supplier<RateLimitDecision>> answers = this.store.decideEach(questions, deadline);
		for (int i = 0; i < answers.size(); i++) {
			try {
				RateLimitDecision said = answers.get(i).get();
				parts.get(i).decided(questions.get(i), said, said.allowed(), askedAt);
			}
			catch (StoreCallException ex) {
				parts.get(i).fail(ex);
			}
		}
		report(parts, true, askedAt);
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
	private static void report(List<PolicyCall> parts, boolean takes, long askedAt) {
		parts.stream().collect(Collectors.groupingBy(PolicyCall::breaker)).forEach((server, asked) -> {
			if (asked.stream().anyMatch((part) -> part.failure() == null)) {
				server.succeeded(takes && asked.stream().anyMatch(PolicyCall::isTaken));
			}
			asked.stream()
				.map(PolicyCall::failure)
				.filter(Objects::nonNull)
				.findFirst()
				.ifPresent((failure) -> server.failed(failure, askedAt));
		});
	}

	/*
	 * Refunds what was taken although another policy has rejected, without waiting for
	 * it.
	 */
	private void undo(List<PolicyCall> parts) {
		for (int i = parts.size() - 1; i >= 0; i--) {
			parts.get(i).undo(this.store);
		}
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
		List<PolicyCall> rest = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			rest.add(new PolicyCall(given.get(i)));
		}
		List<PolicyCall> all = List.copyOf(rest);
		Deadline deadline = Deadline.after(this.time.left());
		while (!rest.isEmpty()) {
			List<PolicyCall> each = new ArrayList<>();
			for (PolicyCall part : rest) {
				if (each.stream().noneMatch(part::isSameState)) {
					each.add(part);
				}
			}
			refundEach(each, deadline);
			rest.removeAll(each);
		}
		noteWait(deadline, all);
	}

	private void refundEach(List<PolicyCall> parts, Deadline deadline) {
		if (isOver(deadline)) {
			parts.forEach((part) -> part.undo(this.store));
			return;
		}
		Map<Breaker, Boolean> reachable = new HashMap<>();
		List<PolicyCall> shared = parts.stream()
			.filter((part) -> part.isShared() && reachable.computeIfAbsent(part.breaker(), Breaker::mayCall))
			.toList();
		parts.stream().filter((part) -> !part.isShared()).forEach((part) -> part.undo(this.store));
		if (!shared.isEmpty()) {
			long askedAt = this.clock.nanos();
			List<Supplier<?>> answers = this.store.refundEach(shared.stream().map(PolicyCall::given).toList(),
					deadline);
			for (int i = 0; i < answers.size(); i++) {
				try {
					answers.get(i).get();
				}
				catch (StoreCallException ex) {
					shared.get(i).fail(ex);
				}
			}
			report(shared, false, askedAt);
		}
		parts.forEach(PolicyCall::forgetRejection);
	}

	@Override
	public RateLimitSession call() {
		return new RemoteSession(this.store, this.clock, this.time.call());
	}

}
