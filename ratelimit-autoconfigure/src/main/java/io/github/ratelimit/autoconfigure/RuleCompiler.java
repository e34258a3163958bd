package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.ratelimit.DurationText;
import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.policy.AppliedPlace;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.web.RateLimitRule;
import io.github.ratelimit.web.servlet.ServletRateLimits;
import org.jspecify.annotations.Nullable;

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

	private final StoreRateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final ServletRateLimits limits;

	private final PathPatternParser parser;

	private final boolean secured;

	private final Environment environment;

	private volatile Phases inForce = new Phases(List.of(), List.of());

	/* The same as they are written. */
	private volatile List<RateLimitProperties.Rule> written = List.of();

	RuleCompiler(StoreRateLimiterRegistry registry, PolicyBinder binder, ServletRateLimits limits,
			@Nullable PathPatternParser parser, boolean secured, Environment environment) {
		this.registry = registry;
		this.binder = binder;
		this.limits = limits;
		this.parser = (parser != null) ? parser : PathPatternParser.defaultInstance;
		this.secured = secured;
		this.environment = environment;
	}

	/**
	 * Enforces the rules that the application starts with.
	 */
	RuleCompiler begin(RateLimitProperties properties) {
		enforce(properties, compile(properties, Map.of()));
		this.registry.checkOverrides((policy) -> {
			for (int i = 0; i < this.written.size(); i++) {
				if (policy.name().equals(this.written.get(i).policy())) {
					checkDelay(policy, property(i));
				}
			}
		});
		return this;
	}

	private void enforce(RateLimitProperties properties, Phases compiled) {
		this.inForce = compiled;
		this.written = properties.rules();
		this.limits.enforce(compiled.beforeSecurity, compiled.afterSecurity);
	}

	/**
	 * Whether a rule is enforced after Spring Security.
	 */
	boolean isAfterSecurity() {
		return !this.inForce.afterSecurity.isEmpty();
	}

	List<RateLimitRule> all() {
		return this.inForce.all().toList();
	}

	@Override
	public Runnable prepare(RateLimitProperties properties, Map<String, PolicyChange> changes) {
		Phases compiled = compile(properties, changes);
		return () -> enforce(properties, compiled);
	}

	private Phases compile(RateLimitProperties properties, Map<String, PolicyChange> changes) {
		Phases phases = new Phases(new ArrayList<>(), new ArrayList<>());
		for (int i = 0; i < properties.rules().size(); i++) {
			RateLimitProperties.Rule rule = properties.rules().get(i);
			String property = property(i);
			RuleValidation.check(rule, property, properties.policies().keySet(), this.environment);
			String name = Objects.requireNonNull(rule.policy());
			PolicyChange change = changes.get(name);
			StoreRateLimiter limiter = (change != null) ? change.limiter() : this.registry.policy(name);
			for (RateLimitPolicy policy : ((change != null) ? change.policy() : limiter.policy()).underAllPlans()) {
				checkDelay(policy, property);
			}
			compile(rule, property, limiter, phases);
		}
		return phases;
	}

	private void checkDelay(RateLimitPolicy policy, String rule) {
		Duration timeout = RateLimitAutoConfiguration.requestTimeout(this.environment);
		if (timeout != null && policy.longestDelay().compareTo(timeout) > 0) {
			String property = RateLimitAutoConfiguration.REQUEST_TIMEOUT;
			throw InvalidRateLimitException.property(rule + ".policy", policy.name(),
					"could make a request wait for " + DurationText.of(policy.longestDelay()) + ", but " + property
							+ " is " + DurationText.of(timeout),
					"Give the policy a smaller burst or nodelay, or raise " + property + ".", null);
		}
	}

	private static String property(int rule) {
		return "ratelimit.rules[" + rule + "]";
	}

	private void compile(RateLimitProperties.Rule rule, String property, StoreRateLimiter limiter, Phases phases) {
		PathPattern pattern = pattern(Objects.requireNonNull(rule.path()), property + ".path", this.parser);
		String methods = rule.methods().isEmpty() ? "" : String.join(", ", rule.methods()) + " ";
		AppliedPlace place = new AppliedPlace(PLACE + methods + pattern.getPatternString(), rule.key(), rule.cost(),
				rule.condition(), null);
		PolicyBinding binding = this.binder.bind(limiter, place, null, property);
		if (isAfterSecurity(rule, property, binding)) {
			phases.afterSecurity.add(new RateLimitRule(pattern, rule.methods(), binding));
		}
		else {
			phases.beforeSecurity.add(new RateLimitRule(pattern, rule.methods(),
					this.secured ? binding.beforeSecurity("set " + property + ".phase to after-security") : binding));
		}
	}

	private static boolean isAfterSecurity(RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		RateLimitExpression reader = binding.principalReader();
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
				: binding.needsPrincipal();
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
		for (StoreRateLimiter limiter : this.registry.policies()) {
			limiter.removePlaces((place) -> place.place().startsWith(PLACE) && this.inForce.all()
				.map(RateLimitRule::binding)
				.noneMatch((binding) -> binding.limiter() == limiter && binding.place().equals(place)));
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
