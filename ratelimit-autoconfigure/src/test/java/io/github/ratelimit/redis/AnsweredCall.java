package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * A call that is over from the beginning.
 */
final class AnsweredCall<T> extends PendingCall<T> {

	private AnsweredCall(ScriptCall<T> call) {
		super(call, Deadline.after(Duration.ZERO));
	}

	static <T> AnsweredCall<T> of(ScriptCall<T> call, byte[] answer) {
		AnsweredCall<T> answered = new AnsweredCall<>(call);
		answered.complete(answer);
		return answered;
	}

	@Override
	void givenUp(StoreCallException failure) {
		throw new UnsupportedOperationException();
	}

}
