package io.github.ratelimit.integration.suite;

import java.util.Set;

import io.github.ratelimit.testserver.Stack;

/**
 * Where the stacks answer the same request differently, and why. All else is the same on
 * every server.
 */
enum Difference {

	/**
	 * A part of an upload is a parameter to the servlet API, which parses it when the
	 * first parameter is read. On WebFlux an upload stays unread until its handler asks
	 * for it, so a key that reads a parameter is the client's address, also if the query
	 * has it.
	 */
	UPLOADS_ARE_NOT_READ_FOR_KEYS(Stack.NETTY),

	/**
	 * The servlet stack finds the request of a call by its thread, WebFlux by Reactor's
	 * context, which a method that returns a plain value does not see. On WebFlux it
	 * counts as a call outside of a request. So a handler whose limit reads its arguments
	 * returns a publisher here everywhere: on WebFlux another one does not start.
	 */
	PLAIN_CALLS_DO_NOT_KNOW_THEIR_REQUEST(Stack.NETTY),

	/**
	 * To the servlet API the query is a part of the form, and its limits are the
	 * server's. WebFlux knows each alone and bounds only the size: a form that is larger
	 * than codecs may hold is a 413 if a key reads it.
	 */
	A_QUERY_IS_NO_FORM(Stack.NETTY),

	/**
	 * WebFlux has the cookie of a session that does not exist expire, once anybody asked
	 * for the session.
	 */
	A_FORGED_SESSION_EXPIRES(Stack.NETTY),

	/**
	 * With {@code server.forward-headers-strategy=native}, Jetty and Netty take the first
	 * address of {@code X-Forwarded-For}, which a client can forge.
	 */
	A_SERVER_BELIEVES_THE_FIRST_ADDRESS(Stack.JETTY, Stack.NETTY),

	/**
	 * A rejection in the middle of a response can only end the connection. Tomcat is kept
	 * from logging it; Jetty does, as a warning.
	 */
	THE_SERVER_LOGS_WHAT_ENDS_A_RESPONSE(Stack.JETTY),

	/**
	 * Only Tomcat tells Spring the context path as it was sent. If its escapes spell it
	 * otherwise, Spring MVC fails with the request on Jetty, and on WebFlux it is for
	 * nobody.
	 */
	A_CONTEXT_PATH_HAS_ONE_SPELLING(Stack.JETTY, Stack.NETTY),

	/**
	 * Jetty tells of a time-out before the application has answered it, so what was
	 * reserved for the request stays reserved.
	 */
	A_TIMEOUT_IS_TOLD_BEFORE_ITS_ANSWER(Stack.JETTY),

	/**
	 * Netty is handed an answer in one piece, and does not tell whether its client has
	 * read it. On a servlet, the request goes on until it is written.
	 */
	A_WHOLE_ANSWER_IS_OVER_AT_ONCE(Stack.NETTY),

	/**
	 * Jetty does not end a stream whose client has left unless the application does, so
	 * what was reserved for the request stays reserved.
	 */
	ONLY_THE_APPLICATION_ENDS_A_STREAM(Stack.JETTY),

	/**
	 * Jetty tells only who reads a form first that it is too large: here the key. To the
	 * handler it is empty.
	 */
	A_FORM_FAILS_ONCE(Stack.JETTY),

	/**
	 * Jetty closes the connection of an upload that is too large, sometimes before the
	 * client has read the answer.
	 */
	A_LARGE_UPLOAD_ENDS_ITS_CONNECTION(Stack.JETTY);

	private final Set<Stack> stacks;

	Difference(Stack... stacks) {
		this.stacks = Set.of(stacks);
	}

	boolean here() {
		return this.stacks.contains(Stack.CURRENT);
	}

}
