package io.github.ratelimit.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertyResolver;

/**
 * Registers the policies that annotations define, and finds those that they name.
 */
final class AnnotatedPolicies {

	private final Map<AnnotatedLocation, Map<RateLimited, RateLimiter>> policies = new HashMap<>();

	private final Set<String> registered = new HashSet<>();

	private final Map<String, Claim> claims = new HashMap<>();

	private final RateLimitFindings findings;

	private final RateLimiterRegistry registry;

	private final PropertyResolver placeholders;

	private final Consumer<RateLimitPolicy> described;

	AnnotatedPolicies(RateLimiterRegistry registry, PropertyResolver placeholders, RateLimitFindings findings,
			Consumer<RateLimitPolicy> described) {
		this.described = described;
		this.registry = registry;
		this.findings = findings;
		this.placeholders = placeholders;
	}

	/*
	 * Returns the policies of a location, each with the first of the annotations that
	 * define it. Synchronized, so that policies that are needed again, such as a type's
	 * by each of its methods, are registered once.
	 */
	synchronized Map<RateLimited, RateLimiter> resolve(RateLimitedAnnotations annotations) {
		Map<RateLimited, RateLimiter> found = this.policies.get(annotations.location());
		if (found != null) {
			return found;
		}

		Map<RateLimited, RateLimiter> resolved = new LinkedHashMap<>();
		for (List<RateLimited> limits : groups(annotations.annotations())) {
			resolved.put(limits.get(0), resolve(limits, annotations));
		}
		this.policies.put(annotations.location(), resolved);
		return resolved;
	}

	private static Collection<List<RateLimited>> groups(List<RateLimited> annotations) {
		Map<List<Object>, List<RateLimited>> groups = new LinkedHashMap<>();
		for (RateLimited limit : annotations) {
			groups.computeIfAbsent(group(limit), (group) -> new ArrayList<>()).add(limit);
		}
		return groups.values();
	}

	/* Annotations define one policy if only their numbers differ. */
	private static List<Object> group(RateLimited limit) {
		return List.of(limit.policy(), limit.name(), limit.key(), limit.cost(), limit.condition(), limit.charge(),
				limit.chargeEach(), limit.fallback(), limit.maxWait(), limit.mode());
	}

	private RateLimiter resolve(List<RateLimited> limits, RateLimitedAnnotations annotations) {
		AnnotatedLocation location = annotations.location();
		RateLimited first = limits.get(0);
		checkNoPlaceholder("names the policy", first.policy(), location);
		checkNoPlaceholder("has the name", first.name(), location);
		checkFallback(first, location);
		if (!first.policy().isEmpty()) {
			limits.forEach((limit) -> AnnotatedLimit.checkNoNumbers(limit, location));
			return requireChargeable(findNamed(first.policy(), location), first, location);
		}

		Claim claim = new Claim(group(first), annotations.carrier(), location);
		String name = first.name().isEmpty() ? claimDerived(claim) : claimGiven(first.name(), claim);
		return register(limits, name, location);
	}

	private static void checkFallback(RateLimited limit, AnnotatedLocation location) {
		checkNoPlaceholder("has the fallback", limit.fallback(), location);
		if (!limit.fallback().isEmpty() && limit.mode() != RateLimitMode.ENFORCE) {
			throw location.invalid("has the fallback '" + limit.fallback() + "', but in the mode " + limit.mode()
					+ " it rejects nobody", "Remove the fallback, or the mode.");
		}
	}

	private static void checkNoPlaceholder(String what, String name, AnnotatedLocation location) {
		if (name.contains("${")) {
			throw location.invalid(what + " '" + name + "', in which no placeholder is replaced",
					"Write the name itself. Placeholders can be in the numbers of a limit.");
		}
	}

	/*
	 * Only configured policies can be named: whether the policy of another annotation is
	 * registered depends on which is read first.
	 */
	private RateLimiter findNamed(String policy, AnnotatedLocation location) {
		RateLimiter found = this.registry.find(policy);
		if (found != null && !this.registered.contains(policy)) {
			return found;
		}

		List<String> known = this.registry.policies()
			.stream()
			.map((limiter) -> limiter.policy().name())
			.filter((name) -> !this.registered.contains(name))
			.toList();
		throw location.invalid("names the policy '" + policy + "', which does not exist",
				Suggestion.brackets(policy, known) + Suggestion.question(policy, known) + "Add "
						+ AnnotatedLimit.property(policy) + " to application.yml" + quoted(policy)
						+ ", or give a limit and a window here.");
	}

