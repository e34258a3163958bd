package io.github.ratelimit.gateway;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.support.HasRouteId;
import org.springframework.cloud.gateway.support.NameUtils;

/**
 * The arguments with which a route names its policy.
 *
 * @since 0.1.0
 */
public final class RouteLimit implements HasRouteId {

	/** The beginning of the locations of all routes. */
	static final String LOCATION = "filter ";

	/* What the endpoint displays in place of a key. */
	private static final String FOUND_KEY = "a KeyResolver of Gateway";

	/* What is meant as a cost, and is written in the place of the key. */
	private static final Pattern NUMBER = Pattern.compile("\\s*[-+]?\\d[\\d.]*[LlFfDd]?\\s*");

	private @Nullable String policy;

	private @Nullable Object key;

	private @Nullable String cost;

	private @Nullable String routeId;

	private volatile @Nullable PolicyBinding binding;

	/**
	 * Sets the name of the policy.
	 * @param policy one of {@code ratelimit.policies}
	 * @return this
	 */
	public RouteLimit setPolicy(String policy) {
		this.policy = policy;
		return this;
	}

	/**
	 * Sets the key, in place of the policy's own.
	 * @param key an expression, such as {@code header('X-Api-Key')}, or a
	 * {@link KeyResolver} of Gateway
	 * @return this
	 */
	public RouteLimit setKey(Object key) {
		this.key = key;
		return this;
	}

	/**
	 * Sets what a request costs, in place of one permit.
	 * @param cost an expression, such as {@code 5}
	 * @return this
	 */
	public RouteLimit setCost(String cost) {
		this.cost = cost;
		return this;
	}

	@Nullable String policy() {
		return this.policy;
	}

	/**
	 * Finds what resolves the key in place of an expression.
	 * @return the resolver, or {@code null} if the key is none
	 */
	@Nullable KeyResolver keyResolver() {
		if (this.key instanceof KeyResolver resolver) {
			return resolver;
		}
		return null;
	}

	@Override
	public @Nullable String getRouteId() {
		return this.routeId;
	}

	@Override
	public void setRouteId(String routeId) {
		this.routeId = routeId;
	}

	/**
	 * Binds the policy to a route, once, with the key of the route or else the policy's.
	 * @param argument the argument that names the policy
	 * @throws InvalidRateLimitException if there is no such policy, or it cannot be used
	 * there
	 */
	PolicyBinding bind(RoutePolicies policies, String filter, @Nullable String route, String argument) {
		PolicyBinding known = this.binding;
		if (known != null) {
			return known;
		}

		String location = location(filter, route);
		checkKey(location);
		if (this.key instanceof KeyResolver) {
			return bindToFoundKey(policies, filter, route, argument);
		}

		RateLimiter limiter = limiter(policies, location, argument);
		String own = (this.key instanceof String expression) ? expression : null;
		return checked(policies.binder().bind(limiter, written(location, own), null, null));
	}

	/**
	 * Binds the policy to a route whose key Gateway finds, once.
	 * @param argument the argument that names the policy
	 * @throws InvalidRateLimitException if there is no such policy, or it cannot be used
	 * there
	 */
	PolicyBinding bindToFoundKey(RoutePolicies policies, String filter, @Nullable String route, String argument) {
		PolicyBinding known = this.binding;
		if (known != null) {
			return known;
		}

		String location = location(filter, route);
		RateLimiter limiter = limiter(policies, location, argument);
		return checked(policies.binder().bindToFoundKey(limiter, written(location, FOUND_KEY)));
	}

	private AppliedLocation written(String location, @Nullable String key) {
		return new AppliedLocation(location, key, this.cost, null, null);
	}

	/* A route that is refused while the gateway runs is none that a policy applies to. */
	private PolicyBinding checked(PolicyBinding binding) {
		try {
			binding.checkCost(binding.limiter().policy());
		}
		catch (InvalidRateLimitException ex) {
			binding.limiter().removeLocations(binding.location()::equals);
			throw ex;
		}
		this.binding = binding;
		return binding;
	}

	private void checkKey(String location) {
		Object key = this.key;
		if (key instanceof String expression && NUMBER.matcher(expression).matches()) {
			throw InvalidRateLimitException.of("The " + location,
					"has the key '" + key + "', which is a number, and one for all requests",
					"Write a cost in full: { name: RateLimit, args: { policy: …, cost: " + expression.strip()
							+ " } }. A key that all are to share is a text, such as 'all' in quotes.",
					null);
		}
		if (key == null || key instanceof String || key instanceof KeyResolver) {
			return;
		}
		throw InvalidRateLimitException.of("The " + location,
				"has a key that is neither an expression nor a KeyResolver, but a " + key.getClass().getSimpleName(),
				"Write an expression such as header('X-Api-Key'), or a KeyResolver bean of Spring Cloud Gateway "
						+ "as #{@name}.",
				null);
	}

	private RateLimiter limiter(RoutePolicies policies, String location, String argument) {
		String name = this.policy;
		if (name == null) {
			throw InvalidRateLimitException.of("The " + location, "names no policy", "Write the argument " + argument
					+ " with one of ratelimit.policies. " + Suggestion.known(names(policies)), null);
		}
		RateLimiter limiter = policies.registry().find(name);
		if (limiter != null) {
			return limiter;
		}

		List<String> known = names(policies);
		throw InvalidRateLimitException.of("The " + location,
				"names '" + name + "', which is no policy of ratelimit.policies",
				Suggestion.brackets(name, known) + Suggestion.of(name, known), null);
	}

	private static List<String> names(RoutePolicies policies) {
		return policies.registry().policies().stream().map((each) -> each.policy().name()).toList();
	}

	static String location(String filter, @Nullable String route) {
		if (route == null) {
			return LOCATION + filter + " of a route in code";
		}
		return LOCATION + filter + " of the route " + route;
	}

	/**
	 * Whether an argument is written in a way that Spring Boot's binder reads.
	 * @param name what is written
	 * @param argument the name of the argument
	 */
	static boolean isArgument(String name, String argument) {
		return name.replaceAll("[-_]", "").equalsIgnoreCase(argument);
	}

	/**
	 * Checks the names of arguments, of which Gateway drops those that it does not know.
	 * @param names what is written
	 * @param known the arguments that there are, in their order
	 * @param prefix what their names begin with
	 * @throws InvalidRateLimitException if there is no such argument
	 */
	static void checkArguments(Collection<String> names, List<String> known, String prefix, String filter,
			String route) {
		for (String name : names) {
			if (!name.startsWith(prefix) || known.stream().anyMatch((each) -> isArgument(name, each))) {
				continue;
			}

			String location = "The " + location(filter, route);
			if (name.startsWith(NameUtils.GENERATED_NAME_PREFIX)) {
				throw InvalidRateLimitException.of(location, "has more arguments than a policy and a key",
						"In short they are written RateLimit=policy, key. Write a cost, or a key that has a comma, "
								+ "in full: { name: RateLimit, args: { policy: …, key: … } }.",
						null);
			}
			throw InvalidRateLimitException.of(location, "has the argument '" + name + "', which there is not",
					Suggestion.of(name, known), null);
		}
	}

}
