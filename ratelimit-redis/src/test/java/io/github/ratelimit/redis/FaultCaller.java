package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.github.ratelimit.RateLimitDecision;

/**
 * One of many who decide again and again, with pauses, and note the answers.
 */
final class FaultCaller extends Thread {

	private static final int MIN_PAUSE = 25_000_000;

	private static final int MAX_PAUSE = 75_000_000;

	private final List<FaultQuestion> questions;

	private final int first;

	private final LongSupplier now;

	private final List<FaultAnswer> answers = new ArrayList<>();

	private volatile int answered;

	private volatile int wellInARow;

	private volatile boolean stopped;

	FaultCaller(List<FaultQuestion> questions, int first, LongSupplier now) {
		super("caller-" + first);
		this.questions = questions;
		this.first = first;
		this.now = now;
		setDaemon(true);
	}

	@Override
	public void run() {
		Random pauses = new Random(this.first);
		LockSupport.parkNanos(pauses.nextInt(MAX_PAUSE));
		for (int next = this.first; !this.stopped; next++) {
			FaultAnswer answer = ask(this.questions.get(next % this.questions.size()));
			this.answers.add(answer);
			this.wellInARow = (answer.fallback() || answer.failure() != null) ? 0 : this.wellInARow + 1;
			this.answered = this.answers.size();
			LockSupport.parkNanos(pauses.nextInt(MIN_PAUSE, MAX_PAUSE));
		}
	}

	private FaultAnswer ask(FaultQuestion question) {
		RunDelay delay = RunDelay.begin();
		long begin = this.now.getAsLong();
		try {
			RateLimitDecision decision = question.decider().decide(question.key(), 1);
			return new FaultAnswer(question, begin, this.now.getAsLong(), delay.nanos(), decision.allowed(),
					decision.fallback(), null);
		}
		catch (Throwable ex) {
			return new FaultAnswer(question, begin, this.now.getAsLong(), delay.nanos(), false, false, ex);
		}
	}

	/**
	 * How many answers there have been.
	 */
	int answered() {
		return this.answered;
	}

	/**
	 * How many of the last answers were the servers', one after the other.
	 */
	int wellInARow() {
		return this.wellInARow;
	}

	void end() {
		this.stopped = true;
		LockSupport.unpark(this);
	}

	/**
	 * All answers, in their order, after the end.
	 */
	List<FaultAnswer> answers() {
		return this.answers;
	}

}
