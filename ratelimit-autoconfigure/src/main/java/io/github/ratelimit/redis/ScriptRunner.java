package io.github.ratelimit.redis;

/**
 * Runs scripts on a Redis server, each in one round trip.
 */
interface ScriptRunner extends AutoCloseable {

	/**
	 * Begins to connect, so that the first decision need not wait for it. A failure is
	 * the first decision's to find.
	 */
	void connect();

	/**
	 * Runs a script. A server that does not know it yet is sent its text, and where a key
	 * holds something of another type, which is not ours, the script that mends it.
	 * @param script the script, which answers bytes
	 * @param keys all keys that it uses, of one hash slot
	 * @param arguments its other arguments
	 * @return the answer
	 * @throws RedisCallException if the server does not answer in time, or with an error
	 */
	byte[] run(Script script, byte[][] keys, byte[][] arguments);

	/**
	 * Deletes keys.
	 * @param keys the keys, of one hash slot
	 * @throws RedisCallException if the server does not answer in time, or with an error
	 */
	void delete(byte[][] keys);

	@Override
	void close();

}
