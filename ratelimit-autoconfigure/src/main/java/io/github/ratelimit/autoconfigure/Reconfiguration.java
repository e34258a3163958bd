package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Method;
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
import io.github.ratelimit.remote.FailureMode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.ConstructorBound;
import org.springframework.boot.context.properties.bind.Binder;
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

	/* Where requests can wait in any case: at rules, and at filters of routes. */
	private static final List<String> WHERE_REQUESTS_WAIT = List.of(RuleCompiler.LOCATION, "filter ");

	/* The parts of a policy that need a restart. */
	private static final Set<String> OF_POLICY = Set.of("key", "charge", "chargeEach", "ban", "plan", "onFailure",
			"warnAt");

	private static final RateLimitProperties.Policy UNCONFIGURED = new Binder().bindOrCreate("none",
			RateLimitProperties.Policy.class);

	private final StoreRateLimiterRegistry registry;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Environment environment;

	private final ConfiguredPolicies policies;

	/* Null without a web stack. */
	private final @Nullable RuleCompiler compiler;

	private final RateLimitFindings findings;

	private final RateLimitProperties started;

	/* The policies as they were when they were defined. */
	private final Map<String, RateLimitProperties.Policy> defined;

	/* The properties that were reported to need a restart, each with its value. */
	private final Set<List<@Nullable Object>> reported = new HashSet<>();

	/*
	 * New policies of refreshes that then failed. A store keeps what it has opened, so
	 * the next refresh takes these.
	 */
	private final Map<NewPolicy, PolicyChange> unmade = new HashMap<>();

	private List<RateLimitProperties.Rule> rules;

	Reconfiguration(StoreRateLimiterRegistry registry, RateLimitProperties properties,
			ConfigurableListableBeanFactory beanFactory, Environment environment, ConfiguredPolicies policies,
			RateLimitFindings findings) {
		this.registry = registry;
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.policies = policies;
		this.compiler = compiler(beanFactory);
		this.findings = findings;
		this.started = properties;
		this.defined = new HashMap<>(properties.policies());
		this.rules = properties.rules();
	}

	private static @Nullable RuleCompiler compiler(ConfigurableListableBeanFactory beanFactory) {
		if (!beanFactory.containsBean(RuleCompiler.BEAN_NAME)) {
			return null;
		}
		return (RuleCompiler) beanFactory.getBean(RuleCompiler.BEAN_NAME);
	}

	/*
	 * The names of the event do not matter: a placeholder may have changed that stands in
	 * a property of ours.
	 */
	@Override
	public synchronized void onApplicationEvent(EnvironmentChangeEvent event) {
		try {
			change();
		}
		catch (RuntimeException ex) {
			reportMistake(ex);
		}
		finally {
			this.policies.forgetPrepared(this::isNew);
			if (this.compiler != null) {
				this.compiler.release();
			}
		}
	}

	private boolean isNew(String policy) {
		return this.registry.find(policy) == null;
	}

	private void reportMistake(RuntimeException mistake) {
		FailureAnalysis analysis = new InvalidRateLimitFailureAnalyzer(this.environment).analyze(mistake);
		String text = NestedExceptionUtils.getMostSpecificCause(mistake).getMessage();
		if (analysis != null) {
			text = analysis.getDescription() + " " + analysis.getAction();
		}

		boolean expected = analysis != null || mistake instanceof ConfigurationPropertiesBindException;
		RuntimeException traced = expected ? null : mistake;
		logger.error("Rate limits stay as they are, because the changed configuration is invalid. " + text, traced);
	}

	private void change() {
		RateLimitProperties properties = bind();
		this.policies.prepare(properties, this::isNew);
		Map<String, Prepared> prepared = prepare(properties);
		Map<String, PolicyChange> changes = new LinkedHashMap<>();
		prepared.forEach((name, each) -> changes.put(name, each.change()));
		check(properties);
		Runnable rules = () -> {
		};
		if (this.compiler != null) {
			rules = this.compiler.prepare(properties, changes);
		}

		defineUnconfigured(properties);
		List<String> texts = new ArrayList<>();
		for (Prepared each : prepared.values()) {
			each.change().make();
			if (each.text() != null) {
				texts.add(each.text());
			}
		}
		this.unmade.clear();
		this.policies.putInForce(properties);
		if (!this.rules.equals(properties.rules())) {
			texts.add("rules from " + text(this.rules) + " to " + text(properties.rules()));
			this.rules = properties.rules();
			rules.run();
			StartFindings.reportUnenforced(this.rules, this.beanFactory, this.findings);
		}

		if (!texts.isEmpty()) {
			logger.info("Rate limits have changed: " + String.join("; ", texts));
		}
		reportWhatNeedsARestart(properties);
	}

	/*
	 * A policy of an annotation that is configured only now keeps what a restart alone
	 * changes, as if it had been configured without.
	 */
	private void defineUnconfigured(RateLimitProperties properties) {
		for (String name : properties.policies().keySet()) {
			if (!isNew(name)) {
				this.defined.putIfAbsent(name, UNCONFIGURED);
			}
		}
	}

	/* Binds them as Spring Boot binds the bean, of which there is one only. */
	private RateLimitProperties bind() {
		String name = this.beanFactory.getBeanNamesForType(RateLimitProperties.class)[0];
		return (RateLimitProperties) ConstructorBound.from(this.beanFactory, name, RateLimitProperties.class);
	}

	private Map<String, Prepared> prepare(RateLimitProperties properties) {
		Map<String, Prepared> prepared = new LinkedHashMap<>();
		this.policies.forEach(properties, (configured) -> {
			StoreRateLimiter limiter = this.registry.find(configured.name());
			Prepared each = (limiter != null) ? prepare(limiter, configured) : prepareNew(configured);
			if (each != null) {
				prepared.put(configured.name(), each);
			}
		});
		return prepared;
	}

	private Prepared prepareNew(RateLimitPolicy configured) {
		NewPolicy policy = new NewPolicy(configured, this.policies.onFailure(configured.name()));
		PolicyChange change = this.unmade.computeIfAbsent(policy, (absent) -> this.registry.change(configured));
		return new Prepared(change, "policy " + configured + " is new");
	}

	/*
	 * Returns null if nothing changes. A longer delay that methods cannot wait for is
	 * only reported.
	 */
	private @Nullable Prepared prepare(StoreRateLimiter limiter, RateLimitPolicy configured) {
		RateLimitPolicy policy = PolicyChange.redefined(limiter.policy(), configured);
		String text = text(limiter.policy(), policy);
		if (text == null) {
			return null;
		}
		if (isUncheckedDelay(limiter, policy)) {
			return new Prepared(new PolicyChange(limiter, limiter.policy(), () -> reportDelay(policy)), null);
		}
		return new Prepared(this.registry.change(policy), text);
	}

	/*
	 * Whether a method can wait is found out from its type, when the application starts.
	 */
	private static boolean isUncheckedDelay(StoreRateLimiter limiter, RateLimitPolicy policy) {
		return policy.longestDelay().compareTo(limiter.policy().longestDelay()) > 0 && !limiter.appliedTo()
			.stream()
			.allMatch((location) -> WHERE_REQUESTS_WAIT.stream().anyMatch(location::startsWith));
	}

	private void check(RateLimitProperties properties) {
		if (!"false".equalsIgnoreCase(this.environment.getProperty("ratelimit.enabled"))) {
			RateLimitAutoConfiguration.checkEnabled(properties);
		}
		RateLimitAutoConfiguration.rateLimitClientAddressResolver(properties, this.environment, this.findings);
		RateLimitAutoConfiguration.rateLimitPolicyBinder(this.beanFactory,
				this.beanFactory.getBeanProvider(KeyResolver.class), properties, this.findings);
	}

	/* Says which parts of a policy change; null if none does, or none that can. */
	private static @Nullable String text(RateLimitPolicy before, RateLimitPolicy after) {
		String parts = text("limits", before.limits(), after.limits())
				+ text("shadow-limits", before.shadowLimits(), after.shadowLimits())
				+ text("plans", before.plans(), after.plans()) + text("mode", before.mode().id(), after.mode().id())
				+ text("max-wait", before.maxWait(), after.maxWait());
		if (parts.isEmpty()) {
			return null;
		}
		return "policy " + after.name() + " has " + parts.substring(2);
	}

	private static String text(String name, Object before, Object after) {
		if (before.equals(after)) {
			return "";
		}
		return ", " + name + " from " + before + " to " + after;
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

	private void reportWhatNeedsARestart(RateLimitProperties properties) {
		compare("ratelimit", this.started, properties, (part) -> !part.equals("policies") && !part.equals("rules"));
		this.defined.forEach((name, before) -> {
			String path = ConfiguredPolicies.property(name);
			RateLimitProperties.Policy after = properties.policies().get(name);
			if (after == null) {
				report(path, null, "was removed, which needs a restart. Until then the policy stays.");
				return;
			}

			compare(path, before, after, OF_POLICY::contains);
			if (plansNeedRestart(before, after)) {
				reportChange(path + ".plans", after.plans());
			}
		});
		properties.policies().forEach(this.defined::putIfAbsent);
	}

	/* The plans of a policy may change as long as the same expression chooses them. */
	private static boolean plansNeedRestart(RateLimitProperties.Policy before, RateLimitProperties.Policy after) {
		if (Objects.equals(before.plan(), after.plan())) {
			return before.plans().isEmpty() != after.plans().isEmpty();
		}
		return !before.plans().equals(after.plans());
	}

	private void compare(String path, Record before, Record after, Predicate<String> compared) {
		for (RecordComponent part : before.getClass().getRecordComponents()) {
			Method accessor = part.getAccessor();
			ReflectionUtils.makeAccessible(accessor);
			Object old = ReflectionUtils.invokeMethod(accessor, before);
			Object now = ReflectionUtils.invokeMethod(accessor, after);
			if (!compared.test(part.getName()) || Objects.equals(old, now)) {
				continue;
			}

			String name = path + "." + PropertyNames.name(before.getClass(), part);
			if (old instanceof Record oldParts && now instanceof Record newParts) {
				compare(name, oldParts, newParts, (any) -> true);
			}
			else {
				reportChange(name, now);
			}
		}
	}

	private void reportDelay(RateLimitPolicy policy) {
		report(ConfiguredPolicies.property(policy.name()), policy,
				"has changed so that calls of annotated methods would wait, which needs a restart. Until then its old "
						+ "limits hold.");
	}

	private void reportChange(String property, @Nullable Object value) {
		report(property, value, "has changed, which needs a restart. Until then its old value holds.");
	}

	/* Each property is reported once with the same value. */
	private void report(String property, @Nullable Object value, String text) {
		if (this.reported.add(Arrays.asList(property, value))) {
			logger.warn("The property '" + property + "' " + text);
		}
	}

	/**
	 * A change that is checked, and that has no effect before it is made.
	 *
	 * @param text what the log says of it; {@code null} if it says something else
	 */
	private record Prepared(PolicyChange change, @Nullable String text) {
	}

	/**
	 * All that a store is opened with.
	 *
	 * @param policy the policy
	 * @param onFailure what decides for it while the store cannot
	 */
	private record NewPolicy(RateLimitPolicy policy, FailureMode onFailure) {
	}

}
