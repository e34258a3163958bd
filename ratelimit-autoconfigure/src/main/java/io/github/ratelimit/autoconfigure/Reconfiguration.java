package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.ConstructorBound;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ReflectionUtils;

/**
 * Applies properties under {@code ratelimit} that change while the application runs: all
 * that can, or nothing if anything is invalid. They are bound and checked as at the
 * start, into properties of their own, because the bean of the start never changes.
 */
final class Reconfiguration implements ApplicationListener<EnvironmentChangeEvent> {

	private static final Log logger = LogFactory.getLog(Reconfiguration.class);

	/* What of a policy needs a restart. */
	private static final Set<String> OF_POLICY = Set.of("key", "charge", "ban", "plan", "onFailure");

	private final StoreRateLimiterRegistry registry;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	private final ConfiguredPolicies policies;

	/* None without a web stack. */
	private final @Nullable RuleCompiler compiler;

	private final RateLimitFindings findings;

	private final RateLimitProperties started;

	/* The policies as they were when they were defined. */
	private final Map<String, RateLimitProperties.Policy> defined;

	/* What is told to need a restart, with its value, so that it is told once. */
	private final Set<List<@Nullable Object>> told = new HashSet<>();

	private List<RateLimitProperties.Rule> rules;

	Reconfiguration(StoreRateLimiterRegistry registry, RateLimitProperties properties,
			ConfigurableListableBeanFactory beanFactory, Environment environment, ConfiguredPolicies policies,
			RateLimitFindings findings) {
		this.registry = registry;
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.policies = policies;
		this.compiler = beanFactory.containsBean(RuleCompiler.BEAN_NAME)
				? (RuleCompiler) beanFactory.getBean(RuleCompiler.BEAN_NAME) : null;
		this.findings = findings;
		this.started = properties;
		this.defined = new HashMap<>(properties.policies());
		this.rules = properties.rules();
	}

	/*
	 * A placeholder may be what has changed, so that no name under ratelimit need be.
	 */
	@Override
	public synchronized void onApplicationEvent(EnvironmentChangeEvent event) {
		try {
			change();
		}
		catch (RuntimeException ex) {
			FailureAnalysis analysis = new InvalidRateLimitFailureAnalyzer(this.environment).analyze(ex);
			String mistake = (analysis != null) ? analysis.getDescription() + " " + analysis.getAction()
					: NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
			boolean expected = analysis != null || ex instanceof ConfigurationPropertiesBindException;
			logger.error("Rate limits stay as they are, because the changed configuration is invalid. " + mistake,
					expected ? null : ex);
		}
		finally {
			if (this.compiler != null) {
				this.compiler.release();
			}
		}
	}

	private void change() {
		RateLimitProperties properties = bind();
		List<String> texts = new ArrayList<>();
		Map<String, PolicyChange> changes = changes(properties, texts);
		check(properties);
		Runnable rules = (this.compiler != null) ? this.compiler.prepare(properties, changes) : null;
		changes.values().forEach(PolicyChange::make);
		if (!this.rules.equals(properties.rules())) {
			texts.add("rules from " + text(this.rules) + " to " + text(properties.rules()));
			this.rules = properties.rules();
			if (rules != null) {
				rules.run();
			}
			StartFindings.findUnenforced(this.rules, this.beanFactory, this.findings);
		}
		if (!texts.isEmpty()) {
			logger.info("Rate limits have changed: " + String.join("; ", texts));
		}
		tellWhatNeedsARestart(properties);
	}

	/*
	 * As Spring Boot creates the bean, of which there is one only.
	 */
	private RateLimitProperties bind() {
		String name = this.beanFactory.getBeanNamesForType(RateLimitProperties.class)[0];
		return (RateLimitProperties) ConstructorBound.from(this.beanFactory, name, RateLimitProperties.class);
	}

	private Map<String, PolicyChange> changes(RateLimitProperties properties, List<String> texts) {
		Map<String, PolicyChange> changes = new LinkedHashMap<>();
		this.policies.forEach(properties, (configured) -> {
			StoreRateLimiter limiter = this.registry.find(configured.name());
			RateLimitPolicy policy = (limiter != null) ? PolicyChange.redefined(limiter.policy(), configured)
					: configured;
			String text = text((limiter != null) ? limiter.policy() : null, policy);
			if (limiter != null && text != null && isUncheckedDelay(limiter, policy)) {
				changes.put(policy.name(), new PolicyChange(limiter, limiter.policy(), () -> tellDelay(policy)));
			}
			else if (text != null) {
				changes.put(policy.name(), this.registry.change(policy));
				texts.add(text);
			}
		});
		return changes;
	}

