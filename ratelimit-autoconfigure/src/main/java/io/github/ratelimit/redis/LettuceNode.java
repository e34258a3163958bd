package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.api.StatefulRedisConnection;
import org.jspecify.annotations.Nullable;

/**
 * One server, and the connections to it that all threads share.
 */
final class LettuceNode {

	/*
	 * At least: not all wait equally long.
	 */
	private static final Duration LINGER = Duration.ofSeconds(1);

	private final String name;

	private final LettuceConnector connector;

	/*
	 * A server applies ASKING to the next command of a connection only, whichever that
	 * is.
	 */
	private final LettuceConnector asking;

	private final ScheduledExecutorService scheduler;

	LettuceNode(String name, Supplier<StatefulRedisConnection<byte[], byte[]>> opener,
			ScheduledExecutorService scheduler) {
		this.name = name;
		this.connector = new LettuceConnector(opener);
		this.asking = new LettuceConnector(opener);
		this.scheduler = scheduler;
	}

	/**
	 * The server's address, or an empty text if it is the only one.
	 */
	String name() {
		return this.name;
	}

	LettuceConnector.@Nullable Connected current(boolean asking) {
		return connector(asking).current();
	}

	CompletableFuture<LettuceConnector.Connected> connect(boolean asking) {
		return connector(asking).connect();
	}

	void giveUp(boolean asking, CompletableFuture<LettuceConnector.Connected> attempt) {
		connector(asking).giveUp(attempt);
	}

	/**
	 * Uses a connection no more, because it is broken.
	 */
	void abandon(LettuceConnector.Connected connected) {
		this.connector.abandon(connected);
		this.asking.abandon(connected);
	}

	/**
	 * Sends no more calls over a connection. Those of other callers may still be answered
	 * for as long as they wait.
	 */
	void retire(LettuceConnector.Connected connected, Duration timeout) {
		if (this.connector.retire(connected) || this.asking.retire(connected)) {
			later(connected::end, (timeout.compareTo(LINGER) > 0) ? timeout : LINGER);
		}
	}

	/**
	 * Makes a new connection, because the way to the server leads elsewhere now.
	 */
	void renew() {
		LettuceConnector.Connected connected = current(false);
		if (connected != null) {
			retire(connected, LINGER);
		}
		connect(false);
	}

	private LettuceConnector connector(boolean asking) {
		return asking ? this.asking : this.connector;
	}

	/**
	 * Ends the connections once all have been answered, because the server has left.
	 */
	void leave() {
		later(() -> {
			close();
			endAttempts();
		}, LINGER);
	}

	private void later(Runnable end, Duration delay) {
		try {
			this.scheduler.schedule(end, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			end.run();
		}
	}

	void close() {
		this.connector.close();
		this.asking.close();
	}

	/**
	 * Waits a moment for an attempt to connect that is under way.
	 */
	void awaitAttempt() {
		this.connector.awaitAttempt();
	}

	/**
	 * Ends all attempts to connect that are under way.
	 */
	void endAttempts() {
		this.connector.endAttempts();
		this.asking.endAttempts();
	}

}
