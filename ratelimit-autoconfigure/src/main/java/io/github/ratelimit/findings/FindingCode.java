package io.github.ratelimit.findings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.springframework.core.io.ClassPathResource;

/**
 * The kinds of findings, each with the code that documentation and people call it by. A
 * code is never given to anything else.
 *
 * @since 0.1.0
 */
public enum FindingCode {

	/** A rule has matched no request. */
	UNMATCHED_RULE("RL001", false,
			"Correct the rule's path or methods, or remove the rule. If such requests are rare, leave it."),

	/** No rule and no annotation applies a policy, and no code asks it. */
	UNUSED_POLICY("RL002", true, "Apply the policy by a rule or an annotation, or remove it if no code asks it."),

	/** There are rules, and no filter that enforces them. */
	UNENFORCED_RULES("RL003", true, "Remove the rules, and annotate methods."),

	/**
	 * Variables are no property, or of no policy; or properties begin nearly as ours do.
	 */
	IGNORED_PROPERTIES("RL004", true,
			"Correct the name. Or write the policy in a file, and a placeholder for its number."),

	/** Methods of different classes would have the same policy name. */
	SHARED_NAME("RL005", false, "Give each annotation a name."),

	/** A rule is written for preflight requests. */
	LIMITED_PREFLIGHTS("RL006", true,
			"Remove OPTIONS from the rule's methods: let the requests themselves be limited."),

	/** A rule matches the requests that probe the application's health. */
	LIMITED_HEALTH("RL007", true,
			"Leave probes out of the rule: by except, such as /actuator/health/**, by a narrower path or by a condition."),

	/** Whoever reaches the application can reset keys and change limits. */
	OPEN_ENDPOINT("RL008", true,
			"Secure the endpoint, remove what sets its access to unrestricted, or serve it on a port of its own, with "
					+ "management.server.port."),

	/** Each of several instances has budgets of its own. */
	LOCAL_STORE("RL009", false, "If there are several instances, set ratelimit.store to redis."),

	/** Redis forgets keys that still count when its memory is full. */
	REDIS_EVICTS("RL010", true,
			"Set maxmemory-policy to noeviction or volatile-ttl, or give limits a server of their own."),

	/** Redis forgets the keys that expire first when its memory is full. */
	REDIS_EVICTS_SHORTEST("RL011", false, "Watch its evicted_keys, and give it more memory if they grow."),

	/** Redis is older than what limits are tested with. */
	OLD_REDIS("RL012", true, "Use a newer server."),

	/** Two apply what proxies send. */
	FORWARDED_TWICE("RL013", true,
			"Remove trusted-proxies, or what else applies forwarded fields: clients can choose their address."),

	/** All requests come from the address of what looks like a proxy. */
	UNTRUSTED_PROXY("RL014", true, "Set ratelimit.client-address.trusted-proxies to the addresses of your proxies."),

	/** No request has come from a trusted proxy. */
	UNSEEN_PROXY("RL015", true, "Correct ratelimit.client-address.trusted-proxies, or remove it if there is no proxy."),

	/** The trusted proxies do not send the field that is read. */
	PROXY_WITHOUT_ADDRESS("RL016", true,
			"Let the proxies send the field, or set ratelimit.client-address.header to the one that they send."),

	/** Another filter answers requests that a rule matches. */
	EARLIER_FILTER("RL017", false,
			"If those requests are to be limited, give the other filter an order after that of the rate limits."),

	/** A key was empty for each of its first hundred requests. */
	KEY_ALWAYS_EMPTY("RL018", true, "Correct the key, or use clientAddress, which is what limits these requests."),

	/** An expression has failed. */
	FAILED_EXPRESSION("RL019", true, "Correct the expression that the log names."),

	/** An answer named a plan that the policy does not have. */
	UNKNOWN_PLAN("RL020", true, "Add the plan that the log names, or correct what says who has which plan."),

	/** Keys were forgotten while they still counted. */
	EVICTED_KEYS("RL021", true,
			"Raise ratelimit.caffeine.maximum-size, or maximum-memory if ratelimit.keys is below it."),

	/** A limit has rejected and delayed nobody for a month. */
	NEVER_REACHED("RL022", false, "Lower the limit if it is to protect anything, or remove it."),

	/** A limit rejects more than it allows. */
	REJECTS_MOST("RL023", true,
			"See who is rejected: raise the limit if they are your users, or ban keys that do not stop."),

	/** A policy has been tried for a month. */
	LONG_IN_SHADOW("RL024", false, "Enforce the policy by removing mode: shadow, or remove it."),

	/** A policy is called as an operation of the endpoint. */
	RESERVED_NAME("RL025", true, "Rename the policy."),

	/** A charge is for one status that says no, which a client can turn into another. */
	ONE_STATUS_CHARGED("RL026", true, "Write status >= 400, which counts whatever says no."),

	/** Passwords can be guessed by HTTP Basic where no limit counts them. */
	UNLIMITED_BASIC("RL027", true,
			"Add a rule for /** with the condition header('Authorization') != null, or let Spring Security accept no "
					+ "HTTP Basic there."),

	/** The key of a limited login is missing where a request does not have it. */
	NAMELESS_LOGIN("RL028", true,
			"Give requests without it a key that they share, such as folded(parameter('username')) ?: 'no name'."),

	/** The store that keeps the state does not read some properties. */
	UNUSED_STORE_PROPERTIES("RL029", false,
			"Set ratelimit.store to redis, if Redis is meant, and remove a bean of type RateLimitStore, which takes its "
					+ "place; or remove the properties, if they are not for another profile."),

	/** A cache answers for a route of a gateway before the route's limit is asked. */
	CACHED_ROUTE("RL030", true,
			"Limit the route by a rule, which is asked first, if what comes from the cache is to take permits.");

	private final String id;

	private final boolean warning;

	private final String action;

	FindingCode(String id, boolean warning, String action) {
		this.id = id;
		this.warning = warning;
		this.action = action;
	}

	/**
	 * The code, such as {@code RL001}.
	 * @return the code
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Whether something should be changed.
	 * @return {@code false} if it only may be worth knowing
	 */
	public boolean isWarning() {
		return this.warning;
	}

	/**
	 * The action to take.
	 * @return one sentence or more
	 */
	public String action() {
		return this.action;
	}

	/**
	 * The page where the documentation says more, whose address the build knows.
	 * @return the address of the page, and its anchor
	 */
	public String link() {
		try {
			return new ClassPathResource("documentation-url.txt", FindingCode.class)
				.getContentAsString(StandardCharsets.UTF_8)
				.strip() + "/findings.md#" + this.id.toLowerCase(Locale.ROOT);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
