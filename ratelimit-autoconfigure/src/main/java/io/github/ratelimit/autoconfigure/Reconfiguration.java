package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.ConstructorBound;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Applies properties under {@code ratelimit} that change while the application runs: all
 * that can, or nothing if anything is invalid. They are bound and checked as at the
 * start, into properties of their own, because the bean of the start never changes.
 */
final class Reconfiguration {

	private static final Log logger = LogFactory.getLog(Reconfiguration.class);

	private static final boolean POSSIBLE = ClassUtils.isPresent(
			"org.springframework.cloud.context.environment.EnvironmentChangeEvent",
			Reconfiguration.class.getClassLoader());

	private final StoreRateLimiterRegistry registry;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	private final PlanResolvers resolvers;

	private final AnnotatedNumbers annotated;

	private final ObjectProvider<RulesInForce> rulesInForce;

	private final RestartNeeds restartNeeds;

	private List<RateLimitProperties.Rule> rules;

	Reconfiguration(StoreRateLimiterRegistry registry, RateLimitProperties properties,
			ConfigurableListableBeanFactory beanFactory, Environment environment, PlanResolvers resolvers,
			AnnotatedNumbers annotated, ObjectProvider<RulesInForce> rulesInForce) {
		this.registry = registry;
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.resolvers = resolvers;
		this.annotated = annotated;
		this.rulesInForce = rulesInForce;
		this.restartNeeds = new RestartNeeds(properties);
		this.rules = properties.rules();
	}

	/**
	 * Whether policies and rules may change while the application runs.
	 */
	static boolean isPossible() {
		return POSSIBLE;
	}

