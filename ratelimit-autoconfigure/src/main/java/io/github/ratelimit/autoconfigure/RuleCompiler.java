package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.servlet.ServletRateLimits;

import org.springframework.core.env.Environment;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Checks and compiles the rules of a servlet application, when it starts and whenever
 * they change.
 */
final class RuleCompiler implements RulesInForce {

	/**
	 * Name of the bean, for code that runs without Spring Web, where this class cannot be
	 * loaded.
	 */
	static final String BEAN_NAME = "rateLimitRules";

	private final RateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final ServletRateLimits limits;

	private final PathPatternParser parser;

	private final boolean secured;

	private final Environment environment;

	private volatile Phases inForce = new Phases(List.of(), List.of());

	/* The same as they are written. */
	private volatile List<RateLimitProperties.Rule> written = List.of();

	RuleCompiler(RateLimiterRegistry registry, PolicyBinder binder, ServletRateLimits limits, PathPatternParser parser,
			boolean secured, Environment environment) {
		this.registry = registry;
		this.binder = binder;
		this.limits = limits;
		this.parser = parser;
		this.secured = secured;
		this.environment = environment;
	}

	/**
	 * Compiles the rules that the application starts with.
	 */
	RuleCompiler begin(RateLimitProperties properties) {
		this.inForce = compile(properties, this.registry::policy, (name) -> this.registry.policy(name).policy());
		this.written = properties.rules();
		if (this.registry instanceof StoreRateLimiterRegistry store) {
			store.checkOverrides((policy) -> RequestTimeout.check(policy, this.written, this.environment));
		}
		return this;
	}

	/**
	 * The rules that do not read the authenticated user.
	 */
	List<RateLimitRule> beforeSecurity() {
		return this.inForce.beforeSecurity;
	}

	/**
	 * The rules that read the authenticated user, or whose phase says so.
	 */
	List<RateLimitRule> afterSecurity() {
		return this.inForce.afterSecurity;
	}

	List<RateLimitRule> all() {
		return this.inForce.all().toList();
	}

	@Override
	public Runnable prepare(RateLimitProperties properties, ChangedPolicies policies) {
		ClientAddresses.resolver(properties.clientAddress(), this.environment);
		Phases compiled = compile(properties, policies::limiter, policies::policy);
		if (policies.delay()) {
			this.limits.expectDelays();
		}
		return () -> {
			this.inForce = compiled;
			this.written = properties.rules();
			this.limits.enforce(compiled.beforeSecurity, compiled.afterSecurity);
		};
	}

	private Phases compile(RateLimitProperties properties, Function<String, ? extends RateLimiter> limiters,
			Function<String, RateLimitPolicy> policies) {
		UnreachableRules.check(properties, this.environment);
		RequestTimeout.check(properties, policies, this.environment);
		Phases phases = new Phases(new ArrayList<>(), new ArrayList<>());
		for (int i = 0; i < properties.rules().size(); i++) {
			compile(properties.rules().get(i), "ratelimit.rules[" + i + "]", limiters, phases);
		}
		return phases;
	}

	private void compile(RateLimitProperties.Rule rule, String property,
			Function<String, ? extends RateLimiter> limiters, Phases phases) {
		PathPattern pattern = pattern(Objects.requireNonNull(rule.path()), property + ".path", this.parser);
		PolicyBinding binding = this.binder.bindRule(limiters.apply(Objects.requireNonNull(rule.policy())),
				place(rule, pattern), property, rule.key(), rule.cost(), rule.condition());
		if (isAfterSecurity(rule, property, binding)) {
			phases.afterSecurity.add(new RateLimitRule(pattern, rule.methods(), binding));
		}
		else {
			phases.beforeSecurity.add(new RateLimitRule(pattern, rule.methods(),
					this.secured ? binding.beforeSecurity("set " + property + ".phase to after-security") : binding));
		}
	}

	private static String place(RateLimitProperties.Rule rule, PathPattern pattern) {
		String methods = rule.methods().isEmpty() ? "" : String.join(", ", rule.methods()) + " ";
		return RulesInForce.PLACE + methods + pattern.getPatternString();
	}

	private static boolean isAfterSecurity(RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		RateLimitExpression reader = binding.expressions().principalReader();
		if (rule.phase() == RateLimitProperties.Phase.BEFORE_SECURITY && reader != null) {
			boolean ofPolicy = reader == RateLimitExpression.KEY && rule.key() == null
					|| reader == RateLimitExpression.PLAN;
			String what = ofPolicy ? "the " + reader.id() + " of policy '" + binding.limiter().policy().name() + "'"
					: "the " + reader.id() + " of the rule";
			throw InvalidRateLimitException.property(property + ".phase", "before-security",
					"cannot hold, because " + what
							+ " reads the authenticated user, who is not known before Spring Security has run",
					"Remove phase, or give the " + (ofPolicy ? "policy" : "rule") + " a " + reader.id()
							+ " that does not read the user.",
					null);
		}
		return (rule.phase() != null) ? rule.phase() == RateLimitProperties.Phase.AFTER_SECURITY
				: binding.expressions().needsPrincipal();
	}

	private static PathPattern pattern(String path, String property, PathPatternParser parser) {
		try {
			return parser.parse(parser.initFullPathPattern(path));
		}
		catch (PatternParseException ex) {
			throw InvalidRateLimitException.property(property, path, "is not a path pattern: " + ex.toDetailedString(),
					"Write a pattern such as /api/**, /users/{id} or /files/*.pdf.", ex);
		}
	}

	/*
	 * Rules note what they apply a policy to when they are compiled.
	 */
	@Override
	public void release() {
		for (RateLimiter limiter : this.registry.policies()) {
			if (limiter instanceof StoreRateLimiter store) {
				store.removePlaces((place) -> place.place().startsWith(PLACE) && this.inForce.all()
					.map(RateLimitRule::binding)
					.noneMatch((binding) -> binding.limiter() == store && binding.place().equals(place)));
			}
		}
	}

	/**
	 * Compiled rules, by when they are enforced.
	 */
	private record Phases(List<RateLimitRule> beforeSecurity, List<RateLimitRule> afterSecurity) {

		Stream<RateLimitRule> all() {
			return Stream.concat(this.beforeSecurity.stream(), this.afterSecurity.stream());
		}

	}

}
