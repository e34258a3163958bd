package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.Suggestion;
import io.github.ratelimit.web.mcp.McpMessages;
import io.github.ratelimit.web.rules.RateLimitRule;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Checks and compiles the rules of a web application, when it starts and whenever they
 * change. A rule that could match no request fails start-up: rules are matched within the
 * application and Spring MVC's servlet, and on the management port below its base path.
 */
final class RuleCompiler {

	/**
	 * Name of the bean, for code that runs without Spring Web, where this class cannot be
	 * used.
	 */
	static final String BEAN_NAME = "rateLimitRules";

	/** What a rule's name begins with, among all that a policy is applied to. */
	static final String LOCATION = "rule ";

	/** Whether policies and rules may change while the application runs. */
	static final boolean MAY_CHANGE = ClassUtils.isPresent(
			"org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			RuleCompiler.class.getClassLoader());

	private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
			"TRACE");

	private static final Pattern VARIABLE = Pattern.compile("\\{(?:[^{}]|\\{[^{}]*})*}");

	/* Parts that no path has when rules are matched with it. */
	private static final Pattern UNMATCHED = Pattern
		.compile("\\p{Cntrl}|\\\\|//|/\\.\\.?(?=/|$)|%\\p{XDigit}{2}|\\?[^/]*=|#|;|[\\s\\h]$|^/[A-Za-z]:/");

	/* Marks of a regular expression for all paths below, as in /api/.* or ^/api. */
	private static final Pattern REGULAR_EXPRESSION = Pattern
		.compile("^\\^|\\$$|/\\.[*+](?=[/$]|$)|\\(\\?|\\\\[dDwWsS]|[\\])][*+?]");

	private static final Pattern SEVERAL = Pattern.compile(",\\s*/");

	private static final String MANAGEMENT_BASE_PATH = "management.server.base-path";

	private static final String MANAGEMENT_PORT_TYPE = "org.springframework.boot.actuate.autoconfigure.web.server."
			+ "ManagementPortType";

	private final StoreRateLimiterRegistry registry;

	private final PolicyBinder binder;

	private final Consumer<List<RateLimitRule>> enforcement;

	private final PathPatternParser parser;

	private final Environment environment;

	/* What rules may read of requests for an MCP server, if there is one. */
	private final @Nullable McpMessages messages;

	/* Properties whose values begin the paths of requests, but not those of rules. */
	private final List<String> prefixes;

	private volatile List<RateLimitRule> inForce = List.of();

	/* Tells what could bypass rules, as soon as there are some. */
	private volatile @Nullable InvalidRateLimitException bypass;

	RuleCompiler(StoreRateLimiterRegistry registry, PolicyBinder binder, Consumer<List<RateLimitRule>> enforcement,
			@Nullable PathPatternParser parser, Environment environment, List<String> prefixes,
			@Nullable McpMessages messages) {
		this.registry = registry;
		this.binder = binder;
		this.enforcement = enforcement;
		this.parser = (parser != null) ? parser : PathPatternParser.defaultInstance;
		this.environment = environment;
		this.prefixes = prefixes;
		this.messages = messages;
	}

	/**
	 * Enforces the rules that the application starts with.
	 */
	RuleCompiler begin(RateLimitProperties properties) {
		enforce(compile(properties, Map.of()));
		this.registry.addOverrideCheck((policy) -> {
			StoreRateLimiter limiter = this.registry.find(policy.name());
			List<RateLimitRule> rules = this.inForce;
			for (int i = 0; i < rules.size(); i++) {
				if (rules.get(i).binding().limiter() == limiter) {
					checkDelay(policy, property(i));
					rules.get(i).binding().checkCost(policy);
				}
			}
		});
		return this;
	}

	private void enforce(List<RateLimitRule> compiled) {
		this.inForce = compiled;
		this.enforcement.accept(compiled);
	}

	/**
	 * The rules that are in force.
	 */
	List<RateLimitRule> all() {
		return this.inForce;
	}

