package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.store.MemoryBudget;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.web.HeaderFamily;
import io.github.ratelimit.web.PolicyNames;
import io.github.ratelimit.web.ResetFormat;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties for rate limits. An unknown property is an error, so that a
 * misspelt one is not silently ignored.
 *
 * @param enabled Whether to enforce rate limits. If false, annotations and rules have no
 * effect, and the RateLimiterRegistry bean allows all requests.
 * @param store Store that holds the state of every key.
 * @param key Default key expression, such as clientAddress, principal.name or
 * header('X-Api-Key'). If not set, the single KeyResolver bean is used if there is one,
 * and clientAddress otherwise.
 * @param instance Name of this instance of the application, which the actuator endpoint
 * shows; different for each instance. Defaults to the host and the port of its server.
 * @param policies Policies by name. A policy is enforced where a rule or an annotation
 * names it. A policy with the name of an annotated limit, such as
 * "[SearchController.search]", overrides the annotation's numbers; those that it does not
 * give stay.
 * @param rules Rules that the filter enforces. All rules that match a request apply.
 * @param headers Families of response headers to send. Empty for none; Retry-After is
 * sent with every 429 in any case.
 * @param headersReset What X-RateLimit-Reset has: seconds from now, or since the epoch.
 * @param headersPolicyNames What response headers and rejections call policies: their
 * full names, an alias such as p1, or nothing.
 * @param exposeHeaders Whether to add the response headers of rate limits to
 * Access-Control-Expose-Headers, so that scripts of the origins that the CORS
 * configuration allows can read them.
 * @param clientAddress Client address.
 * @param caffeine Store in this process.
 * @param redis Store in Redis, which all instances of the application share.
 * @param maximumWaiting Maximum number of requests and calls that wait at once, over all
 * policies and keys, without holding a platform thread. Beyond it, requests that would
 * have to wait are rejected; with 0, none waits. One policy may have a half of them, and
 * one key or client a quarter. Defaults to half of the server's connections if their
 * number is known, and to 1000 otherwise.
 * @param documented Whether limited operations document their header fields and the 429.
 * @param plans What is remembered of the plans that callers have.
 * @param maximumOverrides Maximum number of keys that may have an override at once, over
 * all policies, from 0.
 * @param advised Whether policies observe their callers, for advice about limits. Takes
 * at most 2 MiB for each policy, and some time of each decision on the callers that are
 * sampled.
 * @param mcp Messages of the Model Context Protocol.
 * @param ai Which policies limit the calls of chat models.
 * @param exempt Clients that are not limited.
 * @param deny Clients whose requests are answered with a 403. It precedes
 * ratelimit.exempt.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "ratelimit", ignoreUnknownFields = false)
