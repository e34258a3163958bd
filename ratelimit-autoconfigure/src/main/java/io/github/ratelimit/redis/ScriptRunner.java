package io.github.ratelimit.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.resilience.Deadline;
import io.github.ratelimit.resilience.StoreCallException;

/**
 * Runs scripts on Redis servers, each in one round trip.
 */
interface ScriptRunner extends AutoCloseable {

	/**
	 * Begins to connect, so that the first decision need not wait for it. The first
	 * decision finds a failure.
	 */
	void connect();

	/**
	 * Runs a script. A server that does not know it yet is sent its text, and where a key
	 * holds something of another type, which is not ours, the script that mends it.
	 * @param call the script and its arguments
	 * @param deadline until when to wait for the answer
	 * @return the answer
	 * @throws StoreCallException if the server does not answer in time, or with an error
	 */
	byte[] run(ScriptCall call, Deadline deadline);

	/**
	 * Runs several scripts at once, which takes no longer than the slowest of them.
	 * @param calls the scripts and their arguments
	 * @param deadline until when to wait for all answers
	 * @return how each went, in the same order
	 */
	List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline);

	/**
	 * Runs a script without waiting for it. Best effort: a bounded number is under way at
	 * a time, and what fails is not tried again.
	 * @param call the script and its arguments
	 * @return completes with the answer, or with a {@link StoreCallException}
	 */
	CompletionStage<byte[]> post(ScriptCall call);

	/**
	 * Runs a script whose answer no caller waits for. A bounded number is under way at a
	 * time, apart from those that are {@link #post posted}.
	 * @param call the script and its arguments
	 * @return the answer; or a {@link StoreCallException}, which blames the caller if too
	 * many are under way
	 */
	CompletionStage<byte[]> ask(ScriptCall call);

	/**
	 * Deletes keys.
	 * @param keys the keys, of one hash slot
	 * @param deadline until when to wait for the answer
	 * @throws StoreCallException if the server does not answer in time, or with an error
	 */
	void delete(byte[][] keys, Deadline deadline);

	/**
	 * Whether keys live on several servers, by hash slot, so that only keys of one slot
	 * can be used in one call.
	 */
	boolean isCluster();

	/**
	 * Names the server that has a key, as far as it is known. A failure of one server
	 * says nothing of the others.
	 * @param key the key
	 * @return the same name for all keys of a server, such as its address
	 */
	String node(byte[] key);

	/**
	 * Names the servers that have keys at present.
	 * @return the names, and an empty text for those that are not known; empty if none is
	 */
	default Set<String> nodes() {
		return Set.of();
	}

	/**
	 * Names the only server, for people.
	 * @return its address; empty if there are several, or if it is not known
	 */
	default String server() {
		return "";
	}

	@Override
	void close();

}