	/**
	 * Applies the properties as they are now.
	 */
	synchronized void apply() {
		try {
			change();
		}
		catch (RuntimeException ex) {
			FailureAnalysis analysis = new InvalidRateLimitFailureAnalyzer(this.environment).analyze(ex);
			String what = "Rate limits stay as they are, because the changed configuration is invalid. ";
			if (analysis != null) {
				logger.error(what + analysis.getDescription() + " " + analysis.getAction());
			}
			else if (ex instanceof ConfigurationPropertiesBindException) {
				logger.error(what + NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
			}
			else {
				logger.error(what + ex.getMessage(), ex);
			}
		}
		finally {
			this.rulesInForce.forEach(RulesInForce::release);
		}
	}

	private void change() {
		RateLimitProperties properties = bind();
		List<String> changes = new ArrayList<>();
		List<RateLimitPolicy> delaying = new ArrayList<>();
		ChangedPolicies policies = policies(properties, changes, delaying);
		check(properties);
		List<Runnable> rules = this.rulesInForce.stream().map((each) -> each.prepare(properties, policies)).toList();
		policies.make();
		if (!this.rules.equals(properties.rules())) {
			rules.forEach(Runnable::run);
			changes.add("rules from " + ChangeText.rules(this.rules) + " to " + ChangeText.rules(properties.rules()));
			this.rules = properties.rules();
			StartFindings.warnOfRules(this.rules, this.beanFactory);
		}
		if (!changes.isEmpty()) {
			logger.info("Rate limits have changed: " + String.join("; ", changes));
		}
		this.restartNeeds.find(properties).forEach(logger::warn);
		delaying.forEach(this::warn);
	}

	/*
	 * As Spring Boot creates the bean, of which there is one only.
	 */
	private RateLimitProperties bind() {
		String name = this.beanFactory.getBeanNamesForType(RateLimitProperties.class)[0];
		return (RateLimitProperties) ConstructorBound.from(this.beanFactory, name, RateLimitProperties.class);
	}

	private ChangedPolicies policies(RateLimitProperties properties, List<String> changes,
			List<RateLimitPolicy> delaying) {
		ChangedPolicies policies = new ChangedPolicies(this.registry);
		ConfiguredPolicies.forEach(properties, this.resolvers.exist(), this.annotated, (configured) -> {
			StoreRateLimiter limiter = this.registry.find(configured.name());
			RateLimitPolicy policy = (limiter != null) ? PolicyChange.redefined(limiter.policy(), configured)
					: configured;
			String change = ChangeText.policy((limiter != null) ? limiter.policy() : null, policy);
			if (limiter != null && change != null && isUncheckedDelay(limiter, policy)) {
				delaying.add(policy);
			}
			else if (change != null) {
				policies.add(policy);
				changes.add(change);
			}
		});
		return policies;
	}

	/*
	 * Whether a method can wait is found out from its type, when the application starts.
	 */
	private static boolean isUncheckedDelay(StoreRateLimiter limiter, RateLimitPolicy policy) {
		return longestDelay(policy).compareTo(longestDelay(limiter.policy())) > 0
				&& !limiter.appliedTo().stream().allMatch((place) -> place.startsWith(RulesInForce.PLACE));
	}

	private static Duration longestDelay(RateLimitPolicy policy) {
		return policy.underAllPlans()
			.stream()
			.map(RateLimitPolicy::longestDelay)
			.max(Comparator.naturalOrder())
			.orElseThrow();
	}

	private void check(RateLimitProperties properties) {
		if (!"false".equalsIgnoreCase(this.environment.getProperty("ratelimit.enabled"))) {
			RateLimitAutoConfiguration.checkEnabled(properties);
		}
		RuleValidation.check(properties);
		RateLimitAutoConfiguration.checkHeaders(properties);
		RateLimitAutoConfiguration.checkOverrides(properties);
		ConfiguredPlans.settings(properties.plans(), null, RateLimitClock.system());
		WaitingRooms.create(properties.waiting(), this.environment, getClass().getClassLoader());
		DefaultKey.resolver(properties, this.beanFactory.getBeanProvider(KeyResolver.class), this.beanFactory);
	}

	private void warn(RateLimitPolicy delaying) {
		String property = ConfiguredPolicies.property(delaying.name());
		if (this.restartNeeds.isNew(property + ".limits", null, delaying)) {
			logger.warn(
					"The property '" + property + "' has changed so that calls of annotated methods would wait, which "
							+ "needs a restart. Until then its old limits hold.");
		}
	}

	/**
	 * What changes while the application runs, for the log.
	 */
	static final class ChangeText {

		private ChangeText() {
		}

		/**
		 * Compares what of a policy can change.
		 * @param before the policy that is in force, or {@code null} if there is none yet
		 * @param after the policy as it is configured
		 * @return the change, or {@code null} if there is none
		 */
		static @Nullable String policy(@Nullable RateLimitPolicy before, RateLimitPolicy after) {
			if (before == null) {
				return "policy " + after + " is new";
			}
			List<String> parts = new ArrayList<>();
			compare("limits", before.limits(), after.limits(), parts);
			compare("shadow-limits", before.shadowLimits(), after.shadowLimits(), parts);
			compare("plans", before.plans(), after.plans(), parts);
			compare("mode", before.mode().id(), after.mode().id(), parts);
			return parts.isEmpty() ? null : "policy " + after.name() + " has " + String.join(", ", parts);
		}

		private static void compare(String name, Object before, Object after, List<String> parts) {
			if (!before.equals(after)) {
				parts.add(name + " from " + before + " to " + after);
			}
		}

		static List<String> rules(List<RateLimitProperties.Rule> rules) {
			return rules.stream().map(ChangeText::rule).toList();
		}

		private static String rule(RateLimitProperties.Rule rule) {
			StringBuilder text = new StringBuilder();
			rule.methods().forEach((method) -> text.append(method).append(' '));
			text.append(rule.path()).append(" with ").append(rule.policy());
			add("key", rule.key(), text);
			add("cost", rule.cost(), text);
			add("condition", rule.condition(), text);
			add("phase", (rule.phase() != null) ? rule.phase().name().toLowerCase(Locale.ROOT).replace('_', '-') : null,
					text);
			return text.toString();
		}

		private static void add(String name, @Nullable String value, StringBuilder text) {
			if (value != null) {
				text.append(", ").append(name).append(' ').append(value);
			}
		}

	}

}
