package io.github.ratelimit.benchmarks.http;

import java.util.List;

import io.github.ratelimit.benchmarks.http.server.AnnotatedApplication;
import io.github.ratelimit.benchmarks.http.server.Bucket4jApplication;
import io.github.ratelimit.benchmarks.http.server.GatewayApplication;
import io.github.ratelimit.benchmarks.http.server.PlainApplication;
import io.github.ratelimit.benchmarks.http.server.ReactiveFieldsApplication;
import io.github.ratelimit.benchmarks.http.server.Resilience4jApplication;
import io.github.ratelimit.benchmarks.http.server.ServletFieldsApplication;

/**
 * A limiter of requests, with what it needs on the class path and in the properties.
 */
enum Contender {

	UNLIMITED("without limiter", PlainApplication.class, List.of()),

	/** Shows how far two runs of the same thing lie apart. */
	UNLIMITED_AGAIN("without limiter, again", PlainApplication.class, List.of()),

	/** Shows what our header fields cost, whoever sets them. */
	FIELDS("no limiter, our fields by hand", ServletFieldsApplication.class, List.of()),

	REACTIVE_FIELDS("no limiter, our fields by hand", ReactiveFieldsApplication.class, List.of()),

	/** Shows what it costs to have us and to limit nothing. */
	UNCONFIGURED("ours, nothing configured", PlainApplication.class, List.of("ratelimit-", "caffeine")),

	/** Shows what it costs to look for a rule, and to find none. */
	UNMATCHED("ours, no rule matches", PlainApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=5", "ratelimit.policies.hello.limits[0].window=1d",
			"ratelimit.rules[0].path=/word", "ratelimit.rules[0].policy=hello"),

	RULE("ours, by rule", PlainApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=%d", "ratelimit.policies.hello.limits[0].window=1d",
			"ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=hello"),

	ANNOTATION("ours, by annotation", AnnotatedApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=%d", "ratelimit.policies.hello.limits[0].window=1d"),

	RULE_WITHOUT_FIELDS("ours, by rule, without fields", PlainApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=%d", "ratelimit.policies.hello.limits[0].window=1d",
			"ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=hello", "ratelimit.headers="),

	/** Shows what a decision costs, without the address that is its key elsewhere. */
	RULE_FOR_ALL("ours, by rule, without fields, one key for all", PlainApplication.class,
			List.of("ratelimit-", "caffeine"), "ratelimit.policies.hello.limits[0].limit=%d",
			"ratelimit.policies.hello.limits[0].window=1d", "ratelimit.policies.hello.key='all'",
			"ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=hello", "ratelimit.headers="),

	ANNOTATION_WITHOUT_FIELDS("ours, by annotation, without fields", AnnotatedApplication.class,
			List.of("ratelimit-", "caffeine"), "ratelimit.policies.hello.limits[0].limit=%d",
			"ratelimit.policies.hello.limits[0].window=1d", "ratelimit.headers="),

	BUCKET4J("bucket4j, filter by hand", Bucket4jApplication.class, List.of("bucket4j_jdk17-core", "caffeine"),
			"limit=%d"),

	BUCKET4J_WITH_FIELDS("bucket4j, filter by hand, with our fields", Bucket4jApplication.class,
			List.of("bucket4j_jdk17-core", "caffeine"), "limit=%d", "fields=true"),

	/** An exception's stack trace costs more than the rejection; we spare it that. */
	RESILIENCE4J("resilience4j, by annotation", Resilience4jApplication.class,
			List.of("resilience4j-", "micrometer-core", "HdrHistogram", "aspectjweaver"),
			"resilience4j.ratelimiter.instances.hello.limit-for-period=%d",
			"resilience4j.ratelimiter.instances.hello.limit-refresh-period=1d",
			"resilience4j.ratelimiter.instances.hello.timeout-duration=0",
			"resilience4j.ratelimiter.instances.hello.writable-stack-trace-enabled=false"),

	ROUTED("without limiter", GatewayApplication.class, List.of()),

	/** One token a second, and a hundred thousand for a request: one request a day. */
	ROUTED_REDIS("Gateway's own, with Redis", GatewayApplication.class, List.of(),
			"spring.cloud.gateway.server.webflux.routes[0].filters[0].name=RequestRateLimiter",
			"spring.cloud.gateway.server.webflux.routes[0].filters[0].args.redis-rate-limiter.replenishRate=1",
			"spring.cloud.gateway.server.webflux.routes[0].filters[0].args.redis-rate-limiter.requestedTokens=100000",
			"spring.cloud.gateway.server.webflux.routes[0].filters[0].args.redis-rate-limiter.burstCapacity=%d00000"),

	ROUTED_RULE("ours, by rule, with Redis", GatewayApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=%d", "ratelimit.policies.hello.limits[0].window=1d",
			"ratelimit.rules[0].path=/hello", "ratelimit.rules[0].policy=hello"),

	ROUTED_FILTER("ours, by filter, with Redis", GatewayApplication.class, List.of("ratelimit-", "caffeine"),
			"ratelimit.policies.hello.limits[0].limit=%d", "ratelimit.policies.hello.limits[0].window=1d",
			"spring.cloud.gateway.server.webflux.routes[0].filters[0]=RateLimit=hello");

	private final String title;

	private final Class<?> application;

	private final List<String> artifacts;

	private final List<String> properties;

	Contender(String title, Class<?> application, List<String> artifacts, String... properties) {
		this.title = title;
		this.application = application;
		this.artifacts = artifacts;
		this.properties = List.of(properties);
	}

	String title() {
		return this.title;
	}

	/**
	 * Whether it is measured rejecting, too. What differs from another one by the fields
	 * of allowed requests only is not.
	 */
	boolean isToReject() {
		return switch (this) {
			case RULE_WITHOUT_FIELDS, RULE_FOR_ALL, ANNOTATION_WITHOUT_FIELDS, BUCKET4J_WITH_FIELDS -> false;
			default -> this.properties.stream().anyMatch((property) -> property.contains("%d"));
		};
	}

	Class<?> application() {
		return this.application;
	}

	/**
	 * What is on the class path beside what serves the requests.
	 * @return the beginnings of the artifacts' names
	 */
	List<String> artifacts() {
		return this.artifacts;
	}

	List<String> properties(int limit) {
		return this.properties.stream().map((property) -> property.formatted(limit)).toList();
	}

}
