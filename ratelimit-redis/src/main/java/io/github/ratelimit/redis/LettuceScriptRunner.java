package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.support.BackgroundThreads;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts over one Lettuce connection to each server, which all threads share. It
 * waits for an answer no longer than the time-out, whatever the application's own is.
 */
abstract class LettuceScriptRunner implements ScriptRunner {

	/* The pause between two looks for who is in charge. */
	static final Duration PAUSE = Duration.ofSeconds(1);

	/* The time that a server's answer to such a look may take. */
	static final Duration TIMEOUT = Duration.ofMillis(500);

	/*
	 * One thread may wait for servers that do not answer. The other repeats calls that a
	 * server will answer in a moment. What comes after the end is of no use.
	 */
	final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2,
			new BackgroundThreads("ratelimit-redis-watch"), new ThreadPoolExecutor.DiscardPolicy());

	/*
	 * The look that is under way, which would outlive the runner.
	 */
	private volatile @Nullable Future<?> looking;

	LettuceScriptRunner() {
		this.scheduler.setRemoveOnCancelPolicy(true);
	}

	static LettuceScriptRunner of(LettuceConnectionFactory factory) {
		if (factory.isClusterAware()) {
			return new LettuceCluster(factory);
		}
		return new LettuceServer(factory);
	}

	/**
	 * Notes that a look has begun, which ends with the runner.
	 */
	final void noteLook(Future<?> begun) {
		this.looking = begun;
	}

	@Override
	public final <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		return new LettuceCall<>(this, call, deadline).send();
	}

	@Override
	public final String node(byte[] key) {
		LettuceNode node = known(key);
		return (node != null) ? node.name : "";
	}

	/**
	 * Returns the server that has a key, if it is known.
	 */
	abstract @Nullable LettuceNode known(byte[] key);

	/**
	 * Finds the server that has a key.
	 */
	abstract CompletionStage<LettuceNode> find(byte[] key);

	/**
	 * Returns the server that a server has named as the one to ask.
	 * @param node the server that was asked
	 * @param address the host, which may be missing if it is the same, and the port
	 */
	LettuceNode redirected(LettuceNode node, String address) {
		return node;
	}

	/**
	 * Notes that a server did not answer as it should, or is not the one to ask: in the
	 * background it is looked up which one is.
	 */
	void suspect() {
	}

	@Override
	public void close() {
		this.scheduler.shutdown();
		Future<?> begun = this.looking;
		if (begun != null) {
			begun.cancel(true);
		}
	}

}