	/**
	 * Whether there are rules, or may be some later.
	 */
	boolean mayBeEnforced() {
		return MAY_CHANGE || !this.inForce.isEmpty();
	}

	/**
	 * Fails if requests could bypass rules, because a handler mapping accepts spellings
	 * that no rule matches: now if there are rules, and whenever there are to be any.
	 * @param name the name of the mapping
	 * @param mapping the mapping
	 * @param parser what parses its patterns, or {@code null} if it matches text
	 * @param action what to do about it, as a sentence
	 */
	void checkMapping(String name, Object mapping, @Nullable PathPatternParser parser, String action) {
		String spellings;
		if (parser == null) {
			spellings = " matches paths as text, by spellings that no rule matches";
		}
		else if (this.parser.isCaseSensitive() && !parser.isCaseSensitive()) {
			spellings = " ignores case, which the rules do not";
		}
		else {
			return;
		}

		this.bypass = InvalidRateLimitException.property("ratelimit.rules", null,
				"cannot be enforced, because the handler mapping '" + name + "' of type " + mapping.getClass().getName()
						+ spellings,
				action, null);
		if (!this.inForce.isEmpty()) {
			throw this.bypass;
		}
	}

	/**
	 * Checks the rules as at the start, and prepares to enforce them. Nothing changes
	 * yet.
	 * @param properties the properties as they are to be
	 * @param changes the policies that change, by name
	 * @return puts the rules in force
	 */
	Runnable prepare(RateLimitProperties properties, Map<String, PolicyChange> changes) {
		List<RateLimitRule> compiled = compile(properties, changes);
		return () -> enforce(compiled);
	}

	private List<RateLimitRule> compile(RateLimitProperties properties, Map<String, PolicyChange> changes) {
		List<RateLimitRule> compiled = new ArrayList<>();
		if (this.bypass != null && !properties.rules().isEmpty()) {
			throw this.bypass;
		}

		for (int i = 0; i < properties.rules().size(); i++) {
			RateLimitProperties.Rule rule = properties.rules().get(i);
			String property = property(i);
			check(rule, property, properties.policies().keySet());

			String name = Objects.requireNonNull(rule.policy());
			PolicyChange change = changes.get(name);
			if (change == null) {
				change = unchanged(name);
			}
			checkDelay(change.policy(), property);
			RateLimitRule each = compile(rule, property, change.limiter());
			each.binding().checkCost(change.policy());
			compiled.add(each);
		}
		return compiled;
	}

	private PolicyChange unchanged(String policy) {
		StoreRateLimiter limiter = this.registry.policy(policy);
		return new PolicyChange(limiter, limiter.policy(), () -> {
		});
	}

	private void check(RateLimitProperties.Rule rule, String property, Collection<String> policies) {
		checkPath(rule.path(), property + ".path");
		for (int i = 0; i < rule.except().size(); i++) {
			checkPath(rule.except().get(i), property + ".except[" + i + "]");
		}
		checkPolicy(rule.policy(), property + ".policy", policies);
		for (int i = 0; i < rule.methods().size(); i++) {
			checkMethod(rule.methods().get(i), property + ".methods[" + i + "]");
		}
	}

	private void checkPath(@Nullable String path, String property) {
		String action = "Set it to the pattern of the paths to limit, such as /api/**, or /** for all of them.";
		if (path == null) {
			throw InvalidRateLimitException.missing(property, action);
		}
		if (!StringUtils.hasText(path)) {
			throw InvalidRateLimitException.property(property, null, "is empty", action, null);
		}

		checkSyntax(path, property);
		checkPrefixes(path, property);
		if (ClassUtils.isPresent(MANAGEMENT_PORT_TYPE, getClass().getClassLoader())) {
			checkManagement(path, property);
		}
	}

