package io.github.ratelimit.remote;

/**
 * An answer that a test holds back.
 */
final class HeldAnswer<T> extends PendingAnswer<T, T> {

	HeldAnswer(Deadline deadline) {
		super(deadline);
	}

	@Override
	protected T read(T answer) {
		return answer;
	}

	@Override
	protected StoreCallException failure(Throwable cause) {
		if (cause instanceof Error error) {
			throw error;
		}
		return (StoreCallException) cause;
	}

	@Override
	protected StoreCallException giveUp() {
		return StoreCallException.noAnswer(this.deadline.timeout());
	}

}
