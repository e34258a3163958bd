package io.github.ratelimit.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.actuate.RateLimitsDescriptor.FindingDescriptor;
import io.github.ratelimit.actuate.RateLimitsDescriptor.InstanceDescriptor;
import io.github.ratelimit.actuate.RateLimitsDescriptor.PublishedDescriptor;
import io.github.ratelimit.actuate.RateLimitsDescriptor.StoreHealthDescriptor;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows every policy and the state of each key. If writing is
 * asked for with {@code management.endpoint.ratelimits.access}, it resets and bans keys
 * and overrides numbers while the application runs. Otherwise, whoever may look could
 * undo a limit on guessing.
 */
@Endpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
final class RateLimitsEndpoint {

	private static final String ABSENT = "Not there";

	private static final Set<String> WORDS = Set.of(OverrideOperations.WORD, InterventionOperations.BAN, "history",
			"advice", "rejected");

	private final StoreRateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final UnaryOperator<String> addresses;

	final OverrideOperations overrides;

	final InterventionOperations interventions;

	private final Parts parts;

	/**
	 * Creates the endpoint.
	 * @param registry has the limiters whose policies are shown
	 * @param binder knows the keys of policies
	 * @param addresses writes a client's address as requests have it
	 * @param reader reads overrides, or {@code null} if none can be sent
	 * @param parts what else the endpoint shows
	 */
	RateLimitsEndpoint(StoreRateLimiterRegistry registry, PolicyBinder binder, UnaryOperator<String> addresses,
			@Nullable OverrideReader reader, Parts parts) {
		this.parts = parts;
		this.registry = registry;
		this.binder = binder;
		this.addresses = addresses;
		this.overrides = new OverrideOperations(registry, reader, this::stateKey);
		this.interventions = new InterventionOperations(registry, reader, this::stateKey,
				(limiter) -> binder.keyOf(limiter.policy()));
	}

	/**
	 * Shows every policy, and what was found.
	 * @return the policies, by name
	 */
	@ReadOperation
	public RateLimitsDescriptor rateLimits() {
		RunningInstance instance = this.parts.instance();
		InstanceReports reports = this.parts.reports();
		SharedCounts shared = (reports != null) ? reports.read() : null;
		List<PublishedDescriptor> instances = null;
		Instant asOf = null;
		if (shared != null) {
			instances = shared.instances(instance);
			asOf = shared.asOf();
		}

		Map<String, PolicyDescriptor> policies = new TreeMap<>();
		this.registry.policies().forEach((limiter) -> policies.put(limiter.policy().name(), describe(limiter, shared)));
		RateLimitStoreAvailability availability = this.parts.availability();
		StoreHealthDescriptor health = (availability != null) ? StoreHealthDescriptor.of(availability) : null;
		return new RateLimitsDescriptor(InstanceDescriptor.of(instance), instances, asOf, this.registry.storeName(),
				health, this.parts.writable(), policies,
				this.parts.findings().get().stream().map(FindingDescriptor::of).toList(), this.interventions.bans(),
				this.interventions.newest(Kind.EXEMPT), this.interventions.newest(Kind.DENY));
	}

	private PolicyDescriptor describe(StoreRateLimiter limiter, @Nullable SharedCounts shared) {
		RateLimitPolicy policy = limiter.policy();
		RateLimitHistory history = this.parts.history();
		Map<String, Long> recent = (history != null) ? history.recent(policy.name()) : null;
		PolicyCounts allInstances = null;
		if (shared != null) {
			allInstances = shared.sum(policy.name(), PolicyCounts.of(limiter, recent));
		}
		return PolicyDescriptor.of(limiter, this.binder.keyOf(policy), recent, allInstances,
				this.overrides.list(policy.name()));
	}

	/**
	 * Shows what all policies decided in the last hour.
	 * @return the requests of each policy, or {@code null} if nothing keeps them
	 */
	@Nullable HourDescriptor hour() {
		RateLimitHistory history = this.parts.history();
		return (history != null) ? history.hour() : null;
	}