	private static void checkSyntax(String path, String property) {
		if (REGULAR_EXPRESSION.matcher(VARIABLE.matcher(path).replaceAll("x")).find()) {
			throw InvalidRateLimitException.property(property, path,
					"is a regular expression, while a path is a pattern in Spring's syntax",
					"Write /api/** for all paths below /api, and /users/{id:\\d+} for a variable with a regular expression.",
					null);
		}
		if (!path.startsWith("/")) {
			throw InvalidRateLimitException.property(property, path, "does not begin with a slash",
					"Write a slash before it, as in /api/**, and no scheme, host or drive. A shell for Windows may have "
							+ "replaced its first slash.",
					null);
		}
		if (SEVERAL.matcher(VARIABLE.matcher(path).replaceAll("x")).find()) {
			throw InvalidRateLimitException.property(property, path, "has several paths, of which no request has all",
					"Write a rule for each path.", null);
		}

		String unmatched = unmatched(path);
		if (unmatched != null) {
			throw InvalidRateLimitException.property(property, path, "contains '" + unmatched
					+ "', while paths are matched normalised and decoded, without a query, a fragment and parameters",
					"Write the path as the application sees it, and ? for a character that such a path has. Look at "
							+ "parameters in the policy's key.",
					null);
		}
	}

	private void checkPrefixes(String path, String property) {
		for (String prefixProperty : this.prefixes) {
			String prefix = prefix(prefixProperty, "");
			if (begins(path, prefix)) {
				String rest = path.substring(prefix.length());
				String without = rest.isEmpty() ? "/" : rest;
				throw InvalidRateLimitException.property(property, path,
						"begins with " + prefixProperty + ", while paths are matched without it",
						"Write " + without + " instead. For a path that has it twice, write /{again:"
								+ prefix.substring(1) + "}" + rest + ".",
						null);
			}
		}
	}

	/**
	 * Finds the first part of a pattern, outside of its variables, that is in no path.
	 */
	static @Nullable String unmatched(String path) {
		Matcher unmatched = UNMATCHED.matcher(VARIABLE.matcher(path).replaceAll("x"));
		if (!unmatched.find()) {
			return null;
		}
		return unmatched.group();
	}

	/*
	 * The application's own server may have such a path, but hardly one of the endpoints.
	 * Needs the actuator.
	 */
	private void checkManagement(String path, String property) {
		String server = prefix(MANAGEMENT_BASE_PATH, "");
		String endpoints = server + prefix("management.endpoints.web.base-path", "/actuator");
		if (!server.isEmpty() && begins(path, endpoints)
				&& ManagementPortType.get(this.environment) == ManagementPortType.DIFFERENT) {
			throw InvalidRateLimitException.property(property, path,
					"begins with " + MANAGEMENT_BASE_PATH + ", while paths are matched without it",
					"Write " + path.substring(server.length()) + " instead.", null);
		}
	}

	private String prefix(String property, String byDefault) {
		return StringUtils.trimTrailingCharacter(this.environment.getProperty(property, byDefault), '/');
	}

	private static boolean begins(String path, String prefix) {
		return !prefix.isEmpty() && (path.equals(prefix) || path.startsWith(prefix + "/"));
	}

	private static void checkPolicy(@Nullable String policy, String property, Collection<String> policies) {
		if (!StringUtils.hasText(policy)) {
			throw InvalidRateLimitException.missing(property,
					"Set it to the name of a policy of ratelimit.policies. " + Suggestion.known(policies));
		}
		if (!policies.contains(policy)) {
			throw InvalidRateLimitException.property(property, policy, "names no policy of ratelimit.policies",
					Suggestion.brackets(policy, policies) + Suggestion.of(policy, policies), null);
		}
	}

	private static void checkMethod(String method, String property) {
		if (!METHODS.contains(method)) {
			throw InvalidRateLimitException.property(property, method, "is not an HTTP method",
					Suggestion.question(method, METHODS) + "Remove methods to limit requests of any method.", null);
		}
	}

