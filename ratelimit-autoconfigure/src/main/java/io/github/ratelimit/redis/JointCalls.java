package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis for what several policies decide: in one call where one server has all their
 * keys; otherwise all servers at once, first how the policies stand, and if all have
 * enough, for the permits.
 */
final class JointCalls {

	/* A call that is given hardly any time says nothing of its server. */
	private static final int LEAST_PART = 10;

	private final ScriptRunner runner;

	private final RateLimitClock clock;

	private final long leastNanos;

	/**
	 * Creates the calls.
	 * @param runner runs the scripts
	 * @param clock this process' time
	 * @param timeout how long a request waits at most
	 */
	JointCalls(ScriptRunner runner, RateLimitClock clock, Duration timeout) {
		this.runner = runner;
		this.clock = clock;
		this.leastNanos = timeout.toNanos() / LEAST_PART;
	}

	/**
	 * Takes from all policies, or from none; but what is asked of several servers some
	 * may give although others reject it.
	 */
	void decide(List<Part> parts, Deadline deadline) {
		if (parts.size() > 1 && canBeOne(parts)) {
			askTogether(parts, deadline);
		}
		else if (parts.stream().filter((part) -> part.permits() > 0).count() > 1) {
			lookAndTake(parts, deadline);
		}
		else {
			askEach(parts, false, deadline);
		}
	}

	private boolean canBeOne(List<Part> parts) {
		return !this.runner.isCluster() && RedisStates.fitTogether(parts.stream().map(Part::scripts).toList());
	}

	private void askTogether(List<Part> parts, Deadline deadline) {
		if (isOver(parts, deadline)) {
			return;
		}
		List<RedisStates> scripts = parts.stream().map(Part::scripts).toList();
		List<String> keys = parts.stream().map(Part::key).toList();
		long[] permits = parts.stream().mapToLong(Part::permits).toArray();
		boolean[] atOnce = new boolean[permits.length];
		for (int i = 0; i < atOnce.length; i++) {
			atOnce[i] = parts.get(i).atOnce();
		}
		Outcomes outcomes = new Outcomes();
		long askedAt = this.clock.nanos();
		try {
			byte[] answer = this.runner.run(RedisStates.decidingTogether(scripts, keys, permits, atOnce), deadline);
			note(parts, RedisStates.readTogether(scripts, answer, permits, atOnce), askedAt);
			parts.forEach((part) -> outcomes.note(part.breaker(), null, part.isTaken()));
		}
		catch (RuntimeException ex) {
			RedisCallException failure = RedisCallException.of(ex);
			parts.forEach(Part::fail);
			parts.forEach((part) -> outcomes.note(part.breaker(), failure, false));
		}
		outcomes.tell(askedAt);
	}

	private static void note(List<Part> parts, List<RateLimitDecision> decisions, long askedAt) {
		boolean agreed = decisions.stream().allMatch(RateLimitDecision::allowed);
		for (int i = 0; i < decisions.size(); i++) {
			parts.get(i).decide(decisions.get(i), agreed, askedAt);
		}
	}

	private void lookAndTake(List<Part> parts, Deadline deadline) {
		askEach(parts, true, deadline);
		List<Part> rest = new ArrayList<>(parts);
		rest.removeIf((part) -> !part.isShared() || part.permits() == 0);
		Part lacking = firstWithout(rest);
		if (lacking != null) {
			askEach(List.of(lacking), false, deadline);
			if (lacking.isRejected()) {
				return;
			}
			rest.remove(lacking);
		}
		askEach(rest, false, deadline);
	}

	private static @Nullable Part firstWithout(List<Part> parts) {
		return parts.stream().filter(Part::lacksPermits).findFirst().orElse(null);
	}

	private void askEach(List<Part> parts, boolean look, Deadline deadline) {
		if (parts.isEmpty() || isOver(parts, deadline)) {
			return;
		}
		Outcomes outcomes = new Outcomes();
		long askedAt = this.clock.nanos();
		List<ScriptAnswer> answers = run(parts.stream().map((part) -> part.call(look)).toList(), deadline);
		for (int i = 0; i < answers.size(); i++) {
			Part part = parts.get(i);
			RedisCallException failure = note(part, answers.get(i), look, askedAt);
			if (failure != null) {
				part.fail();
			}
			outcomes.note(part.breaker(), failure, part.isTaken());
		}
		outcomes.tell(askedAt);
	}

	private static @Nullable RedisCallException note(Part part, ScriptAnswer answer, boolean look, long askedAt) {
		byte[] bytes = answer.bytes();
		if (bytes == null) {
			return RedisCallException.of(answer.failure());
		}
		try {
			RateLimitDecision said = part.read(bytes, look);
			if (look) {
				part.stand(said, askedAt);
			}
			else {
				part.decide(said, said.allowed(), askedAt);
			}
			return null;
		}
		catch (RuntimeException ex) {
			return RedisCallException.of(ex);
		}
	}

	private List<ScriptAnswer> run(List<ScriptCall> calls, Deadline deadline) {
		if (calls.size() > 1) {
			return this.runner.runAll(calls, deadline);
		}
		try {
			return List.of(ScriptAnswer.of(this.runner.run(calls.get(0), deadline)));
		}
		catch (RuntimeException ex) {
			return List.of(ScriptAnswer.of(RedisCallException.of(ex)));
		}
	}

	private boolean isOver(List<Part> parts, Deadline deadline) {
		boolean over = isOver(deadline);
		if (over) {
			parts.forEach(Part::fail);
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
	 * Gives back what was taken although another has rejected, without waiting for it.
	 */
	void undo(List<Part> parts) {
		for (int i = parts.size() - 1; i >= 0; i--) {
			parts.get(i).undo(this.runner);
		}
	}

	/**
	 * Gives back what earlier decisions gave. What cannot be given back because Redis has
	 * gone meanwhile stays taken.
	 * @param parts what to give back, each of another key
	 * @return whether all whom it was given back to have answered
	 */
	boolean giveBack(List<Part> parts, Deadline deadline) {
		if (isOver(deadline)) {
			undo(parts);
			return true;
		}
		Map<Breaker, Boolean> reachable = new HashMap<>();
		List<Part> shared = parts.stream()
			.filter((part) -> part.isShared() && reachable.computeIfAbsent(part.breaker(), Breaker::mayCall))
			.toList();
		parts.stream().filter((part) -> !part.isShared()).forEach((part) -> part.undo(this.runner));
		Outcomes outcomes = new Outcomes();
		long askedAt = this.clock.nanos();
		List<ScriptAnswer> answers = shared.isEmpty() ? List.of()
				: run(shared.stream().map(Part::givingBack).toList(), deadline);
		for (int i = 0; i < answers.size(); i++) {
			outcomes.note(shared.get(i).breaker(), answers.get(i).failure(), false);
		}
		outcomes.tell(askedAt);
		parts.forEach(Part::forgetRejection);
		return answers.stream().allMatch((answer) -> answer.failure() == null);
	}

}
