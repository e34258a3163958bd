package io.github.ratelimit.redis;

import java.util.Objects;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.PendingAnswer;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

/**
 * A call that is on its way to a server until it is answered, or until its deadline. A
 * script whose numbers were for another time than the server's has answered with that
 * alone, and is run again. A process does so once if its own clock is far from the
 * server's, or if it has not asked for long.
 *
 * @param <T> what the answer says
 */
abstract class PendingCall<T> extends PendingAnswer<byte[], T> {

	/* Two would do, unless servers with different times answer, or slots go around. */
	private static final int MAX_TRIES = 5;

	/**
	 * How long a call lets the servers of a cluster move its keys before it asks again.
	 */
	static final long MOVE_PAUSE_MILLIS = 2;

	final ScriptCall<T> call;

	private volatile @Nullable String text;

	private volatile @Nullable StoreCallException moving;

	private int tries = 1;

	private boolean renewed;

	PendingCall(ScriptCall<T> call, Deadline deadline) {
		super(deadline);
		this.call = call;
	}

	/**
	 * Sends the call, and does not wait. Never fails: the call does, also with what a
	 * client library does not declare.
	 */
	final PendingCall<T> send() {
		try {
			submit();
		}
		catch (Throwable ex) {
			completeExceptionally(ex);
		}
		return this;
	}

	/**
	 * Returns the text to send instead of the script's name, if the server is to have it.
	 */
	final @Nullable String text() {
		return this.text;
	}

	/**
	 * Begins to send the call.
	 */
	abstract void submit();

	@Override
	protected final T read(byte[] answer) {
		return this.call.read(answer);
	}

	@Override
	protected final StoreCallException failure(Throwable cause) {
		return RedisFailures.of(cause);
	}

	@Override
	protected final StoreCallException giveUp() {
		StoreCallException failure = Objects.requireNonNullElseGet(this.moving,
				() -> StoreCallException.noAnswer(this.deadline.timeout()));
		givenUp(failure);
		return failure;
	}

	/**
	 * Called when the call was given up.
	 */
	abstract void givenUp(StoreCallException failure);

	/**
	 * Takes what a server has answered. It may be no more than the server's time, for
	 * which the arguments did not serve.
	 * @return whether to send what the call is now
	 */
	final boolean takeAnswer(byte[] answer) {
		boolean again = answer.length == Double.BYTES
				&& this.call.takeMoment(LimitScript.readNumber(LimitScript.buffer(answer)));
		if (!again) {
			complete(answer);
			return false;
		}

		if (!tryAgain()) {
			throw new StoreCallException("the server's time keeps changing", null, StoreCallException.Blame.SERVER);
		}
		this.text = null;
		return true;
	}

	/**
	 * Takes one more try, for which the last answer asks, if there is one left.
	 * @return whether there was
	 */
	final boolean tryAgain() {
		this.tries++;
		return this.tries <= MAX_TRIES;
	}

	/**
	 * Takes the only try over another connection, because this one leads to a replica.
	 * @return whether it was left
	 */
	final boolean tryAnotherConnection() {
		boolean first = !this.renewed;
		this.renewed = true;
		return first;
	}

	/**
	 * Takes an error of a server. Of a script that it does not know the text is sent, and
	 * where a key holds what is not ours, the script that repairs it.
	 * @return whether the same server is to be sent what the call is now
	 */
	final boolean mend(StoreCallException failure) {
		String sent = this.text;
		if (failure.blame() == StoreCallException.Blame.KEY) {
			this.text = this.call.script.repairing();
		}
		else if (sent == null && String.valueOf(failure.getMessage()).startsWith("NOSCRIPT")) {
			this.text = this.call.script.text();
		}
		return !Objects.equals(this.text, sent);
	}

	/**
	 * Notes that a cluster moves the call's keys.
	 * @return whether there is time to ask again
	 */
	final boolean noteMove(StoreCallException failure) {
		this.moving = failure;
		return this.deadline.remainingNanos() > 0;
	}

}