	/*
	 * Whether a method can wait is found out from its type, when the application starts.
	 */
	private static boolean isUncheckedDelay(StoreRateLimiter limiter, RateLimitPolicy policy) {
		return policy.longestDelay().compareTo(limiter.policy().longestDelay()) > 0
				&& !limiter.appliedTo().stream().allMatch((place) -> place.startsWith(RuleCompiler.PLACE));
	}

	private void check(RateLimitProperties properties) {
		if (!"false".equalsIgnoreCase(this.environment.getProperty("ratelimit.enabled"))) {
			RateLimitAutoConfiguration.checkEnabled(properties);
		}
		RateLimitAutoConfiguration.rateLimitClientAddressResolver(properties, this.environment, this.findings);
		RateLimitAutoConfiguration.rateLimitPolicyBinder(this.beanFactory,
				this.beanFactory.getBeanProvider(KeyResolver.class), properties, this.findings);
	}

	/*
	 * What of a policy changes, or null if nothing that can does.
	 */
	private static @Nullable String text(@Nullable RateLimitPolicy before, RateLimitPolicy after) {
		if (before == null) {
			return "policy " + after + " is new";
		}
		String parts = text("limits", before.limits(), after.limits())
				+ text("shadow-limits", before.shadowLimits(), after.shadowLimits())
				+ text("plans", before.plans(), after.plans()) + text("mode", before.mode().id(), after.mode().id());
		return parts.isEmpty() ? null : "policy " + after.name() + " has " + parts.substring(2);
	}

	private static String text(String name, Object before, Object after) {
		return before.equals(after) ? "" : ", " + name + " from " + before + " to " + after;
	}

	private static List<String> text(List<RateLimitProperties.Rule> rules) {
		return rules.stream()
			.map((rule) -> rule + " with " + rule.policy() + text("key", rule.key()) + text("cost", rule.cost())
					+ text("condition", rule.condition()) + text("phase", rule.phase()))
			.toList();
	}

	private static String text(String name, @Nullable Object value) {
		return (value != null) ? ", " + name + " " + value : "";
	}

	private void tellWhatNeedsARestart(RateLimitProperties properties) {
		compare("ratelimit", this.started, properties, (part) -> !part.equals("policies") && !part.equals("rules"));
		this.defined.forEach((name, before) -> {
			String path = ConfiguredPolicies.property(name);
			RateLimitProperties.Policy after = properties.policies().get(name);
			if (after == null) {
				tell(path, null, "was removed, which needs a restart. Until then the policy stays.");
				return;
			}
			compare(path, before, after, OF_POLICY::contains);
			/* Those that there are follow, as long as the same expression chooses. */
			boolean chosen = Objects.equals(before.plan(), after.plan());
			if (chosen ? before.plans().isEmpty() != after.plans().isEmpty() : !before.plans().equals(after.plans())) {
				tellChange(path + ".plans", after.plans());
			}
		});
		properties.policies().forEach(this.defined::putIfAbsent);
	}

	private void compare(String path, Record before, Record after, Predicate<String> compared) {
		for (RecordComponent part : before.getClass().getRecordComponents()) {
			Object old = ReflectionUtils.invokeMethod(part.getAccessor(), before);
			Object now = ReflectionUtils.invokeMethod(part.getAccessor(), after);
			if (compared.test(part.getName()) && !Objects.equals(old, now)) {
				String name = path + "." + PropertyNames.name(before.getClass(), part);
				if (old instanceof Record oldParts && now instanceof Record newParts) {
					compare(name, oldParts, newParts, (any) -> true);
				}
				else {
					tellChange(name, now);
				}
			}
		}
	}

	private void tellDelay(RateLimitPolicy policy) {
		tell(ConfiguredPolicies.property(policy.name()), policy,
				"has changed so that calls of annotated methods would wait, which needs a restart. Until then its old "
						+ "limits hold.");
	}

	private void tellChange(String property, @Nullable Object value) {
		tell(property, value, "has changed, which needs a restart. Until then its old value holds.");
	}

	private void tell(String property, @Nullable Object value, String text) {
		if (this.told.add(Arrays.asList(property, value))) {
			logger.warn("The property '" + property + "' " + text);
		}
	}

}
