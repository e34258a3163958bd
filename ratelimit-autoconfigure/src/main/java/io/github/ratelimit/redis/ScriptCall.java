package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.remote.StoreCallException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A script, what to run it with, and how to read its answer.
 *
 * @param way the way to the servers
 * @param script the script, which answers bytes
 * @param keys all keys that it uses; on a cluster, of one hash slot
 * @param arguments its other arguments, for the moment that was last taken
 * @param reader reads the answer
 * @param moment takes a moment of the server, or {@code null} if the arguments depend on
 * none
 * @param <T> what the answer says
 */
record ScriptCall<T>(Way way, Script script, byte[][] keys, Supplier<byte[][]> arguments, Function<byte[], T> reader,
		@Nullable LongConsumer moment) implements RemoteStore.Call<T> {

	ScriptCall(Way way, Script script, byte[][] keys, Supplier<byte[][]> arguments, Function<byte[], T> reader) {
		this(way, script, keys, arguments, reader, null);
	}

	/* So many calls of a kind may be under way that no caller waits for. */
	private static final int MOST_POSTED = 256;

	/* How long a call waits for its answer that no caller waits for. */
	private static final Duration LONGEST = Duration.ofSeconds(1);

	@Override
	public RemoteStore.Answer<T> start(Deadline deadline) {
		return this.way.runner.start(this, deadline);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Best effort: what fails is not tried again.
	 */
	@Override
	public CompletionStage<T> post() {
		AtomicInteger posted = this.way.posted;
		if (posted.get() >= MOST_POSTED) {
			return CompletableFuture.failedStage(
					new StoreCallException("too many calls are under way", null, StoreCallException.Blame.CALLER));
		}
		posted.incrementAndGet();
		return start(Deadline.after(LONGEST)).later().whenComplete((answer, failure) -> posted.decrementAndGet());
	}

	/**
	 * The way to the servers for calls of one kind.
	 *
	 * @param runner runs the scripts
	 * @param posted how many of the calls are under way that no caller waits for
	 */
	record Way(ScriptRunner runner, AtomicInteger posted) {

		Way(ScriptRunner runner) {
			this(runner, new AtomicInteger());
		}

	}

	/**
	 * A Lua script, and the name by which a server that has it can run it.
	 *
	 * @param text the script
	 * @param sha1 what {@code EVALSHA} calls it
	 * @param repairing the script that does the same where a key holds something that is
	 * not ours
	 */
	record Script(String text, String sha1, String repairing) {

		static Script of(String text, String repairing) {
			return new Script(text, DigestUtils.sha1DigestAsHex(text), repairing);
		}

	}

}