	private void checkDelay(RateLimitPolicy policy, String rule) {
		Duration timeout = RateLimitAutoConfiguration.requestTimeout(this.environment);
		if (timeout != null && policy.longestDelay().compareTo(timeout) > 0) {
			String property = RateLimitAutoConfiguration.REQUEST_TIMEOUT;
			String shorter = policy.maxWait().isZero() ? "smaller burst or nodelay" : "shorter max-wait";
			throw InvalidRateLimitException.property(rule + ".policy", policy.name(),
					"could make a request wait for " + DurationText.of(policy.longestDelay()) + ", but " + property
							+ " is " + DurationText.of(timeout),
					"Give the policy a " + shorter + ", or raise " + property + ".", null);
		}
	}

	private static String property(int rule) {
		return "ratelimit.rules[" + rule + "]";
	}

	private RateLimitRule compile(RateLimitProperties.Rule rule, String property, StoreRateLimiter limiter) {
		PathPattern pattern = pattern(Objects.requireNonNull(rule.path()), property + ".path", this.parser);
		List<PathPattern> exceptions = exceptions(rule, pattern, property);
		AppliedLocation location = new AppliedLocation(LOCATION + rule, rule.key(), rule.cost(), rule.condition(),
				null);
		PolicyBinding binding = this.binder.bind(limiter, location, null, property);
		binding.checkPathVariables(List.of(pattern.getPatternString()));
		checkMessages(pattern, property, binding);
		return new RateLimitRule(pattern, exceptions, rule.methods(), binding,
				isAfterSecurity(rule, property, binding));
	}

	private List<PathPattern> exceptions(RateLimitProperties.Rule rule, PathPattern pattern, String property) {
		List<PathPattern> exceptions = new ArrayList<>();
		for (int i = 0; i < rule.except().size(); i++) {
			String path = rule.except().get(i);
			PathPattern exception = pattern(path, property + ".except[" + i + "]", this.parser);
			ExceptedPaths.check(exception, pattern, property + ".except[" + i + "]");
			exceptions.add(exception);
		}
		return exceptions;
	}

	private void checkMessages(PathPattern pattern, String property, PolicyBinding binding) {
		if (this.messages != null && binding.readsMessage() && !this.messages.areMatchedBy(pattern)) {
			throw InvalidRateLimitException.property(property + ".path", pattern.getPatternString(),
					"matches no endpoint of an MCP server, while an expression reads its messages",
					"Write the path of an endpoint, or add the path to ratelimit.mcp.endpoints.", null);
		}
	}

	private static boolean isAfterSecurity(RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		RateLimitExpression reader = binding.principalReader();
		if (rule.phase() == RateLimitProperties.Phase.BEFORE_SECURITY && reader != null) {
			throw readsUserBeforeSecurity(reader, rule, property, binding);
		}
		if (rule.phase() == null) {
			return binding.needsPrincipal();
		}
		return rule.phase() == RateLimitProperties.Phase.AFTER_SECURITY;
	}

	private static InvalidRateLimitException readsUserBeforeSecurity(RateLimitExpression reader,
			RateLimitProperties.Rule rule, String property, PolicyBinding binding) {
		boolean isKeyOfPolicy = reader == RateLimitExpression.KEY && rule.key() == null;
		String owner = "rule";
		String name = "the rule";
		if (isKeyOfPolicy || reader == RateLimitExpression.PLAN) {
			owner = "policy";
			name = "policy '" + binding.limiter().policy().name() + "'";
		}
		return InvalidRateLimitException.property(property + ".phase", "before-security",
				"cannot hold, because the " + reader.id() + " of " + name
						+ " reads the authenticated user, who is not known before Spring Security has run",
				"Remove phase, or give the " + owner + " a " + reader.id() + " that does not read the user.", null);
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

	/**
	 * Forgets what was prepared and is not in force, because a rule is noted at its
	 * policy when it is compiled.
	 */
	void release() {
		for (StoreRateLimiter limiter : this.registry.policies()) {
			limiter.removeLocations(
					(location) -> location.location().startsWith(LOCATION) && !isInForce(limiter, location));
		}
	}

	private boolean isInForce(StoreRateLimiter limiter, AppliedLocation location) {
		return this.inForce.stream()
			.map(RateLimitRule::binding)
			.anyMatch((binding) -> binding.limiter() == limiter && binding.location().equals(location));
	}

}