	/**
	 * Shows the state of a key, without changing it.
	 * @param policy the policy's name
	 * @param key the key's value, such as an address; of a policy whose key is a literal
	 * such as {@code 'global'}, the literal without its quotes; {@code address:} and an
	 * address is the key of a client whose own key is empty
	 * @return the key's state, and the key as requests have it; a key that was never used
	 * has all its permits; {@code null} if there is no such policy
	 */
	@ReadOperation
	public @Nullable KeyDescriptor key(@Selector String policy, @Nullable String key) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return null;
		}
		return describe(limiter, stateKey(limiter, key));
	}

	/**
	 * Resets a key, so that it has all its permits and the policy does not ban it. A ban
	 * by hand stays.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return the key's new state; {@code null} if there is no such policy
	 */
	@DeleteOperation
	public @Nullable KeyDescriptor reset(@Selector String policy, @Nullable String key) {
		if (!forget(policy, key)) {
			return null;
		}
		return key(policy, key);
	}

	/**
	 * Resets a key, without looking at what it then has.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return whether there is such a policy
	 */
	boolean forget(String policy, @Nullable String key) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return false;
		}
		String stateKey = stateKey(limiter, key);
		try {
			limiter.reset(stateKey);
		}
		catch (IllegalStateException ex) {
			throw new InvalidOperationException("Not reset", 503, ex.getMessage() + ".",
					"Reset it once the store answers again.", null, null);
		}
		return true;
	}

	/*
	 * While the store cannot be asked, something else decides, which knows nothing of
	 * what the key has in the store.
	 */
	private KeyDescriptor describe(StoreRateLimiter limiter, String stateKey) {
		RateLimitStanding standing = limiter.peek(stateKey);
		if (standing.fallback()) {
			throw new InvalidOperationException("Not known", 503,
					"What the key has left is not known, because the store cannot be asked.",
					"Look again once the store answers. Until then, on-failure decides.", null, null);
		}
		return KeyDescriptor.of(limiter, stateKey, standing,
				this.overrides.find(new RateLimitOverride.Target(limiter.policy().name(), null, stateKey)),
				this.interventions.of(limiter.policy().name(), stateKey));
	}

	/**
	 * Shows a detail of a policy: what is overridden, the policy or a plan or a key of
	 * it; or something else. Over JMX clients see the name of this operation, and in the
	 * links of the endpoint that of the parameter which names the detail.
	 * @param policy the policy's name
	 * @param override the word {@code override}; or {@code ban} for the keys that are
	 * banned by hand, {@code history} for what the policy decided lately, {@code advice}
	 * for limits that its callers need, {@code rejected} for the keys that were rejected
	 * most, as hashes
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @return what was asked for; {@code null} if there is none
	 */
	@ReadOperation
	public @Nullable OperationResponseBody overridden(@Selector String policy, @Selector String override,
			@Nullable String key, @Nullable String plan) {
		if (override.equals(InterventionOperations.BAN)) {
			return this.interventions.bans(policy, key);
		}
		OperationResponseBody view = view(policy, override, false);
		if (view != null) {
			return view;
		}
		RateLimitOverride.Target target = this.overrides.target(policy, override, key, plan);
		return (target != null) ? this.overrides.find(target) : null;
	}

	/**
	 * Shows something about a policy but its overrides.
	 * @param policy the policy's name
	 * @param word what to show
	 * @param showsKeys whether the caller may see keys
	 * @return {@code null} if there is no such policy or word, or nothing is known
	 */
	@Nullable OperationResponseBody view(String policy, String word, boolean showsKeys) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return null;
		}
		return switch (word) {
			case "history" -> history(policy);
			case "rejected" -> RejectedKeysDescriptor.of(this.parts.instance().name(), limiter, showsKeys);
			case "advice" -> advice(limiter);
			default -> null;
		};
	}

	private @Nullable OperationResponseBody history(String policy) {
		RateLimitHistory history = this.parts.history();
		return (history != null) ? history.find(policy) : null;
	}

	private static @Nullable OperationResponseBody advice(StoreRateLimiter limiter) {
		if (limiter.requestObserver() instanceof ObservedTraffic traffic) {
			return AdviceDescriptor.of(limiter, traffic.advice());
		}
		return null;
	}

	/**
	 * Overrides a policy, or a plan or a key of it.
	 * @param policy the policy's name
	 * @param override what is to be in force, as a JSON object with the members
	 * {@code limits}, {@code mode}, {@code for} and {@code reason}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override that it replaces, 0 for none, or
	 * {@code null} for any
	 * @return the override that is in force; {@code null} if there is no such policy
	 */
	@WriteOperation
	public @Nullable OverrideDescriptor override(@Selector String policy, String override, @Nullable String key,
			@Nullable String plan, @Nullable String version) {
		RateLimitOverride.Target target = this.overrides.target(policy, OverrideOperations.WORD, key, plan);
		if (target == null) {
			return null;
		}
		return this.overrides.put(target, override, version, null).override();
	}

	/**
	 * Bans a key of a policy, whatever the policy says of bans.
	 * @param policy the policy's name
	 * @param word the word {@code ban}
	 * @param override how long, and why, as a JSON object with the members {@code for}
	 * and {@code reason}
	 * @param key the key's value, or {@code null} beside a hash
	 * @param hash the hash of a key that this instance has rejected, or {@code null}
	 * @return the ban that is in force; {@code null} if there is no such policy or word
	 */
	@WriteOperation
	public @Nullable InterventionDescriptor ban(@Selector String policy, @Selector String word, String override,
			@Nullable String key, @Nullable String hash) {
		if (!word.equals(InterventionOperations.BAN)) {
			return null;
		}
		return this.interventions.ban(policy, key, hash, override, null);
	}

	/**
	 * Takes an override back, or ends a ban.
	 * @param policy the policy's name
	 * @param override the word {@code override} or {@code ban}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override, or {@code null} for any
	 * @return {@code null}
	 */
	@DeleteOperation
	public @Nullable OverrideDescriptor takeBack(@Selector String policy, @Selector String override,
			@Nullable String key, @Nullable String plan, @Nullable String version) {
		if (override.equals(InterventionOperations.BAN)) {
			this.interventions.endBan(policy, key, null);
			return null;
		}
		RateLimitOverride.Target target = this.overrides.target(policy, override, key, plan);
		if (target != null) {
			this.overrides.remove(target, version, null);
		}
		return null;
	}

	/*
	 * No request has an empty key, so that its state would be misleading.
	 */
	private String stateKey(StoreRateLimiter limiter, @Nullable String key) {
		if (key == null || key.isEmpty()) {
			throw new InvalidOperationException("Invalid key", 400, "The key is missing or empty.", "Give it a value.",
					null, null);
		}
		return this.binder.stateKey(key, limiter, this.addresses);
	}

	boolean isPolicy(String policy) {
		return this.registry.find(policy) != null;
	}

	UnknownPolicyDescriptor unknown(String policy) {
		List<String> known = this.registry.policies().stream().map((each) -> each.policy().name()).sorted().toList();
		return new UnknownPolicyDescriptor(
				("There is no rate limit policy named '" + policy + "'. " + Suggestion.question(policy, known)).strip(),
				known);
	}

	/**
	 * Creates the answer that says why a word cannot be taken back.
	 * @param word what was to be taken back
	 * @return what to answer, or {@code null} if it is the override, or no word
	 */
	@Nullable InvalidOperationException readOnly(String word) {
		boolean changeable = word.equals(OverrideOperations.WORD) || word.equals(InterventionOperations.BAN);
		if (changeable || !WORDS.contains(word)) {
			return null;
		}
		return new InvalidOperationException(ABSENT, 404, "There is no '" + word + "' that could be taken back.",
				"DELETE takes back '" + OverrideOperations.WORD + "' and '" + InterventionOperations.BAN + "' only.",
				null, null);
	}

	/**
	 * Creates the answer that says why nothing is put in force by a word of a policy.
	 * @param policy the policy's name
	 * @param word the word that was sent to
	 * @return the answer, or {@code null} if there is no such policy
	 */
	@Nullable InvalidOperationException notPut(String policy, String word) {
		if (this.registry.find(policy) == null) {
			return null;
		}
		if (word.equals(OverrideOperations.WORD)) {
			return new InvalidOperationException(ABSENT, 404, "An override is sent to the policy itself.",
					"POST it to the policy, without the word behind it.", null, null);
		}
		return new InvalidOperationException(ABSENT, 404,
				"There is no '" + ReadableText.of(word) + "' of a policy that could be put in force.",
				"POST to a policy, or to its '" + InterventionOperations.BAN + "'.", null, null);
	}

	/**
	 * Creates the answer that says why nothing is shown for a word of a policy.
	 * @param policy the policy's name
	 * @param word the word that was asked for
	 * @return the answer, or {@code null} if there is no such policy
	 */
	@Nullable InvalidOperationException absent(String policy, String word) {
		if (this.registry.find(policy) == null) {
			return null;
		}
		if (word.equals("advice")) {
			return new InvalidOperationException(ABSENT, 404,
					"The advisor is turned off, so that no request is observed.",
					"Set ratelimit.advice.enabled to true, and start the application again.", null, null);
		}
		String readable = ReadableText.of(word);
		return new InvalidOperationException(ABSENT, 404, "There is no '" + readable + "' of a policy.",
				Suggestion.of(readable, WORDS), null, null);
	}

	/**
	 * The parts that the endpoint shows beside policies and keys.
	 *
	 * @param instance this instance of the application
	 * @param reports what the other instances have counted, or {@code null} if they share
	 * nothing
	 * @param history what was decided lately, or {@code null} if nothing keeps it
	 * @param availability of a store that can be unavailable, or {@code null}
	 * @param writable whether the endpoint's access permits changes
	 * @param findings gives what is configured and does nothing, or not what it seems
	 */
	record Parts(RunningInstance instance, @Nullable InstanceReports reports, @Nullable RateLimitHistory history,
			@Nullable RateLimitStoreAvailability availability, boolean writable,
			Supplier<List<RateLimitFinding>> findings) {
	}

}
