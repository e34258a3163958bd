package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for the decisions of several policies: in one call where it can decide
 * on all of them together. Otherwise all are asked at once, first for a look, and if none
 * lacks permits, for the permits.
 */
final class JointCalls {

	/* The failure of a call that has hardly any time says nothing about its server. */
	private static final int LEAST_PART = 10;

	private final RemoteStore store;

	private final RateLimitClock clock;

	private final long leastNanos;

	/**
	 * Creates the calls.
	 * @param store the store to ask
	 * @param clock this process' time
	 * @param timeout how long a request waits at most
	 */
	JointCalls(RemoteStore store, RateLimitClock clock, Duration timeout) {
		this.store = store;
		this.clock = clock;
		this.leastNanos = timeout.toNanos() / LEAST_PART;
	}

	/**
	 * Takes from all policies, or from none. Where they are not decided on together, some
	 * may have given although others reject.
	 */
	void decide(List<PolicyCall> parts, Deadline deadline) {
		if (parts.size() > 1 && this.store.decidesTogether(parts.stream().map(PolicyCall::remote).toList())) {
			askTogether(parts, deadline);
		}
		else if (parts.stream().filter((part) -> part.permits() > 0).count() > 1) {
			lookAndTake(parts, deadline);
		}
		else {
			askEach(parts, false, deadline);
		}
	}

	private void askTogether(List<PolicyCall> parts, Deadline deadline) {
		if (isOver(parts, deadline)) {
			return;
		}
		Outcomes outcomes = new Outcomes();
		long askedAt = this.clock.nanos();
		try {
			note(parts, this.store.decideTogether(questions(parts, false), deadline), askedAt);
			parts.forEach((part) -> outcomes.note(part.breaker(), null, part.isTaken()));
		}
		catch (StoreCallException ex) {
			parts.forEach(PolicyCall::fail);
			parts.forEach((part) -> outcomes.note(part.breaker(), ex, false));
		}
		outcomes.report(askedAt);
	}

	private static List<Question> questions(List<PolicyCall> parts, boolean look) {
		return parts.stream().map((part) -> part.question(look)).toList();
	}

	private static void note(List<PolicyCall> parts, List<RateLimitDecision> decisions, long askedAt) {
		boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
		for (int i = 0; i < decisions.size(); i++) {
			parts.get(i).decide(decisions.get(i), agreed, askedAt);
		}
	}

	private void lookAndTake(List<PolicyCall> parts, Deadline deadline) {
		askEach(parts, true, deadline);
		List<PolicyCall> rest = new ArrayList<>(parts);
		rest.removeIf((part) -> !part.isShared() || part.permits() == 0);
		PolicyCall lacking = firstWithout(rest);
		if (lacking != null) {
			askEach(List.of(lacking), false, deadline);
			if (lacking.isRejected()) {
				return;
			}
			rest.remove(lacking);
		}
		askEach(rest, false, deadline);
	}

	private static @Nullable PolicyCall firstWithout(List<PolicyCall> parts) {
		return parts.stream().filter(PolicyCall::lacksPermits).findFirst().orElse(null);
	}

	private void askEach(List<PolicyCall> parts, boolean look, Deadline deadline) {
		if (parts.isEmpty() || isOver(parts, deadline)) {
			return;
		}
		Outcomes outcomes = new Outcomes();
		long askedAt = this.clock.nanos();
		List<RemoteStore.Answer> answers = this.store.decideEach(questions(parts, look), deadline);
		for (int i = 0; i < answers.size(); i++) {
			PolicyCall part = parts.get(i);
			note(part, answers.get(i).decision(), look, askedAt);
			outcomes.note(part.breaker(), answers.get(i).failure(), part.isTaken());
		}
		outcomes.report(askedAt);
	}

	private static void note(PolicyCall part, @Nullable RateLimitDecision said, boolean look, long askedAt) {
		if (said == null) {
			part.fail();
		}
		else if (look) {
			part.stand(said, askedAt);
		}
		else {
			part.decide(said, said.allowed(), askedAt);
		}
	}

	private boolean isOver(List<PolicyCall> parts, Deadline deadline) {
		boolean over = isOver(deadline);
		if (over) {
			parts.forEach(PolicyCall::fail);
		}
		return over;
	}

	/**
	 * Whether too little time is left to ask.
	 */
	boolean isOver(Deadline deadline) {
		return deadline.remainingNanos() < this.leastNanos;
	}

	/**
	 * Refunds what was taken although another policy has rejected, without waiting for
	 * it.
	 */
	void undo(List<PolicyCall> parts) {
		for (int i = parts.size() - 1; i >= 0; i--) {
			parts.get(i).undo(this.store);
		}
	}

	/**
	 * Refunds what earlier decisions gave. Permits that cannot be refunded because the
	 * store is unavailable stay taken.
	 * @param parts what to refund, each of another key
	 * @return whether all servers that were asked have answered
	 */
	boolean refund(List<PolicyCall> parts, Deadline deadline) {
		if (isOver(deadline)) {
			undo(parts);
			return true;
		}
		Map<Breaker, Boolean> reachable = new HashMap<>();
		List<PolicyCall> shared = parts.stream()
			.filter((part) -> part.isShared() && reachable.computeIfAbsent(part.breaker(), Breaker::mayCall))
			.toList();
		parts.stream().filter((part) -> !part.isShared()).forEach((part) -> part.undo(this.store));
		boolean answered = shared.isEmpty() || refundShared(shared, deadline);
		parts.forEach(PolicyCall::forgetRejection);
		return answered;
	}

	private boolean refundShared(List<PolicyCall> parts, Deadline deadline) {
		Outcomes outcomes = new Outcomes();
		boolean answered = true;
		long askedAt = this.clock.nanos();
		List<@Nullable StoreCallException> failures = this.store
			.refundEach(parts.stream().map(PolicyCall::given).toList(), deadline);
		for (int i = 0; i < parts.size(); i++) {
			outcomes.note(parts.get(i).breaker(), failures.get(i), false);
			answered &= failures.get(i) == null;
		}
		outcomes.report(askedAt);
		return answered;
	}

	/**
	 * The outcomes of the calls of one round trip. Those of one server count as one.
	 */
	static final class Outcomes {

		private final Map<Breaker, Outcome> servers = new LinkedHashMap<>(2);

		/**
		 * Notes how a call went.
		 * @param server the breaker of the server that was asked
		 * @param failure why there was no answer, or {@code null}
		 * @param wrote whether the server is known to have written
		 */
		void note(Breaker server, @Nullable StoreCallException failure, boolean wrote) {
			Outcome outcome = this.servers.computeIfAbsent(server, (each) -> new Outcome());
			outcome.answered |= failure == null;
			outcome.wrote |= wrote;
			outcome.failure = (outcome.failure != null) ? outcome.failure : failure;
		}

		/**
		 * Reports to each server's breaker.
		 * @param askedAt when the servers were asked
		 */
		void report(long askedAt) {
			this.servers.forEach((server, outcome) -> {
				if (outcome.answered) {
					server.succeeded(outcome.wrote);
				}
				if (outcome.failure != null) {
					server.failed(outcome.failure, askedAt);
				}
			});
		}

		private static final class Outcome {

			private boolean answered;

			private boolean wrote;

			private @Nullable StoreCallException failure;

		}

	}

}
