package io.github.ratelimit.redis;

import java.util.Set;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The servers that keys live on.
 */
interface LettuceServers extends AutoCloseable {

	/**
	 * Begins to connect.
	 */
	void connect();

	/**
	 * The server that has a key, if it is known.
	 */
	@Nullable LettuceNode known(byte[] key);

	/**
	 * Finds the server that has a key.
	 */
	CompletionStage<LettuceNode> find(byte[] key);

	/**
	 * The server that a server has named as the one to ask.
	 * @param node the server that was asked
	 * @param address the host, which may be missing if it is the same, and the port
	 */
	LettuceNode redirected(LettuceNode node, String address);

	/**
	 * Notes that a server did not answer as it should, or is not the one to ask: in the
	 * background it is looked up which one is.
	 */
	void suspect();

	/**
	 * The names of the servers that have keys.
	 */
	Set<String> names();

	@Override
	void close();

}
