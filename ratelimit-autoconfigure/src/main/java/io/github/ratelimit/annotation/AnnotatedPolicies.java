package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.PolicyLimiter;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.UnknownPolicyException;

/**
 * Registers the policies that annotations describe, under names that tell them apart, and
 * finds those that they name.
 */
final class AnnotatedPolicies {

	private final RateLimiter limiter;

	private final UnaryOperator<String> placeholders;

	private final Map<String, AnnotatedElement> owners = new HashMap<>();

	AnnotatedPolicies(RateLimiter limiter, UnaryOperator<String> placeholders) {
		this.limiter = limiter;
		this.placeholders = placeholders;
	}

	PolicyLimiter resolve(LimitGroup group, List<RateLimited> annotations, AnnotatedElement source) {
		String place = AnnotatedPlace.describe(source);
		return group.policy().isEmpty() ? described(group, annotations, source, place)
				: named(annotations.get(0), place);
	}

	private PolicyLimiter named(RateLimited annotation, String place) {
		AnnotatedLimit.checkNoNumbers(annotation, place);
		try {
			return this.limiter.policy(annotation.policy());
		}
		catch (UnknownPolicyException ex) {
			String nearest = ex.nearest();
			throw new InvalidRateLimitedMethodException(place,
					"names the policy '" + annotation.policy() + "', which does not exist",
					((nearest != null) ? "Did you mean '" + nearest + "'? " : "") + "Add ratelimit.policies."
							+ annotation.policy() + " to application.yml, or give a limit and a window here.",
					ex);
		}
	}

	private PolicyLimiter described(LimitGroup group, List<RateLimited> annotations, AnnotatedElement source,
			String place) {
		List<RateLimit> limits = annotations.stream()
			.map((annotation) -> AnnotatedLimit.read(annotation, place, this.placeholders))
			.toList();
		String name = claimName(group, source, place);
		PolicyLimiter configured = this.limiter.find(name);
		if (configured != null) {
			return configured;
		}
		try {
			return this.limiter.register(new RateLimitPolicy(name, group.key().isEmpty() ? null : group.key(), limits));
		}
		catch (InvalidRateLimitException ex) {
			throw AnnotatedLimit.invalid(place, ex);
		}
	}

	private String claimName(LimitGroup group, AnnotatedElement source, String place) {
		if (!group.name().isEmpty()) {
			AnnotatedElement owner = this.owners.putIfAbsent(group.name(), source);
			if (owner != null) {
				throw new InvalidRateLimitedMethodException(place,
						"has the name '" + group.name() + "', which " + AnnotatedPlace.describe(owner) + " has too",
						"Use another name; or, for one budget in both places, make it a policy of application.yml and "
								+ "write @RateLimited(\"" + group.name() + "\") in both.",
						null);
			}
			return group.name();
		}
		List<String> names = AnnotatedPlace.names(source);
		for (String name : names) {
			if (this.owners.putIfAbsent(name, source) == null) {
				return name;
			}
			if (this.owners.get(name) == source) {
				break;
			}
		}
		int number = 2;
		while (this.owners.putIfAbsent(names.get(0) + "-" + number, source) != null) {
			number++;
		}
		return names.get(0) + "-" + number;
	}

}