record RateLimitProperties(@DefaultValue("true") boolean enabled, @DefaultValue("caffeine") StoreType store,
		@Nullable String key, @Nullable String instance, @DefaultValue Map<String, Policy> policies,
		@DefaultValue List<Rule> rules, @DefaultValue( {
				"rate-limit", "x-rate-limit" }) List<HeaderFamily> headers,
		@Name("headers.reset") @DefaultValue("seconds") ResetFormat headersReset,
		@Name("headers.policy-names") @DefaultValue("full") PolicyNames headersPolicyNames,
		@Name("cors.expose-headers") @DefaultValue("true") boolean exposeHeaders,
		@DefaultValue ClientAddress clientAddress, @DefaultValue Caffeine caffeine, @DefaultValue Redis redis,
		@Name("waiting.maximum") @Nullable Integer maximumWaiting,
		@Name("springdoc.enabled") @DefaultValue("true") boolean documented, @DefaultValue Plans plans,
		@Name("overrides.maximum-size") @DefaultValue("10000") int maximumOverrides,
		@Name("advice.enabled") @DefaultValue("false") boolean advised, @DefaultValue Mcp mcp,
		@NestedConfigurationProperty @Nullable RateLimitAiProperties ai, @DefaultValue Clients exempt,
		@DefaultValue Clients deny){

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Pattern INSTANCE = Pattern.compile("(?=.*\\S)[ -~]{1,100}");

	/**
	 * Checks what there is of them.
	 */
	public RateLimitProperties {
		int empty = headers.indexOf(null);
		if (empty >= 0) {
			throw InvalidRateLimitException.property("ratelimit.headers[" + empty + "]", null, "has no value",
					"Write rate-limit, x-rate-limit or both; or nothing at all, for none.", null);
		}
		if (key != null && key.isBlank()) {
			throw InvalidRateLimitException.property("ratelimit.key", '"' + key + '"', "is blank",
					"Remove it for the default, or write an expression such as clientAddress.", null);
		}
		if (instance != null && !INSTANCE.matcher(instance).matches()) {
			throw InvalidRateLimitException.property("ratelimit.instance", '"' + ReadableText.of(instance) + '"',
					"cannot name an instance", "Use 1 to 100 printable ASCII characters, such as shop-1, or remove it "
							+ "for the host and the port of the server.",
					null);
		}

		if (maximumWaiting != null) {
			check("waiting.maximum", maximumWaiting, 0, null, "Set it to the number of requests that may wait at once, "
					+ "from 0, or remove it for half of the server's connections.");
		}
		check("overrides.maximum-size", maximumOverrides, 0, null, "Use 0 for no override of a key, or more.");
	}

	private static <T extends Comparable<T>> void check(String property, T value, T least, @Nullable T most,
			String action) {
		if (value.compareTo(least) < 0 || (most != null && value.compareTo(most) > 0)) {
			throw InvalidRateLimitException.property("ratelimit." + property, value, "is out of range", action, null);
		}
	}

	/**
	 * Whether any address is configured to be exempt or denied.
	 */
	boolean decidesOnAddresses() {
		return !this.deny.addresses().isEmpty() || !this.exempt.addresses().isEmpty();
	}

	/**
	 * Clients of whom something is decided, whatever the limits say.
	 *
	 * @param addresses Addresses, or ranges such as 10.0.0.0/8, of clients, whatever they
	 * ask for. An IPv6 address without a length stands for the network of its client.
	 * @param keys Keys of policies, by the name of the policy, as its key expression
	 * computes them.
	 */
	public record Clients(@DefaultValue List<String> addresses, @DefaultValue Map<String, List<String>> keys) {

		boolean isEmpty() {
			return this.addresses.isEmpty() && this.keys.isEmpty();
		}

	}

	/**
	 * What is remembered of the plans that callers have.
	 *
	 * @param refresh How long the plan of a key is remembered before it is asked for
	 * again, in the background, from 1s to 1d.
	 * @param timeout Maximum time that a request waits for the first answer about its
	 * key's plan, up to 10s. Without an answer, the policy's own limits hold.
	 * @param maximumSize Maximum number of keys of each policy whose plans are
	 * remembered. Beyond it, keys that were not asked for again are forgotten.
	 * @param maximumMemory Maximum memory of the keys of all policies together whose
	 * plans are remembered or asked for, such as 64MB. Beyond it, the policy that takes
	 * most forgets keys. Defaults to a sixteenth of the heap.
	 */
	public record Plans(@DefaultValue("1m") Duration refresh, @DefaultValue("100ms") Duration timeout,
			@DefaultValue("100000") long maximumSize, @Nullable DataSize maximumMemory) {

		/**
		 * Checks the settings.
		 */
		public Plans {
			check("plans.refresh", refresh, Duration.ofSeconds(1), Duration.ofDays(1),
					"Set it to how long the plan of a caller is remembered, from 1s to 1d.");
			check("plans.timeout", timeout, Duration.ZERO, Duration.ofSeconds(10),
					"Set it to how long a request waits to learn its caller's plan, from 0 to 10s.");
			check("plans.maximum-size", maximumSize, 1L, null,
					"Set it to the number of keys of each policy whose plans are remembered, from 1.");
			if (maximumMemory != null) {
				check("plans.maximum-memory", maximumMemory, DataSize.ofBytes(1), null,
						"Set it to what the keys whose plans are remembered may take together, such as 64MB, or remove "
								+ "it for a sixteenth of the heap.");
			}
		}

		MemoryBudget memory() {
			if (this.maximumMemory == null) {
				return MemoryBudget.ofHeap();
			}
			return new MemoryBudget(this.maximumMemory.toBytes());
		}

	}

	/**
	 * A policy: a key and its limits, which are decided together. A single limit may be
	 * written without the list, directly in the policy.
	 *
	 * @param key Key expression, such as clientAddress, principal.name,
	 * header('X-Api-Key') or 'global'. Defaults to ratelimit.key.
	 * @param charge Expression for what a request is charged once it is over, such as
	 * status >= 400 or authenticationFailed: true for its cost, which it takes when it
	 * comes, false for nothing, or the number of permits. Defaults to its cost.
	 * @param chargeEach Expression for what each element of a stream is charged when it
	 * passes, such as result.tokens(), of which result is the element. The charge reads
	 * the sum as charged, and is the sum if there is none.
	 * @param algorithm Algorithm that counts requests. Defaults to token-bucket.
	 * @param limit Permits per window, from 1 to a million for each second of the window.
	 * @param window Window, from 1ms to 31d, such as 500ms, 10s, 1m or 1d; with a zone
	 * P1D, P1W, P1M or P1Y.
	 * @param zone Time zone whose days, weeks, months or years are the windows of the
	 * fixed window counter, such as Europe/Berlin.
	 * @param from Day that the windows of a zone begin with: of a week from 1 (Monday) to
	 * 7, of a month from 1 to 31, of a year its month and day, such as 04-06. Defaults to
	 * the first.
	 * @param burst Capacity of the token bucket, from 1, which defaults to the limit; or
	 * the number of requests that may be in the leaky bucket's queue, from 0, which is
	 * the default.
	 * @param delay Number of requests of the leaky bucket's burst that need not wait.
	 * Defaults to 0.
	 * @param nodelay Whether no request waits in the leaky bucket: a request that is
	 * allowed is allowed at once. Defaults to false.
	 * @param countRejected Whether the sliding window log counts rejected requests too,
	 * so that a client that keeps sending requests stays rejected. Defaults to false.
	 * @param limits Limits, in place of the single limit that can be written directly in
	 * the policy. A request is allowed if all of them allow it; otherwise no permit is
	 * taken from any of them.
	 * @param onFailure What decides while Redis is unavailable. Defaults to
	 * ratelimit.redis.on-failure. Only used with the store redis.
	 * @param mode Whether the policy is enforced. With inform it lets pass what it would
	 * reject, and code can ask whether it has. In shadow it decides, counts and tells
	 * listeners, but rejects and delays no request and sends no header. Defaults to
	 * enforce.
	 * @param ban Ban of keys that do not stop. Its numbers have defaults. Without it, no
	 * key is banned.
	 * @param shadowLimits Limits that are tried on the same requests, while the policy's
	 * own are enforced: they decide in shadow, each request for itself. Callers that have
	 * a plan are left out.
	 * @param plan Expression for the name of the plan that the caller has, such as
	 * claim('plan') or @plans.of(principal). Without it, a RateLimitPlanResolver bean
	 * says which. A caller without a plan has the policy's own limits.
	 * @param plans Plans that callers may have, by name.
	 * @param warnAt Shares of each limit, from 1% to 100%, such as 80%: when a key has
	 * used one, a RateLimitThresholdEvent is published. Without any, none is.
	 * @param maxWait Longest time, from 1ms to 1h, for which a request waits that would
	 * be allowed then: a permit is reserved for it. For a single limit that is no
	 * leaky-bucket, which has a queue. Defaults to none, so that nobody waits.
	 */
	public record Policy(@Nullable String key, @Nullable String charge, @Nullable String chargeEach,
			@Nullable RateLimitAlgorithm algorithm, @Nullable Long limit, @Nullable String window,
			@Nullable String zone, @Nullable String from, @Nullable Long burst, @Nullable Long delay,
			@Nullable Boolean nodelay, @Nullable Boolean countRejected, @DefaultValue List<Limit> limits,
			@Nullable FailureMode onFailure, @Nullable RateLimitMode mode, @Nullable Ban ban,
			@DefaultValue List<Limit> shadowLimits, @Nullable String plan, @DefaultValue Map<String, Plan> plans,
			@DefaultValue List<String> warnAt, @Nullable Duration maxWait) implements Limits {

		@Override
		public Limit single() {
			return new Limit(this.algorithm, this.limit, this.window, this.zone, this.from, this.burst, this.delay,
					this.nodelay, this.countRejected);
		}

	}

	/**
	 * A plan: limits in place of the policy's own. A single limit may be written without
	 * the list, directly in the plan.
	 *
	 * @param algorithm Algorithm that counts requests. Defaults to token-bucket.
	 * @param limit Permits per window, from 1 to a million for each second of the window.
	 * @param window Window, from 1ms to 31d, such as 500ms, 10s, 1m or 1d; with a zone
	 * P1D, P1W, P1M or P1Y.
	 * @param zone Time zone whose days, weeks, months or years are the windows of the
	 * fixed window counter, such as Europe/Berlin.
	 * @param from Day that the windows of a zone begin with: of a week from 1 (Monday) to
	 * 7, of a month from 1 to 31, of a year its month and day, such as 04-06. Defaults to
	 * the first.
	 * @param burst Capacity of the token bucket, from 1, which defaults to the limit; or
	 * the number of requests that may be in the leaky bucket's queue, from 0, which is
	 * the default.
	 * @param delay Number of requests of the leaky bucket's burst that need not wait.
	 * Defaults to 0.
	 * @param nodelay Whether no request waits in the leaky bucket: a request that is
	 * allowed is allowed at once. Defaults to false.
	 * @param countRejected Whether the sliding window log counts rejected requests too,
	 * so that a client that keeps sending requests stays rejected. Defaults to false.
	 * @param limits Limits, in place of the single limit that can be written directly in
	 * the plan. A request is allowed if all of them allow it; otherwise no permit is
	 * taken from any of them.
	 * @param unlimited Whether the policy does not limit callers of the plan, in place of
	 * limits.
	 */
	public record Plan(@Nullable RateLimitAlgorithm algorithm, @Nullable Long limit, @Nullable String window,
			@Nullable String zone, @Nullable String from, @Nullable Long burst, @Nullable Long delay,
			@Nullable Boolean nodelay, @Nullable Boolean countRejected, @DefaultValue List<Limit> limits,
			@DefaultValue("false") boolean unlimited) implements Limits {

		@Override
		public Limit single() {
			return new Limit(this.algorithm, this.limit, this.window, this.zone, this.from, this.burst, this.delay,
					this.nodelay, this.countRejected);
		}

	}

	/**
	 * Where limits are written: in a list, or a single one without it. The numbers of the
	 * single one can be overridden one by one, while Spring Boot replaces a list whole.
	 */
	interface Limits {

		Limit single();

		List<Limit> limits();

	}

	/**
	 * A ban: a key that was rejected too often is kept out for a time, and for longer
	 * each further time. It is forgotten once the key has behaved for as long as its last
	 * ban, at least for the time in which rejections count.
	 *
	 * @param after Number of rejections that begin a ban, from 1 to 1000.
	 * @param within Time in which these rejections must come, from 1ms to 366d.
	 * @param duration Duration of the first ban, from 1ms to 366d.
	 * @param multiplier Factor by which each further ban is longer, from 1 to 1000.
	 * @param max Longest ban, from the duration of the first one to 366d.
	 */
	public record Ban(@DefaultValue("3") int after, @DefaultValue("10m") Duration within,
			@Name("for") @DefaultValue("5m") Duration duration, @DefaultValue("2") double multiplier,
			@DefaultValue("24h") Duration max) {
	}

	/**
	 * A limit: an algorithm with its numbers. A number that the algorithm does not use is
	 * an error.
	 *
	 * @param algorithm Algorithm that counts requests. Defaults to token-bucket.
	 * @param limit Permits per window, from 1 to a million for each second of the window.
	 * @param window Window, from 1ms to 31d, such as 500ms, 10s, 1m or 1d; with a zone
	 * P1D, P1W, P1M or P1Y.
	 * @param zone Time zone whose days, weeks, months or years are the windows of the
	 * fixed window counter, such as Europe/Berlin.
	 * @param from Day that the windows of a zone begin with: of a week from 1 (Monday) to
	 * 7, of a month from 1 to 31, of a year its month and day, such as 04-06. Defaults to
	 * the first.
	 * @param burst Capacity of the token bucket, from 1, which defaults to the limit; or
	 * the number of requests that may be in the leaky bucket's queue, from 0, which is
	 * the default.
	 * @param delay Number of requests of the leaky bucket's burst that need not wait.
	 * Defaults to 0.
	 * @param nodelay Whether no request waits in the leaky bucket: a request that is
	 * allowed is allowed at once. Defaults to false.
	 * @param countRejected Whether the sliding window log counts rejected requests too,
	 * so that a client that keeps sending requests stays rejected. Defaults to false.
	 */
	public record Limit(@Nullable RateLimitAlgorithm algorithm, @Nullable Long limit, @Nullable String window,
			@Nullable String zone, @Nullable String from, @Nullable Long burst, @Nullable Long delay,
			@Nullable Boolean nodelay, @Nullable Boolean countRejected) {

		/* What is given, by the names of the properties. */
		Map<String, Object> given() {
			String algorithm = (this.algorithm != null) ? this.algorithm.id() : null;
			Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
			numbers.put("limit", this.limit);
			numbers.put("window", this.window);
			numbers.put("zone", this.zone);
			numbers.put("from", this.from);
			numbers.put("algorithm", algorithm);
			numbers.put("burst", this.burst);
			numbers.put("delay", this.delay);
			numbers.put("nodelay", this.nodelay);
			numbers.put("count-rejected", this.countRejected);
			numbers.values().removeAll(Collections.singleton(null));
			return numbers;
		}

	}

	/**
	 * A rule: the requests that a policy applies to.
	 *
	 * @param path Pattern of the paths, in Spring's syntax, such as /api/** or
	 * /users/{id}, without the context path.
	 * @param except Patterns of paths among them that the rule does not apply to, such as
	 * /api/health.
	 * @param methods HTTP methods, in any case. Defaults to all of them. GET covers HEAD.
	 * @param policy Name of the policy to enforce.
	 * @param key Key expression, such as clientAddress or parameter('username'). Defaults
	 * to the policy's key.
	 * @param cost Expression for the number of permits that a request takes, from 1.
	 * Defaults to 1.
	 * @param condition Expression for whether a request is limited at all, such as
	 * header('X-Internal') == null. Defaults to true.
	 * @param phase When to enforce the rule. Defaults to before Spring Security, or after
	 * it if an expression reads the authenticated user or calls code that may read it.
	 */
	public record Rule(@Nullable String path, @DefaultValue List<String> except, @DefaultValue List<String> methods,
			@Nullable String policy, @Nullable String key, @Nullable String cost, @Nullable String condition,
			@Nullable Phase phase) {

		/**
		 * Creates a rule.
		 */
		public Rule {
			methods = methods.stream().map((method) -> method.toUpperCase(Locale.ROOT)).toList();
		}

		/* Shows to people which requests it matches. */
		@Override
		public String toString() {
			String paths = String.valueOf(this.path);
			if (!this.except.isEmpty()) {
				paths += " except " + String.join(", ", this.except);
			}
			if (this.methods.isEmpty()) {
				return paths;
			}
			return String.join(", ", this.methods) + " " + paths;
		}

	}

	/**
	 * The client's address.
	 *
	 * @param trustedProxies Addresses, or ranges such as 10.0.0.0/8, of the proxies whose
	 * forwarded headers are trusted. If empty, the address of the connection is used.
	 * @param header Header that the trusted proxies send the address in: x-forwarded-for,
	 * forwarded, or the name of a header that holds a single address, such as X-Real-IP.
	 * If not set, X-Forwarded-For or Forwarded, whichever the proxies send.
	 * @param ipv6Prefix Number of bits of an IPv6 address that identify a client, from 1
	 * to 128.
	 */
	public record ClientAddress(@DefaultValue List<String> trustedProxies, @Nullable String header,
			@DefaultValue("64") int ipv6Prefix) {
	}

	/**
	 * Store in this process.
	 *
	 * @param maximumSize Maximum number of keys of each policy. Beyond it, the key that
	 * is least likely to be used again is evicted, and has all its permits again.
	 * @param maximumMemory Maximum memory of the keys of all policies together, such as
	 * 64MB. Beyond it, the policy that takes most evicts keys. Defaults to a sixteenth of
	 * the heap.
	 */
	public record Caffeine(@DefaultValue("100000") long maximumSize, @Nullable DataSize maximumMemory) {

		/**
		 * Checks the settings.
		 */
		public Caffeine {
			check("caffeine.maximum-size", maximumSize, 1L, null,
					"Set it to the number of keys to keep for each policy, from 1.");
			if (maximumMemory != null) {
				check("caffeine.maximum-memory", maximumMemory, DataSize.ofBytes(1), null,
						"Set it to what the keys of all policies may take together, such as 64MB, or remove it for a "
								+ "sixteenth of the heap.");
			}
		}

		LocalRateLimitStore store(RateLimitClock clock) {
			if (this.maximumMemory == null) {
				return new LocalRateLimitStore(clock, this.maximumSize);
			}
			return new LocalRateLimitStore(clock, this.maximumSize, this.maximumMemory.toBytes());
		}

	}

	/**
	 * Store in Redis. The connection is configured under spring.data.redis.
	 *
	 * @param keyPrefix Prefix of all keys in Redis. Applications with the same prefix and
	 * policy share its budget.
	 * @param timeout Maximum time that a decision waits for Redis.
	 * @param onFailure What decides while Redis is unavailable. A policy can override it.
	 * @param retryInterval Interval between attempts to reach Redis while it is
	 * unavailable. Other requests do not wait for these attempts.
	 * @param rejectionMemory Maximum time that a rejection is remembered in this process,
	 * so that a client that keeps sending requests does not reach Redis. A key that
	 * another instance resets may stay rejected for as long. 0 to remember none.
	 * @param instances Number of instances of the application that share the budgets,
	 * from 1. With on-failure: local, each of them enforces its share of every limit, at
	 * least one permit, while Redis is unavailable.
	 */
	public record Redis(@DefaultValue("ratelimit") String keyPrefix, @DefaultValue("100ms") Duration timeout,
			@DefaultValue("local") FailureMode onFailure, @DefaultValue("1s") Duration retryInterval,
			@DefaultValue("1s") Duration rejectionMemory, @DefaultValue("1") int instances) {

		/**
		 * Checks the settings.
		 */
		public Redis {
			if (!keyPrefix.matches("[!-z|~&&[^{}]]{1,64}")) {
				throw InvalidRateLimitException.property("ratelimit.redis.key-prefix", keyPrefix,
						"is not 1 to 64 printable ASCII characters without spaces and braces",
						"Use a short name of the application, such as shop.", null);
			}
			check("redis.timeout", timeout, Duration.ofMillis(1), MINUTE, "Use a time from 1ms to 1m.");
			check("redis.retry-interval", retryInterval, Duration.ofMillis(1), MINUTE, "Use a time from 1ms to 1m.");
			check("redis.rejection-memory", rejectionMemory, Duration.ZERO, MINUTE, "Use a time from 0ms to 1m.");
			check("redis.instances", instances, 1, null,
					"Set it to the number of instances that share the budgets, from 1.");
		}

	}

	/**
	 * Messages of the Model Context Protocol (MCP).
	 *
	 * @param endpoints Patterns of the paths that take messages, such as /mcp, without
	 * the context path. Empty for none. Defaults to the endpoints of Spring AI's MCP
	 * server, if the application has one.
	 * @param errorCode Code of the JSON-RPC error that a rejected message is answered
	 * with.
	 * @param maximumMessageSize Maximum size of a message that is read, from 1KB to 64MB.
	 * Where a rule reads messages, a larger one is refused.
	 */
	public record Mcp(@Nullable List<String> endpoints, @DefaultValue("429") int errorCode,
			@DefaultValue("1MB") DataSize maximumMessageSize) {

		/**
		 * Checks the settings.
		 */
		public Mcp {
			if (endpoints != null && endpoints.stream().anyMatch(String::isBlank)) {
				throw InvalidRateLimitException.property("ratelimit.mcp.endpoints", String.join(", ", endpoints),
						"has an endpoint that is blank", "Write paths such as /mcp, or nothing at all, for none.",
						null);
			}
			check("mcp.maximum-message-size", maximumMessageSize, DataSize.ofKilobytes(1), DataSize.ofMegabytes(64),
					"Set it to the size of the largest message that is to be served, from 1KB to 64MB.");
		}

	}

	/**
	 * Where the state of every key is held.
	 */
	public enum StoreType {

		/**
		 * In this process. Each instance of the application has its own budgets.
		 */
		CAFFEINE,

		/**
		 * In Redis. All instances of the application share one budget. Needs
		 * spring-boot-starter-data-redis, and uses the application's own connection.
		 */
		REDIS

	}

	/**
	 * When a rule is enforced.
	 */
	public enum Phase {

		/**
		 * Before Spring Security. Requests that it would not let through count, too.
		 */
		BEFORE_SECURITY,

		/**
		 * After Spring Security. The authenticated user is known, and only requests that
		 * were let through count.
		 */
		AFTER_SECURITY

	}

}
