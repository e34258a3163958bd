package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodClassKey;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

/**
 * The methods that {@link RateLimited} limits. Reads the annotations of each method once,
 * and registers their policies.
 *
 * @since 0.1.0
 */
public final class RateLimitedMethods {

	private final Map<MethodClassKey, LimitedMethod> methods = new ConcurrentHashMap<>();

	private final StoreRateLimiterRegistry registry;

	private final AnnotatedPolicies annotated;

	private final PolicyBinder binder;

	/**
	 * Creates an empty catalogue.
	 * @param registry where policies are found and registered
	 * @param binder parses the expressions
	 * @param placeholders replaces <code>${…}</code> in windows
	 * @param findings where methods are added that share a name
	 * @param described receives what annotations say of a policy, before it is looked up
	 */
	public RateLimitedMethods(StoreRateLimiterRegistry registry, PolicyBinder binder, PropertyResolver placeholders,
			RateLimitFindings findings, Consumer<RateLimitPolicy> described) {
		this.registry = registry;
		this.annotated = new AnnotatedPolicies(registry, placeholders, findings, described);
		this.binder = binder;
		registry.addChangeCheck(this::checkCosts);
	}

	private void checkCosts(RateLimitPolicy policy) {
		for (LimitedMethod method : this.methods.values()) {
			for (PolicyBinding binding : method.bindings()) {
				if (binding.limiter().policy().name().equals(policy.name())) {
					binding.checkCost(policy);
				}
			}
		}
	}

	/**
	 * Returns the registry, where policies are found and registered.
	 * @return the registry
	 */
	public StoreRateLimiterRegistry registry() {
		return this.registry;
	}

	/**
	 * Whether a limit of a method rejects or delays anybody.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return {@code false} if all of its limits only decide in shadow, or it has none
	 */
	public boolean isEnforced(Method method, Class<?> targetClass) {
		return enforced(method, targetClass).findAny().isPresent();
	}

	/**
	 * Whether fallbacks are called in place of all calls that limits of a method reject.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return {@code false} if a rejection of any of its limits is an error to the caller
	 */
	public boolean isAnsweredByFallbacks(Method method, Class<?> targetClass) {
		LimitedMethod limited = limitedMethod(method, targetClass);
		return enforced(method, targetClass).allMatch(limited::hasFallback);
	}

	private Stream<StoreRateLimiter> enforced(Method method, Class<?> targetClass) {
		return limitedMethod(method, targetClass).bindings()
			.stream()
			.map(PolicyBinding::limiter)
			.filter((limiter) -> limiter.policy().mode() == RateLimitMode.ENFORCE);
	}

	/**
	 * Whether something is read of a request by a word, or may be read, to say what calls
	 * ask of the limits that are known so far.
	 * @param word what reads it, such as {@code pathVariable}
	 * @return {@code true} if an expression of any method does
	 */
	public boolean mayRead(String word) {
		return this.methods.values().stream().anyMatch((method) -> method.mayRead(word));
	}

	/**
	 * Returns a method with its limits.
	 * @param method the method, as it is called
	 * @param targetClass the class of the object that it is called on
	 * @return the method with its limits, if any; the same for each call
	 * @throws InvalidRateLimitException if an annotation cannot be enforced as it is
	 * written
	 */
	public LimitedMethod limitedMethod(Method method, Class<?> targetClass) {
		LimitedMethod found = this.methods.get(new MethodClassKey(method, targetClass));
		if (found != null) {
			return found;
		}
		return read(method, targetClass);
	}

