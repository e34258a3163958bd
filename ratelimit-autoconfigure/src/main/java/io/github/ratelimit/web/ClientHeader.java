package io.github.ratelimit.web;

import java.util.Enumeration;
import java.util.function.Function;

/**
 * Where trusted proxies note for whom they forward a request.
 */
@FunctionalInterface
interface ClientHeader {

	/**
	 * Finds the client of a request that a trusted proxy forwarded.
	 * @param proxy the proxy's address
	 * @param headers gives the lines of a request header
	 * @return the client's address, or the proxy's if the header does not tell
	 */
	IpAddress client(IpAddress proxy, Function<String, Enumeration<String>> headers);

}
