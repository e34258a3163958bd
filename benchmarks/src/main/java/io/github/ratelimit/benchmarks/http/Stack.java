package io.github.ratelimit.benchmarks.http;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.benchmarks.process.ClassPath;

/**
 * What serves the requests. Contenders are compared within it only.
 */
enum Stack {

	/*
	 * Connections live as long as the client wants, and the number of threads is fixed,
	 * so that what they allocate can be added up.
	 */
	TOMCAT("", 32, 1, List.of(Contender.UNLIMITED, Contender.UNLIMITED_AGAIN, Contender.FIELDS, Contender.UNMATCHED,
			Contender.RULE, Contender.ANNOTATION, Contender.RULE_WITHOUT_FIELDS, Contender.ANNOTATION_WITHOUT_FIELDS,
			Contender.BUCKET4J, Contender.BUCKET4J_WITH_FIELDS, Contender.RESILIENCE4J),
			"server.tomcat.max-keep-alive-requests=-1", "server.tomcat.threads.max=64",
			"server.tomcat.threads.min-spare=64"),

	NETTY(" on Netty", 32, 4,
			List.of(Contender.UNLIMITED, Contender.UNLIMITED_AGAIN, Contender.REACTIVE_FIELDS, Contender.RULE,
					Contender.ANNOTATION)),

	TOMCAT_BY_PARTS(", part by part", 32, 1,
			List.of(Contender.UNLIMITED, Contender.UNLIMITED_AGAIN, Contender.UNCONFIGURED, Contender.UNMATCHED,
					Contender.RULE_FOR_ALL, Contender.RULE_WITHOUT_FIELDS, Contender.RULE, Contender.FIELDS),
			TOMCAT.properties()),

	NETTY_BY_PARTS(", part by part, on Netty", 32, 4,
			List.of(Contender.UNLIMITED, Contender.UNMATCHED, Contender.RULE_WITHOUT_FIELDS, Contender.RULE,
					Contender.REACTIVE_FIELDS),
			NETTY.properties()),

	GATEWAY(" through Spring Cloud Gateway", 64, 4,
			List.of(Contender.ROUTED, Contender.ROUTED_REDIS, Contender.ROUTED_RULE, Contender.ROUTED_FILTER),
			"spring.cloud.gateway.server.webflux.routes[0].id=hello",
			"spring.cloud.gateway.server.webflux.routes[0].uri=forward:/word",
			"spring.cloud.gateway.server.webflux.routes[0].predicates[0]=Path=/hello", "spring.data.redis.timeout=20s",
			"ratelimit.store=redis", "ratelimit.redis.timeout=20s");

	private final String suffix;

	private final int connections;

	private final int warmUp;

	private final List<Contender> contenders;

	private final List<String> properties;

	Stack(String suffix, int connections, int warmUp, List<Contender> contenders, String... properties) {
		this(suffix, connections, warmUp, contenders, List.of(properties));
	}

	Stack(String suffix, int connections, int warmUp, List<Contender> contenders, List<String> properties) {
		this.suffix = suffix;
		this.connections = connections;
		this.warmUp = warmUp;
		this.contenders = contenders;
		this.properties = properties;
	}

	String title(Situation situation) {
		return situation.title() + this.suffix;
	}

	/**
	 * How many clients there are, each with a connection.
	 * @return the number
	 */
	int connections() {
		return this.connections;
	}

	/**
	 * How much longer its servers are warmed up, because they have more code.
	 * @return the factor
	 */
	int warmUp() {
		return this.warmUp;
	}

	/**
	 * Who is measured, the one without limiter first.
	 * @return the contenders
	 */
	List<Contender> contenders() {
		return this.contenders;
	}

	/**
	 * The class path of a contender's server.
	 * @param more the beginnings of the names of artifacts that the contender needs
	 * @return the class path
	 */
	ClassPath classPath(List<String> more) {
		Stream<String> gateway = Stream.of("spring-cloud-", "reactor-extra", "spring-boot-data-redis", "spring-data-",
				"spring-tx", "lettuce", "spring-boot-validation", "jakarta.validation", "hibernate-validator",
				"jboss-logging", "classmate", "tomcat-embed-el");
		return switch (this) {
			case TOMCAT, TOMCAT_BY_PARTS -> ClassPath.ofWebApplication(more.toArray(String[]::new));
			case NETTY, NETTY_BY_PARTS -> ClassPath.ofReactiveApplication(more.toArray(String[]::new));
			case GATEWAY ->
				ClassPath.ofReactiveApplication(Stream.concat(gateway, more.stream()).toArray(String[]::new));
		};
	}

	List<String> properties() {
		return this.properties;
	}

}
