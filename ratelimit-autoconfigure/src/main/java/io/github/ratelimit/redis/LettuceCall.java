package io.github.ratelimit.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * One call, on its way to the server that has its key. It is sent again only where it is
 * known that nothing was done: never after a time-out or the loss of a connection.
 *
 * @param <T> the answer's type
 */
class LettuceCall<T> extends PendingCall<T> implements BiConsumer<T, Throwable> {

	private static final int MOST_REDIRECTIONS = 5;

	private static final long PAUSE_MILLIS = 2;

	private final LettuceServers servers;

	private final ScheduledExecutorService scheduler;

	private final byte[] key;

	private volatile Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command;

	private int redirections;

	private boolean renewed;

	private volatile boolean asking;

	private volatile @Nullable LettuceNode node;

	private volatile @Nullable CompletableFuture<LettuceConnector.Connected> connecting;

	private volatile LettuceConnector.@Nullable Connected connected;

	private volatile int answersBefore;

	private volatile @Nullable Future<T> underWay;

	private volatile @Nullable StoreCallException moving;

	LettuceCall(LettuceServers servers, ScheduledExecutorService scheduler, byte[] key, Deadline deadline,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
		super(deadline);
		this.servers = servers;
		this.scheduler = scheduler;
		this.key = key;
		this.command = command;
	}

	/**
	 * Sends the call to the server that has its key, and does not wait.
	 */
	final LettuceCall<T> start() {
		LettuceNode known = this.servers.known(this.key);
		if (known != null) {
			send(known, false);
			return this;
		}
		this.servers.find(this.key).whenComplete((found, failure) -> {
			if (found != null) {
				send(found, false);
			}
			else {
				completeExceptionally(RedisFailures.of(failure));
			}
		});
		return this;
	}

	/**
	 * Sends the call to a server, and does not wait.
	 */
	final LettuceCall<T> send(LettuceNode node, boolean asking) {
		this.node = node;
		this.asking = asking;
		LettuceConnector.Connected current = node.current(asking);
		if (current != null) {
			sendOver(current);
			return this;
		}
		CompletableFuture<LettuceConnector.Connected> attempt = node.connect(asking);
		this.connecting = attempt;
		attempt.whenComplete((opened, failure) -> {
			if (opened != null) {
				sendOver(opened);
			}
			else {
				failed(cause(failure));
			}
		});
		return this;
	}

	private void sendOver(LettuceConnector.Connected connected) {
		if (isDone()) {
			return;
		}
		this.connecting = null;
		this.answersBefore = connected.answers();
		this.connected = connected;
		try {
			RedisFuture<T> sent = this.asking ? ask(connected) : this.command.apply(connected.commands());
			this.underWay = sent.toCompletableFuture();
			sent.whenComplete(this);
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	private RedisFuture<T> ask(LettuceConnector.Connected connected) {
		synchronized (connected) {
			connected.commands().asking();
			return this.command.apply(connected.commands());
		}
	}

	@Override
	public final void accept(T answer, @Nullable Throwable failure) {
		if (isDone()) {
			return;
		}
		if (failure != null) {
			failed(cause(failure));
			return;
		}
		answered();
		complete(answer);
	}

	private void answered() {
		LettuceConnector.Connected over = this.connected;
		if (over != null) {
			over.answered();
		}
	}

	/*
	 * A connection that ends cancels what it was asked.
	 */
	private static Throwable cause(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return (cause instanceof CancellationException) ? new RedisException("the connection was closed") : cause;
	}

	private void failed(Throwable cause) {
		try {
			proceed(cause);
		}
		catch (RuntimeException | Error ex) {
			completeExceptionally(ex);
		}
	}

	private void proceed(Throwable cause) {
		LettuceNode asked = this.node;
		LettuceConnector.Connected over = this.connected;
		if (cause instanceof RedisCommandExecutionException) {
			answered();
			if (asked != null && over != null && again((RedisCommandExecutionException) cause, asked, over)) {
				return;
			}
		}
		else if (asked != null && over != null) {
			asked.abandon(over);
		}
		StoreCallException failure = RedisFailures.of(cause);
		if (failure.blame() != StoreCallException.Blame.KEY && failure.blame() != StoreCallException.Blame.WRITES) {
			this.servers.suspect();
		}
		completeExceptionally(failure);
	}

	/*
	 * Only a call that the server rejected without doing anything is sent again.
	 */
	private boolean again(RedisCommandExecutionException error, LettuceNode asked, LettuceConnector.Connected over) {
		Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> other = instead(error);
		if (other != null) {
			this.command = other;
			send(asked, this.asking);
			return true;
		}
		String message = String.valueOf(error.getMessage());
		if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
			return redirect(message, asked);
		}
		StoreCallException failure = RedisFailures.of(error);
		return switch (failure.blame()) {
			case MOVE -> pause(failure);
			case NODE -> renew(asked, over);
			default -> {
				if (message.startsWith("NOAUTH")) {
					asked.retire(over, this.deadline.timeout());
				}
				yield false;
			}
		};
	}

	/**
	 * The command to send in place of the one that the server rejected, if there is one.
	 */
	@Nullable Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> instead(RedisCommandExecutionException error) {
		return null;
	}

	private boolean redirect(String message, LettuceNode asked) {
		boolean ask = message.startsWith("ASK ");
		if (!ask) {
			this.servers.suspect();
		}
		if (++this.redirections > MOST_REDIRECTIONS) {
			return false;
		}
		send(this.servers.redirected(asked, message.substring(message.lastIndexOf(' ') + 1)), ask);
		return true;
	}

	private boolean pause(StoreCallException failure) {
		this.moving = failure;
		if (this.deadline.remainingNanos() == 0 || this.scheduler.isShutdown()) {
			return false;
		}
		this.scheduler.schedule(this::start, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
		return true;
	}

	/*
	 * A connection to a replica may lead to a former master.
	 */
	private boolean renew(LettuceNode asked, LettuceConnector.Connected over) {
		asked.retire(over, this.deadline.timeout());
		this.servers.suspect();
		if (this.renewed) {
			return false;
		}
		this.renewed = true;
		start();
		return true;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * A connection over which nothing at all was answered since may never be of use
	 * again, if the server is gone without a word.
	 */
	@Override
	final StoreCallException giveUp() {
		StoreCallException movingStill = this.moving;
		StoreCallException failure = (movingStill != null) ? movingStill
				: StoreCallException.noAnswer(this.deadline.timeout());
		if (!completeExceptionally(failure)) {
			return failure;
		}
		Future<T> sent = this.underWay;
		if (sent != null) {
			sent.cancel(true);
		}
		LettuceNode asked = this.node;
		CompletableFuture<LettuceConnector.Connected> attempt = this.connecting;
		if (asked != null && attempt != null) {
			asked.giveUp(this.asking, attempt);
		}
		LettuceConnector.Connected over = this.connected;
		if (asked != null && over != null && over.answers() == this.answersBefore) {
			asked.retire(over, this.deadline.timeout());
		}
		this.servers.suspect();
		return failure;
	}

}
