package io.github.ratelimit.redis;

import java.util.Set;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

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
	 * Sends a script, and does not wait. A server that does not know it yet is sent its
	 * text, and where a key holds something of another type, which is not ours, the
	 * script that repairs it.
	 * @param call the script and its arguments
	 * @param deadline until when there is time for the answer
	 * @return the call, which fails with a {@link StoreCallException}
	 */
	<T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline);

	/**
	 * Whether keys live on several servers, by hash slot, so that only keys of one slot
	 * can be used in one call.
	 */
	default boolean isCluster() {
		return false;
	}

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
		return Set.of("");
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
