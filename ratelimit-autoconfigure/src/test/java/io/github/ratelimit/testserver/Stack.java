package io.github.ratelimit.testserver;

import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * What the suite runs on: the server that is on the class path, with its web stack.
 */
public enum Stack {

	TOMCAT("org.apache.catalina.startup.Tomcat", ServletParts.class.getName()),

	JETTY("org.eclipse.jetty.server.Server", ServletParts.class.getName()),

	NETTY("reactor.netty.http.server.HttpServer", ReactiveParts.class.getName());

	public static final Stack CURRENT = Stream.of(values())
		.filter((stack) -> ClassUtils.isPresent(stack.server, Stack.class.getClassLoader()))
		.findFirst()
		.orElseThrow();

	/** Where pages come from that may read the answers of some applications. */
	public static final String ORIGIN = "https://shop.example";

	private final String server;

	private final String parts;

	Stack(String server, String parts) {
		this.server = server;
		this.parts = parts;
	}

	/**
	 * Finds what an application says in the terms of its stack.
	 * @param name the name that the part has in both stacks
	 * @return a configuration
	 */
	public static Class<?> part(String name) {
		return ClassUtils.resolveClassName(CURRENT.parts + "$" + name, Stack.class.getClassLoader());
	}

	/**
	 * An expression that reads a parameter past the abstraction that expressions have.
	 */
	public String rawParameter(String name) {
		return (this == NETTY) ? "request.queryParams.getFirst('" + name + "')"
				: "request.getParameter('" + name + "')";
	}

	/**
	 * An expression for the port that a request has come on.
	 */
	public String port() {
		return (this == NETTY) ? "request.localAddress.port" : "request.localPort";
	}

	/**
	 * An expression that reads the method past the abstraction that expressions have.
	 */
	public String rawMethod() {
		return (this == NETTY) ? "request.method.name()" : "request.method";
	}

	/**
	 * An expression that reads the path past the abstraction that expressions have.
	 */
	public String rawPath() {
		return (this == NETTY) ? "request.path.value()" : "request.requestURI";
	}

	public String basePathProperty() {
		return (this == NETTY) ? "spring.webflux.base-path" : "server.servlet.context-path";
	}

	public String staticPathProperty() {
		return (this == NETTY) ? "spring.webflux.static-path-pattern" : "spring.mvc.static-path-pattern";
	}

}
