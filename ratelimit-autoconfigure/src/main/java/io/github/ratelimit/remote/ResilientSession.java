package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The questions of one request. All of them together wait no longer than the time-out.
 */
final class ResilientSession implements RateLimitSession {

	private final JointCalls calls;

	private final RateLimitClock clock;

	private final WaitingTime time;

	ResilientSession(JointCalls calls, RateLimitClock clock, WaitingTime time) {
		this.calls = calls;
		this.clock = clock;
		this.time = time;
	}

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		List<PolicyCall> parts = questions.stream().map(PolicyCall::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		List<@Nullable RateLimitDecision> decisions = new MultiPolicyDecision(parts, this.calls)
			.decide(this.clock.nanos(), deadline);
		this.time.use(deadline.passedNanos(), parts.stream().anyMatch(PolicyCall::isFailed));
		return decisions;
	}

	/*
	 * Several permits of one key go back in turn, because a place in a queue goes back
	 * only from its end.
	 */
	@Override
	public void refund(List<Given> given) {
		List<PolicyCall> rest = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			rest.add(PolicyCall.given(given.get(i)));
		}
		Deadline deadline = Deadline.after(this.time.left());
		boolean inVain = false;
		while (!rest.isEmpty()) {
			List<PolicyCall> each = new ArrayList<>();
			for (PolicyCall part : rest) {
				if (each.stream().noneMatch(part::isSameState)) {
					each.add(part);
				}
			}
			inVain |= !this.calls.refund(each, deadline);
			rest.removeAll(each);
		}
		this.time.use(deadline.passedNanos(), inVain);
	}

	@Override
	public RateLimitSession call() {
		return new ResilientSession(this.calls, this.clock, this.time.call());
	}

}
