package io.github.ratelimit.redis;

import java.time.Duration;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * A call that is over from the beginning.
 */
final class AnsweredCall extends PendingCall {

	private AnsweredCall() {
		super(Deadline.after(Duration.ZERO));
	}

	static AnsweredCall of(byte[] answer) {
		AnsweredCall call = new AnsweredCall();
		call.complete(answer);
		return call;
	}

	static AnsweredCall failed(Throwable failure) {
		AnsweredCall call = new AnsweredCall();
		call.completeExceptionally(failure);
		return call;
	}

	@Override
	void givenUp(StoreCallException failure) {
		throw new UnsupportedOperationException();
	}

}
