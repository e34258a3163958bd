package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.resilience.FailureMode;
import io.github.ratelimit.web.HeaderFamily;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What can be configured under {@code ratelimit}. A property that is not known is an
 * error, so that a misspelt one is not silently ignored.
 *
 * @param enabled Whether anything is limited. With false, annotations and rules have no
 * effect, and what is injected as RateLimiterRegistry allows all.
 * @param store Where the state of every key lives.
 * @param key Who is being limited where nothing else says so: an expression such as
 * clientAddress, principal.name or header('X-Api-Key'). The default is the single
 * KeyResolver bean, if the application has one, or else clientAddress.
 * @param policies Policies by name. Enforced where a rule or an annotation names them. A
 * policy with the name of an annotated limit, such as "[SearchController.search]",
 * overrides the annotation's numbers.
 * @param rules What the servlet filter enforces, without touching code. All rules that
 * match a request apply.
 * @param headers Families of response headers to send. Empty for none; Retry-After is
 * sent with every 429 nevertheless.
 * @param clientAddress How the client's address is found.
 * @param caffeine The store in this process.
 * @param redis The store in Redis, which all instances of the application share.
 * @param waiting Requests and calls that leaky buckets delay.
 */
@ConfigurationProperties(prefix = "ratelimit", ignoreUnknownFields = false)
public record RateLimitProperties(@DefaultValue("true") boolean enabled, @DefaultValue("caffeine") StoreType store,
		@Nullable String key, @DefaultValue Map<String, Policy> policies, @DefaultValue List<Rule> rules,
		@DefaultValue( {
				"rate-limit", "x-rate-limit" }) List<HeaderFamily> headers,
		@DefaultValue ClientAddress clientAddress, @DefaultValue Caffeine caffeine, @DefaultValue Redis redis,
		@DefaultValue Waiting waiting){

	/**
	 * A policy: a key and its limits, which are decided together.
	 *
	 * @param key Who is being limited: an expression such as clientAddress,
	 * principal.name, header('X-Api-Key') or 'global'. The default is ratelimit.key.
	 * @param limits The limits. All must agree, or nothing is taken from any of them.
	 * @param onFailure With the store redis: who decides while Redis cannot. The default
	 * is ratelimit.redis.on-failure.
	 */
	public record Policy(@Nullable String key, @DefaultValue List<Limit> limits, @Nullable FailureMode onFailure) {
	}

	/**
	 * A limit: an algorithm with its numbers. A number that the algorithm does not use is
	 * an error.
	 *
	 * @param algorithm How requests are counted.
	 * @param limit Permits per window, from 1 to a million for each second of the window.
	 * @param window The window, from 1ms to 31d, such as 500ms, 10s, 1m or 1d.
	 * @param burst Of the token bucket: its capacity, from 1, by default the limit. Of
	 * the leaky bucket: how many requests may be in the queue, from 0, which is the
	 * default.
	 * @param delay Of the leaky bucket: how many of the burst need not wait. The default
	 * is 0.
	 * @param nodelay Of the leaky bucket: whether nobody waits, so that what may pass
	 * passes at once.
	 * @param countRejected Of the sliding window log: whether rejected requests count
	 * too, so that a client that keeps asking stays out.
	 */
	public record Limit(@DefaultValue("token-bucket") RateLimitAlgorithm algorithm, @Nullable Long limit,
			@Nullable Duration window, @Nullable Long burst, @Nullable Long delay,
			@DefaultValue("false") boolean nodelay, @DefaultValue("false") boolean countRejected) {
	}

	/**
	 * A rule: the requests that a policy applies to.
	 *
	 * @param path The pattern of the paths, in Spring's syntax, such as /api/** or
	 * /users/{id}, without the context path.
	 * @param methods The HTTP methods, in any case. The default is all of them. GET
	 * covers HEAD.
	 * @param policy The name of the policy to enforce.
	 * @param phase When the rule is enforced. By default before Spring Security, or after
	 * it where the key reads the authenticated user, or calls code that might.
	 */
	public record Rule(@Nullable String path, @DefaultValue List<String> methods, @Nullable String policy,
			@Nullable RulePhase phase) {

		/**
		 * Creates a rule.
		 */
		public Rule {
			methods = methods.stream().map((method) -> method.toUpperCase(Locale.ROOT)).toList();
		}

	}

	/**
	 * How the client's address is found.
	 *
	 * @param trustedProxies Addresses, or ranges such as 10.0.0.0/8, of the proxies that
	 * are believed when they say for whom they forward a request. Without them, the
	 * address of the connection counts.
	 * @param header The header in which the trusted proxies say it: x-forwarded-for,
	 * forwarded, or the name of one that holds a single address, such as X-Real-IP.
	 * Without it, X-Forwarded-For or Forwarded, whichever of them the proxies send.
	 * @param ipv6Prefix How many bits of an IPv6 address tell one client from another,
	 * from 1 to 128.
	 */
	public record ClientAddress(@DefaultValue List<String> trustedProxies, @Nullable String header,
			@DefaultValue("64") int ipv6Prefix) {
	}

	/**
	 * The store in this process.
	 *
	 * @param maximumSize How many keys to keep for each policy. Past it, the key that is
	 * least likely to be asked for again is forgotten, which forgives its caller.
	 * @param maximumMemory How much of the heap the keys of all policies may take
	 * together, such as 64MB. Past it, the policy that takes most forgets keys. The
	 * default is a sixteenth of the heap.
	 */
	public record Caffeine(@DefaultValue("100000") long maximumSize, @Nullable DataSize maximumMemory) {
	}

	/**
	 * Requests and calls that leaky buckets delay.
	 *
	 * @param maximum How many may wait at once, over all policies and keys, without
	 * holding a thread of the platform. Beyond it, those that would have to wait are
	 * rejected; 0 for nobody waits. The default is half of the server's connections where
	 * their number is known, or else 1000.
	 */
	public record Waiting(@Nullable Integer maximum) {
	}

	/**
	 * The store in Redis. The connection is configured under spring.data.redis.
	 *
	 * @param keyPrefix What all of the store's keys begin with. Applications with the
	 * same prefix and policy share its budget.
	 * @param timeout How long a decision waits for Redis at most.
	 * @param onFailure Who decides while Redis cannot, unless the policy says otherwise.
	 * @param retryInterval How often Redis is tried again while it does not answer. Other
	 * requests do not wait for it meanwhile.
	 * @param rejectionMemory How long a rejection is remembered in this process at most,
	 * so that a client that keeps asking does not reach Redis. A key that is reset
	 * elsewhere may stay rejected for as long. 0 for not at all.
	 * @param instances How many instances of the application share the budgets, from 1.
	 * With on-failure: local, each enforces that part of every limit by itself while
	 * Redis cannot decide, and at least one permit.
	 */
	public record Redis(@DefaultValue("ratelimit") String keyPrefix, @DefaultValue("100ms") Duration timeout,
			@DefaultValue("local") FailureMode onFailure, @DefaultValue("1s") Duration retryInterval,
			@DefaultValue("1s") Duration rejectionMemory, @DefaultValue("1") int instances) {
	}

}
