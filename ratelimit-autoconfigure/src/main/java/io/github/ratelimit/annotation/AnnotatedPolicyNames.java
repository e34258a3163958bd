package io.github.ratelimit.annotation;

import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFindings;

/**
 * Names the policies that annotations define. No two of them have the same name, and so
 * none share a budget unintentionally.
 */
final class AnnotatedPolicyNames {

	private final Map<String, Claim> claims = new HashMap<>();

	private final RateLimitFindings findings;

	AnnotatedPolicyNames(RateLimitFindings findings) {
		this.findings = findings;
	}

	/**
	 * Claims a name.
	 * @param group the annotations to name
	 * @param carrier the element that has the annotations
	 * @param place the method or type that they apply to
	 * @return the name
	 * @throws InvalidRateLimitException if the annotations give a name that is taken
	 */
	String claim(AnnotatedPolicies.LimitGroup group, AnnotatedElement carrier, AnnotatedPlace place) {
		return group.name().isEmpty() ? free(new Claim(group, carrier, place))
				: given(group.name(), new Claim(group, carrier, place));
	}

	/*
	 * A named limit that several types inherit is one budget.
	 */
	private String given(String name, Claim claim) {
		Claim other = this.claims.putIfAbsent(name, claim);
		if (other == null || (other.carrier().equals(claim.carrier()) && other.group().equals(claim.group()))) {
			return name;
		}
		if (other.place().equals(claim.place())) {
			throw claim.place()
				.invalid(
						"gives the name '" + name
								+ "' to limits of different keys, costs, conditions, charges or modes",
						"Give them different names.", null);
		}
		throw claim.place()
			.invalid("has the name '" + name + "', which " + other.place() + " has too",
					"Use another name; or, for one budget in both places, make it a policy of application.yml and "
							+ "write @RateLimited(\"" + name + "\") in both.",
					null);
	}

	private String free(Claim claim) {
		List<String> names = claim.place().names();
		for (String name : names) {
			Claim other = this.claims.putIfAbsent(name, claim);
			if (other == null) {
				return name;
			}
			if (other.place().equals(claim.place())) {
				return numbered(name, claim);
			}
			this.findings.report(FindingCode.SHARED_NAME, name, name, "The policies of " + claim.place().longName()
					+ " and " + other.place().longName() + " would both be named '" + name + "'.");
		}
		return numbered(names.get(0), claim);
	}

	private String numbered(String name, Claim claim) {
		int number = 2;
		while (this.claims.putIfAbsent(name + "-" + number, claim) != null) {
			number++;
		}
		return name + "-" + number;
	}

	private record Claim(AnnotatedPolicies.LimitGroup group, AnnotatedElement carrier, AnnotatedPlace place) {
	}

}