	/* YAML needs quotes around brackets. */
	private static String quoted(String policy) {
		String element = InvalidRateLimitException.element(policy);
		return element.startsWith("[") ? ", where the name is written \"" + element + "\"" : "";
	}

	/*
	 * Only a policy with a charge of its own has room for debt.
	 */
	private static RateLimiter requireChargeable(RateLimiter limiter, RateLimited limit, AnnotatedLocation location) {
		if (limiter.policy().charge() == null) {
			requireNoCharge("charge", limit.charge(), "charge", limiter, location);
			requireNoCharge("chargeEach", limit.chargeEach(), "charge-each", limiter, location);
		}
		return limiter;
	}

	/* The policy may be configured, or be registered by code. */
	private static void requireNoCharge(String attribute, String expression, String property, RateLimiter limiter,
			AnnotatedLocation location) {
		if (!expression.isEmpty()) {
			String name = limiter.policy().name();
			throw location.invalid(
					"has the " + attribute + " '" + expression + "', but the policy '" + name + "' itself has none",
					"Write it in the policy: as " + AnnotatedLimit.property(name) + "." + property
							+ ", or in the code that registers the policy.");
		}
	}

	private RateLimiter register(List<RateLimited> annotations, String name, AnnotatedLocation location) {
		RateLimited first = annotations.get(0);
		List<RateLimit> limits = new ArrayList<>();
		for (RateLimited annotation : annotations) {
			limits.add(new AnnotatedLimit(annotation, location, this.placeholders).read());
		}

		try {
			Duration maxWait = new AnnotatedLimit(first, location, this.placeholders).readMaxWait();
			RateLimitPolicy.Builder policy = RateLimitPolicy.builder(name)
				.limits(limits)
				.mode(first.mode())
				.maxWait(maxWait);
			RateLimitPolicy described = policy.build();
			RateLimiter existing = this.registry.find(name);
			if (existing != null) {
				requireChargeable(existing, first, location);
				this.described.accept(described);
				return existing;
			}

			this.described.accept(described);
			policy.key(AnnotatedLimit.textOrNull(first.key())).charge(AnnotatedLimit.textOrNull(first.charge()));
			policy.chargeEach(AnnotatedLimit.textOrNull(first.chargeEach()));
			RateLimiter registered = this.registry.register(policy.build());
			this.registered.add(name);
			return registered;
		}
		catch (InvalidRateLimitException ex) {
			throw AnnotatedLimit.at(location, ex);
		}
	}

	/*
	 * No two annotated policies have the same name, and so none share a budget
	 * unintentionally. A named limit that several types inherit is one budget. What could
	 * not be read to its end is read again, such as for the next prototype, and finds its
	 * own claims.
	 */
	private String claimGiven(String name, Claim claim) {
		Claim other = this.claims.putIfAbsent(name, claim);
		if (other == null || other.isOfSameLimit(claim)) {
			return name;
		}
		throw claim.location()
			.invalid("has the name '" + name + "', which another limit of " + other.location() + " has too",
					"Use another name; or, for one budget in both places, make it a policy of application.yml and "
							+ "write @RateLimited(\"" + name + "\") in both.");
	}

	private String claimDerived(Claim claim) {
		List<String> names = claim.location().names();
		for (String name : names) {
			Claim other = this.claims.putIfAbsent(name, claim);
			if (other == null || other.equals(claim)) {
				return name;
			}
			if (other.location().equals(claim.location())) {
				return claimNumbered(name, claim);
			}
			this.findings.report(FindingCode.SHARED_NAME, name, name, "The policies of " + claim.location().longName()
					+ " and " + other.location().longName() + " would both be named '" + name + "'.");
		}
		return claimNumbered(names.get(0), claim);
	}

	private String claimNumbered(String name, Claim claim) {
		int number = 2;
		while (!claim.equals(this.claims.computeIfAbsent(name + "-" + number, (free) -> claim))) {
			number++;
		}
		return name + "-" + number;
	}

	/**
	 * A limit that has a name.
	 *
	 * @param group what the limits that it names have in common
	 * @param carrier the element that has them
	 * @param location the method or type that they apply to
	 */
	private record Claim(List<Object> group, @Nullable Object carrier, AnnotatedLocation location) {

		boolean isOfSameLimit(Claim other) {
			return Objects.equals(this.carrier, other.carrier) && this.group.equals(other.group);
		}

	}

}