	private LimitedMethod read(Method method, Class<?> targetClass) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		LimitedMethod read = this.methods.computeIfAbsent(new MethodClassKey(method, type),
				(absent) -> readNew(method, type));
		if (type != targetClass) {
			this.methods.put(new MethodClassKey(method, targetClass), read);
		}
		return read;
	}

	private LimitedMethod readNew(Method method, Class<?> type) {
		Method specific = RateLimitedAnnotations.specific(method, type);
		Class<?> returnType = ObservedCall.returnType(method, type);
		RateLimitedAnnotations annotations = RateLimitedAnnotations.find(method, type);
		if (annotations == null) {
			return new LimitedMethod(specific, List.of(), returnType);
		}
		return new LimitedMethod(specific, bind(annotations, method, type), returnType,
				fallbacks(annotations, specific, type));
	}

	/*
	 * A rejection tells its policy, and so whose fallback answers.
	 */
	private Map<StoreRateLimiter, Fallback> fallbacks(RateLimitedAnnotations annotations, Method method,
			Class<?> type) {
		Map<RateLimiter, String> names = new HashMap<>();
		Map<StoreRateLimiter, Fallback> fallbacks = new HashMap<>();
		this.annotated.resolve(annotations).forEach((limit, limiter) -> {
			String name = limit.fallback();
			String other = names.putIfAbsent(limiter, name);
			if (other != null && !other.equals(name)) {
				throw annotations.location()
					.invalid(
							"has two annotations of the policy '" + limiter.policy().name()
									+ "' with different fallbacks: '" + other + "' and '" + name + "'",
							"Write the same in both.");
			}
			if (!name.isEmpty()) {
				fallbacks.put(StoreRateLimiter.of(limiter), Fallback.find(name, method, type, annotations.method()));
			}
		});
		return fallbacks;
	}

	private List<PolicyBinding> bind(RateLimitedAnnotations annotations, Method method, Class<?> type) {
		List<PolicyBinding> bound = new ArrayList<>();
		for (Map.Entry<RateLimited, RateLimiter> each : this.annotated.resolve(annotations).entrySet()) {
			RateLimited limit = each.getKey();
			RateLimitPolicy policy = each.getValue().policy();
			String charge = null;
			String chargeEach = null;
			if (!isChargeReplaced(limit, policy)) {
				charge = AnnotatedLimit.textOrNull(limit.charge());
				chargeEach = AnnotatedLimit.textOrNull(limit.chargeEach());
			}
			AppliedLocation location = new AppliedLocation(annotations.method().toString(),
					own(limit, limit.key(), policy.key()), AnnotatedLimit.textOrNull(limit.cost()),
					AnnotatedLimit.textOrNull(limit.condition()), charge, chargeEach);
			PolicyBinding binding = this.binder.bind(each.getValue(), location, annotations.method().method(), null);
			binding.checkCost(policy);
			if (binding.countsElements()) {
				checkElements(annotations.location(), ObservedCall.returnType(method, type));
			}
			bound.add(binding);
		}
		return bound;
	}

	private static void checkElements(AnnotatedLocation location, Class<?> returnType) {
		if (!ObservedCall.passesElements(returnType)) {
			throw location.invalid(
					"charges each element of what is returned, but a " + returnType.getSimpleName()
							+ " passes none that can be counted",
					"Return a Flux, another type of many elements or a Collection, or charge by result as a whole.");
		}
	}

	/*
	 * A configured policy of an annotated limit's name replaces its key, and its charges,
	 * if it has some itself; a policy that the annotation names does not.
	 */
	private static @Nullable String own(RateLimited limit, String written, @Nullable String ofPolicy) {
		boolean replaced = limit.policy().isEmpty() && ofPolicy != null && !ofPolicy.equals(written);
		if (replaced) {
			return null;
		}
		return AnnotatedLimit.textOrNull(written);
	}

	private static boolean isChargeReplaced(RateLimited limit, RateLimitPolicy policy) {
		if (!limit.policy().isEmpty() || policy.charge() == null) {
			return false;
		}
		RateLimitPolicy written = RateLimitPolicy.builder(policy.name())
			.limits(policy.limits())
			.charge(AnnotatedLimit.textOrNull(limit.charge()))
			.chargeEach(AnnotatedLimit.textOrNull(limit.chargeEach()))
			.build();
		return !policy.charge().equals(written.charge()) || !Objects.equals(policy.chargeEach(), written.chargeEach());
	}

}
