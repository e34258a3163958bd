package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * A call that is over from the beginning, or that no server answers.
 */
final class AnsweredCall<T> extends PendingCall<T> {

	private AnsweredCall(ScriptCall<T> call, Deadline deadline) {
		super(call, deadline);
	}

	static <T> AnsweredCall<T> of(ScriptCall<T> call, byte[] answer) {
		AnsweredCall<T> answered = new AnsweredCall<>(call, Deadline.after(Duration.ZERO));
		answered.complete(answer);
		return answered;
	}

	static <T> AnsweredCall<T> failed(ScriptCall<T> call, Throwable failure) {
		AnsweredCall<T> answered = new AnsweredCall<>(call, Deadline.after(Duration.ZERO));
		answered.completeExceptionally(failure);
		return answered;
	}

	static <T> AnsweredCall<T> never(ScriptCall<T> call, Deadline deadline) {
		return new AnsweredCall<>(call, deadline);
	}

	@Override
	void submit() {
	}

	@Override
	void givenUp(StoreCallException failure) {
	}

}
