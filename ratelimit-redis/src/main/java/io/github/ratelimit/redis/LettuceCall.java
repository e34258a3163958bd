package io.github.ratelimit.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import org.jspecify.annotations.Nullable;

/**
 * One call, on its way to the server that has its key. It is sent again only where it is
 * known that nothing was done: never after a time-out or the loss of a connection.
 *
 * @param <T> what the answer says
 */
final class LettuceCall<T> extends PendingCall<T> implements BiConsumer<byte[], Throwable> {

	private final LettuceScriptRunner servers;

	private volatile boolean asking;

	private volatile @Nullable LettuceNode node;

	private volatile LettuceNode.@Nullable Connected connected;

	private volatile int answersBefore;

	private volatile @Nullable Future<byte[]> underWay;

	LettuceCall(LettuceScriptRunner servers, ScriptCall<T> call, Deadline deadline) {
		super(call, deadline);
		this.servers = servers;
	}

	@Override
	void submit() {
		LettuceNode known = this.servers.known(this.call.keys[0]);
		if (known != null) {
			sendTo(known, false);
		}
		else {
			then(this.servers.find(this.call.keys[0]), (found) -> sendTo(found, false));
		}
	}

	private void sendTo(LettuceNode node, boolean asking) {
		this.node = node;
		this.asking = asking;
		this.connected = null;
		LettuceNode.Connected current = node.current();
		if (current != null) {
			sendOver(current);
		}
		else {
			then(node.connect(), this::sendOver);
		}
	}

	private <V> void then(CompletionStage<V> found, Consumer<V> next) {
		found.thenAccept(next).whenComplete((done, failure) -> {
			if (failure != null) {
				failed(failure);
			}
		});
	}

	private void sendOver(LettuceNode.Connected connected) {
		if (isDone()) {
			return;
		}

		this.answersBefore = connected.answers();
		this.connected = connected;
		try {
			RedisFuture<byte[]> sent = this.asking ? ask(connected) : evaluate(connected);
			this.underWay = sent.toCompletableFuture();
			sent.whenComplete(this);
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
	}

	/*
	 * A server applies ASKING to the next command of a connection only. Where that is one
	 * of another thread after all, this call is redirected once more.
	 */
	private RedisFuture<byte[]> ask(LettuceNode.Connected connected) {
		synchronized (connected) {
			connected.commands.asking();
			return evaluate(connected);
		}
	}

	private RedisFuture<byte[]> evaluate(LettuceNode.Connected connected) {
		String text = text();
		byte[][] keys = this.call.keys;
		byte[][] arguments = this.call.arguments();
		if (text != null) {
			return connected.commands.eval(text, ScriptOutputType.VALUE, keys, arguments);
		}
		return connected.commands.evalsha(this.call.script.sha1(), ScriptOutputType.VALUE, keys, arguments);
	}

	@Override
	public void accept(byte[] answer, @Nullable Throwable failure) {
		LettuceNode.Connected over = this.connected;
		if (failure == null && over != null) {
			over.countAnswer();
		}
		if (isDone()) {
			return;
		}
		if (failure != null) {
			failed(failure);
			return;
		}

		try {
			if (takeAnswer(answer)) {
				send();
			}
		}
		catch (RuntimeException | Error ex) {
			completeExceptionally(ex);
		}
	}

	private void failed(Throwable failure) {
		try {
			sendAgainOrFail(cause(failure));
		}
		catch (RuntimeException | Error ex) {
			completeExceptionally(ex);
		}
	}

	/*
	 * A connection that ends cancels what it was asked.
	 */
	private static Throwable cause(Throwable failure) {
		Throwable cause = failure;
		if (failure instanceof CompletionException && failure.getCause() != null) {
			cause = failure.getCause();
		}
		if (cause instanceof CancellationException) {
			return new RedisException("the connection was closed");
		}
		return cause;
	}

	private void sendAgainOrFail(Throwable cause) {
		LettuceNode asked = this.node;
		LettuceNode.Connected over = this.connected;
		StoreCallException failure = RedisFailures.of(cause);

		if (cause instanceof RedisCommandExecutionException && asked != null && over != null) {
			over.countAnswer();
			if (trySendAgain(failure, asked, over)) {
				return;
			}
		}
		else if (asked != null) {
			asked.abandon(over);
		}

		boolean ownerHasAnswered = failure.blame() == StoreCallException.Blame.KEY
				|| failure.blame() == StoreCallException.Blame.WRITES;
		if (!ownerHasAnswered) {
			this.servers.suspect();
		}
		completeExceptionally(failure);
	}

	/*
	 * Only a call that the server rejected without doing anything is sent again.
	 */
	private boolean trySendAgain(StoreCallException failure, LettuceNode asked, LettuceNode.Connected over) {
		if (mend(failure)) {
			sendTo(asked, this.asking);
			return true;
		}

		String message = String.valueOf(failure.getMessage());
		if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
			return tryRedirected(message, asked);
		}
		return switch (failure.blame()) {
			case MOVE -> tryAfterPause(failure);
			case NODE -> tryOverNewConnection(asked, over);
			default -> {
				if (message.startsWith("NOAUTH")) {
					asked.retire(over, this.deadline.timeout());
				}
				yield false;
			}
		};
	}

	private boolean tryRedirected(String message, LettuceNode asked) {
		boolean ask = message.startsWith("ASK ");
		if (!ask) {
			this.servers.suspect();
		}
		boolean again = tryAgain();
		if (again) {
			sendTo(this.servers.redirected(asked, message.substring(message.lastIndexOf(' ') + 1)), ask);
		}
		return again;
	}

	private boolean tryAfterPause(StoreCallException failure) {
		boolean again = noteMove(failure);
		if (again) {
			this.servers.scheduler.schedule(this::send, MOVE_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
		}
		return again;
	}

	/*
	 * A connection to a replica may lead to a former master.
	 */
	private boolean tryOverNewConnection(LettuceNode asked, LettuceNode.Connected over) {
		asked.retire(over, this.deadline.timeout());
		this.servers.suspect();
		boolean first = tryAnotherConnection();
		if (first) {
			send();
		}
		return first;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * A connection over which nothing at all was answered since may never be of use
	 * again, if the server is gone without a word.
	 */
	@Override
	void givenUp(StoreCallException failure) {
		Future<byte[]> sent = this.underWay;
		if (sent != null) {
			sent.cancel(true);
		}

		LettuceNode asked = this.node;
		LettuceNode.Connected over = this.connected;
		if (asked != null) {
			giveUp(asked, over);
		}
		this.servers.suspect();
	}

	private void giveUp(LettuceNode asked, LettuceNode.@Nullable Connected over) {
		if (over == null) {
			asked.giveUp();
		}
		else if (over.answers() == this.answersBefore) {
			asked.retire(over, this.deadline.timeout());
		}
	}

}
