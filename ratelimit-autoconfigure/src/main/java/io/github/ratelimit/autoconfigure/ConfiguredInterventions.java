package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.support.Suggestion;

/**
 * Puts in force what {@code ratelimit.exempt} and {@code ratelimit.deny} say, once all
 * policies are known.
 */
final class ConfiguredInterventions {

	private static final String DENY = "ratelimit.deny";

	private static final String EXEMPT = "ratelimit.exempt";

	private final RateLimitProperties properties;

	private final StoreRateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final UnaryOperator<String> addresses;

	/**
	 * Creates what is to be put in force.
	 * @param properties the properties
	 * @param registry enforces it
	 * @param binder knows the keys of policies
	 * @param addresses writes a client's address as requests have it
	 */
	ConfiguredInterventions(RateLimitProperties properties, StoreRateLimiterRegistry registry, PolicyBinder binder,
			UnaryOperator<String> addresses) {
		this.properties = properties;
		this.registry = registry;
		this.binder = binder;
		this.addresses = addresses;
	}

	/**
	 * Puts it in force.
	 * @throws InvalidRateLimitException if something of it cannot be
	 */
	void putInForce() {
		if (this.properties.deny().isEmpty() && this.properties.exempt().isEmpty()) {
			return;
		}
		Map<Target, String> denied = targets(Kind.DENY, this.properties.deny(), DENY);
		Map<Target, String> exempt = targets(Kind.EXEMPT, this.properties.exempt(), EXEMPT);
		exempt.forEach((target, property) -> checkNotDenied(target, property, denied));

		List<RateLimitIntervention> configured = new ArrayList<>();
		denied.keySet().forEach((target) -> configured.add(new RateLimitIntervention(target, null, null, null)));
		exempt.keySet().forEach((target) -> configured.add(new RateLimitIntervention(target, null, null, null)));
		this.registry.configureInterventions(configured);
	}

	/* Each with the property that says so. */
	private Map<Target, String> targets(Kind kind, RateLimitProperties.Clients clients, String path) {
		Map<Target, String> targets = new LinkedHashMap<>();
		for (int i = 0; i < clients.addresses().size(); i++) {
			String property = path + ".addresses[" + i + "]";
			add(address(kind, clients.addresses().get(i), property), property, targets);
		}
		clients.keys().forEach((policy, keys) -> {
			String element = path + ".keys" + InvalidRateLimitException.element(policy);
			StoreRateLimiter limiter = limiter(policy, element);
			for (int i = 0; i < keys.size(); i++) {
				String property = element + "[" + i + "]";
				add(key(kind, limiter, keys.get(i), property), property, targets);
			}
		});
		return targets;
	}

	private Target address(Kind kind, String address, String property) {
		try {
			return this.registry.canonical(Target.ofAddress(kind, address));
		}
		catch (InvalidRateLimitException ex) {
			throw InvalidRateLimitException.property(property, address, ex.reason(), ex.action(), ex);
		}
	}

	private StoreRateLimiter limiter(String policy, String property) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			List<String> known = this.registry.policies().stream().map((each) -> each.policy().name()).toList();
			throw InvalidRateLimitException.property(property, null, "is about a policy that does not exist",
					Suggestion.brackets(policy, known) + Suggestion.of(policy, known), null);
		}
		return limiter;
	}

	private Target key(Kind kind, StoreRateLimiter limiter, String key, String property) {
		try {
			String stateKey = this.binder.stateKey(key, limiter, this.addresses);
			return Target.ofKey(kind, limiter.policy().name(), stateKey);
		}
		catch (InvalidRateLimitException ex) {
			throw InvalidRateLimitException.property(property, key, ex.reason(), ex.action(), ex);
		}
	}

	private static void add(Target target, String property, Map<Target, String> targets) {
		String same = targets.putIfAbsent(target, property);
		if (same != null) {
			throw InvalidRateLimitException.property(property, text(target), "is the same as '" + same + "'",
					"Remove one of them.", null);
		}
	}

	private static void checkNotDenied(Target exempt, String property, Map<Target, String> denied) {
		String denying = denied.get(new Target(Kind.DENY, exempt.policy(), exempt.key(), exempt.address()));
		if (denying != null) {
			throw InvalidRateLimitException.property(property, text(exempt),
					"has no effect, because '" + denying + "' denies the same", "Remove one of them.", null);
		}
	}

	private static String text(Target target) {
		return (target.key() != null) ? target.key() : String.valueOf(target.address());
	}

}
