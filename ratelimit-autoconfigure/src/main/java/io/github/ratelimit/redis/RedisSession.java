package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * What one request asks of Redis. It waits no longer than the time-out for all of it.
 */
final class RedisSession implements RateLimitSession {

	private final JointCalls calls;

	private final RateLimitClock clock;

	private final WaitingTime time;

	RedisSession(JointCalls calls, RateLimitClock clock, WaitingTime time) {
		this.calls = calls;
		this.clock = clock;
		this.time = time;
	}

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		List<Part> parts = questions.stream().map(Part::new).toList();
		Deadline deadline = Deadline.after(this.time.left());
		List<@Nullable RateLimitDecision> decisions = new JointDecision(parts, this.calls).decide(this.clock.nanos(),
				deadline);
		this.time.use(deadline.passedNanos(), parts.stream().anyMatch(Part::isFailed));
		return decisions;
	}

	/*
	 * What one key has given more than once goes back in turn: a place in a queue can be
	 * given back only by the last in it.
	 */
	@Override
	public void giveBack(List<Given> given) {
		List<Part> rest = new ArrayList<>();
		for (int i = given.size() - 1; i >= 0; i--) {
			rest.add(Part.given(given.get(i)));
		}
		Deadline deadline = Deadline.after(this.time.left());
		boolean inVain = false;
		while (!rest.isEmpty()) {
			List<Part> each = new ArrayList<>();
			for (Part part : rest) {
				if (each.stream().noneMatch(part::isSameState)) {
					each.add(part);
				}
			}
			inVain |= !this.calls.giveBack(each, deadline);
			rest.removeAll(each);
		}
		this.time.use(deadline.passedNanos(), inVain);
	}

	@Override
	public RateLimitSession call() {
		return new RedisSession(this.calls, this.clock, this.time.call());
	}

}
