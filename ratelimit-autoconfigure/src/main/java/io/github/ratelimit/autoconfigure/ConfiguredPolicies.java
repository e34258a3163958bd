package io.github.ratelimit.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPlan;
import io.github.ratelimit.RateLimitPlanResolver;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.PlanSettings;
import io.github.ratelimit.policy.PolicyChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.remote.FailureMode;
import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.Suggestion;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Creates the policies of {@code ratelimit.policies}. What they do not say themselves,
 * annotations of the same name do.
 */
final class ConfiguredPolicies {

	private static final Log logger = LogFactory.getLog(ConfiguredPolicies.class);

	/* Stands in until an annotation has given the numbers. Nothing is decided before. */
	private static final List<RateLimit> AWAITED = List
		.of(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofDays(31)));

	private static final Pattern SHARE = Pattern.compile("[0-9]{1,9}%");

	private final Map<String, RateLimitPolicy> annotated = new ConcurrentHashMap<>();

	/* The policies whose annotations would have let calls wait for longer. */
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private final RateLimitProperties properties;

	/* A policy that is gone from the properties stays until the next start. */
	private final Map<String, RateLimitProperties.Policy> inForce;

	/*
	 * The policies as their stores were opened: what decides for one while the store
	 * cannot stays as it is. One that an annotation has defined first is not among them.
	 */
	private final Map<String, RateLimitProperties.Policy> defined;

	private final @Nullable ObjectProvider<RateLimitPlanResolver> resolver;

	private volatile boolean started;

	/**
	 * Creates the policies that the application starts with.
	 * @param properties the properties
	 * @param resolver the bean that says who has which plan, or {@code null} if there is
	 * none
	 */
	ConfiguredPolicies(RateLimitProperties properties, @Nullable ObjectProvider<RateLimitPlanResolver> resolver) {
		this.properties = properties;
		this.inForce = new ConcurrentHashMap<>(properties.policies());
		this.defined = new ConcurrentHashMap<>(properties.policies());
		this.resolver = resolver;
	}

	PlanSettings planSettings(RateLimitClock clock) {
		RateLimitProperties.Plans plans = this.properties.plans();
		ObjectProvider<RateLimitPlanResolver> resolver = this.resolver;
		RateLimitPlanResolver asked = null;
		if (resolver != null) {
			asked = (policy, key) -> resolver.getObject().resolvePlan(policy, key);
		}
		return new PlanSettings(asked, plans.refresh(), plans.timeout(), plans.maximumSize(), plans.memory(), clock);
	}

	/**
	 * Passes each policy to a consumer, which may find it invalid, too.
	 */
	void forEach(RateLimitProperties properties, Consumer<RateLimitPolicy> consumer) {
		properties.policies().forEach((name, policy) -> create(name, policy, this.annotated.get(name), consumer));
	}

	/**
	 * Notes the policies of changed properties that are new, because their stores are
	 * opened before they are in force.
	 * @param isNew whether nobody has defined a policy yet
	 */
	void prepare(RateLimitProperties properties, Predicate<String> isNew) {
		properties.policies().forEach((name, policy) -> {
			if (isNew.test(name)) {
				this.defined.put(name, policy);
			}
		});
	}

	/**
	 * Forgets the policies that were prepared and are not in force.
	 * @param isNew whether nobody has defined a policy yet
	 */
	void forgetPrepared(Predicate<String> isNew) {
		this.defined.keySet().removeIf((name) -> isNew.test(name) && !this.inForce.containsKey(name));
	}

	/**
	 * What decides for a policy while the store cannot.
	 */
	FailureMode onFailure(String policy) {
		return Optional.ofNullable(ownOnFailure(policy)).orElse(this.properties.redis().onFailure());
	}

	/**
	 * The property that says what decides for a policy while the store cannot.
	 */
	String onFailureProperty(String policy) {
		return (ownOnFailure(policy) != null) ? property(policy) + ".on-failure" : "ratelimit.redis.on-failure";
	}

	private @Nullable FailureMode ownOnFailure(String policy) {
		return Optional.ofNullable(this.defined.get(policy)).map(RateLimitProperties.Policy::onFailure).orElse(null);
	}

	/**
	 * Takes the policies of changed properties as what annotations add to from now on.
	 */
	void putInForce(RateLimitProperties properties) {
		this.inForce.putAll(properties.policies());
	}

	/**
	 * Adds what an annotation says of a policy, which may be configured, too. After the
	 * start, it is the annotation of a bean whose class was not known before it was made.
	 */
	void add(RateLimitPolicy annotated, StoreRateLimiterRegistry registry) {
		RateLimitProperties.Policy configured = this.inForce.get(annotated.name());
		if (configured == null) {
			this.annotated.put(annotated.name(), annotated);
			return;
		}
		create(annotated.name(), configured, annotated, (completed) -> complete(annotated, completed, registry));
	}

	private void complete(RateLimitPolicy annotated, RateLimitPolicy completed, StoreRateLimiterRegistry registry) {
		StoreRateLimiter limiter = registry.policy(completed.name());
		RateLimitPolicy policy = PolicyChange.redefined(limiter.policy(), completed);
		if (this.started && isUncheckedDelay(limiter, policy)) {
			reportDelay(policy);
			return;
		}

		if (!policy.equals(limiter.policy())) {
			registry.change(policy).make();
		}
		this.annotated.put(annotated.name(), annotated);
	}

	/*
	 * Whether a rule or a method can wait for so long is found out when it is bound.
	 */
	private static boolean isUncheckedDelay(StoreRateLimiter limiter, RateLimitPolicy policy) {
		return policy.longestDelay().compareTo(limiter.policy().longestDelay()) > 0 && !limiter.appliedTo().isEmpty();
	}

	private void reportDelay(RateLimitPolicy policy) {
		if (this.reported.add(policy.name())) {
			String path = property(policy.name());
			logger.warn(
					"The policy '" + policy.name() + "' stays as it is, without what @RateLimited says in addition to '"
							+ path + "': calls would wait for up to " + DurationText.of(policy.longestDelay())
							+ ", and those that it limits already were not checked for that at the start. Set '" + path
							+ ".max-wait', or have the bean that is annotated made at the start.");
		}
	}

	/**
	 * Fails start-up if numbers are still missing, or if several beans say who has which
	 * plan.
	 */
	void check() {
		this.started = true;
		if (this.resolver != null) {
			this.resolver.getObject();
		}
		this.properties.policies().forEach((name, policy) -> {
			if (isIncomplete(policy) && !this.annotated.containsKey(name)) {
				failIncomplete(name, policy);
			}
		});
	}

	private void failIncomplete(String name, RateLimitProperties.Policy policy) {
		try {
			create(name, policy, null, (created) -> {
			});
		}
		catch (InvalidRateLimitException ex) {
			throw InvalidRateLimitException.property(ex.attribute(), null, ex.reason(),
					Suggestion.question(name, this.annotated.keySet()) + ex.action(), ex);
		}
	}

	private static boolean isIncomplete(RateLimitProperties.Policy policy) {
		return policy.limits().isEmpty() && (policy.limit() == null || policy.window() == null);
	}

	private void create(String name, RateLimitProperties.Policy policy, @Nullable RateLimitPolicy annotated,
			Consumer<RateLimitPolicy> consumer) {
		String path = property(name);
		RateLimitPolicy.Builder builder = RateLimitPolicy.builder(name)
			.key(policy.key())
			.charge(charge(name, policy))
			.chargeEach(policy.chargeEach())
			.limits(limits(policy, annotated, path))
			.mode(mode(policy, annotated))
			.shadowLimits(ConfiguredLimits.of(policy.shadowLimits(), path + ".shadow-limits"))
			.plan(policy.plan())
			.plans(plans(policy, path))
			.warnAt(shares(policy.warnAt(), path + ".warn-at"))
			.maxWait(maxWait(policy, annotated));

		try {
			consumer.accept(builder.ban(ban(policy.ban())).build());
		}
		catch (InvalidRateLimitException ex) {
			boolean ofWhereItIsApplied = !ex.isProperty() && !ex.isCode();
			boolean isWhole = ex.isProperty() && ex.attribute().startsWith("ratelimit.");
			if (ofWhereItIsApplied || isWhole) {
				throw ex;
			}
			if (ex.attribute().equals("name")) {
				throw InvalidRateLimitException.property(path, null, ex.reason(), ex.action(), ex);
			}
			boolean ofAnnotation = ex.attribute().equals("max-wait") && policy.maxWait() == null;
			if (ofAnnotation) {
				throw annotatedWait(ex, path);
			}
			throw asWritten(ex, policy).inProperty(path);
		}
	}

	/* The policy has no such property: its annotation lets requests wait. */
	private static InvalidRateLimitException annotatedWait(InvalidRateLimitException ex, String path) {
		String action = ex.action().replace("max-wait", "maxWait");
		return InvalidRateLimitException.property(path, null,
				"does not fit @RateLimited: its maxWait of " + ex.value() + " " + ex.reason(),
				action + " Or set '" + path + ".max-wait' to 0, with which nobody waits.", ex);
	}

	/*
	 * What a model has used is known when it has answered, so that each call is settled.
	 */
	private @Nullable String charge(String name, RateLimitProperties.Policy policy) {
		RateLimitAiProperties ai = this.properties.ai();
		boolean ofModels = ai != null && ai.names().contains(name);
		if (ofModels && policy.charge() == null && policy.chargeEach() == null) {
			return RateLimitAiProperties.CHARGE;
		}
		return policy.charge();
	}

	/* A single limit is named as it is written, without the list that it becomes. */
	private static InvalidRateLimitException asWritten(InvalidRateLimitException ex,
			RateLimitProperties.Policy policy) {
		RateLimitProperties.Limits written = policy;
		for (Map.Entry<String, RateLimitProperties.Plan> plan : policy.plans().entrySet()) {
			String path = "plans" + InvalidRateLimitException.element(plan.getKey()) + ".";
			if (ex.attribute().startsWith(path)) {
				written = plan.getValue();
			}
		}

		if (written.single().given().isEmpty()) {
			return ex;
		}
		return ex.inSingleLimit();
	}

	static String property(String name) {
		return "ratelimit.policies" + InvalidRateLimitException.element(name);
	}

	private static RateLimitMode mode(RateLimitProperties.Policy policy, @Nullable RateLimitPolicy annotated) {
		if (policy.mode() != null) {
			return policy.mode();
		}
		return (annotated != null) ? annotated.mode() : RateLimitMode.ENFORCE;
	}

	private static Duration maxWait(RateLimitProperties.Policy policy, @Nullable RateLimitPolicy annotated) {
		if (policy.maxWait() != null) {
			return policy.maxWait();
		}
		return (annotated != null) ? annotated.maxWait() : Duration.ZERO;
	}

	private List<RateLimit> limits(RateLimitProperties.Policy policy, @Nullable RateLimitPolicy annotated,
			String path) {
		if (annotated == null && !this.started && isIncomplete(policy)) {
			return AWAITED;
		}
		if (annotated == null || !policy.limits().isEmpty()) {
			return ConfiguredLimits.of(policy, path);
		}

		if (policy.single().given().isEmpty()) {
			return annotated.limits();
		}
		if (annotated.limits().size() == 1) {
			return List.of(ConfiguredLimits.completed(annotated.limits().get(0), policy.single(), path));
		}
		return ConfiguredLimits.of(policy, path);
	}

	private Map<String, RateLimitPlan> plans(RateLimitProperties.Policy policy, String path) {
		Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
		for (Map.Entry<String, RateLimitProperties.Plan> plan : policy.plans().entrySet()) {
			plans.put(plan.getKey(),
					plan(plan.getValue(), path + ".plans" + InvalidRateLimitException.element(plan.getKey())));
		}

		if (!plans.isEmpty() && policy.plan() == null && this.resolver == null) {
			throw InvalidRateLimitException.property(path + ".plans", null,
					"has plans that nobody has: the policy has no plan expression, and there is no "
							+ "RateLimitPlanResolver bean",
					"Set '" + path + ".plan' to an expression such as claim('plan'), or declare such a bean.", null);
		}
		return plans;
	}

	private static RateLimitPlan plan(RateLimitProperties.Plan plan, String path) {
		List<RateLimit> limits = ConfiguredLimits.of(plan, path);
		if (plan.unlimited() && !limits.isEmpty()) {
			throw InvalidRateLimitException.property(path + ".unlimited", true,
					"cannot be used together with limits of the plan", "Remove unlimited, or the limits of the plan.",
					null);
		}
		if (!plan.unlimited() && limits.isEmpty()) {
			throw InvalidRateLimitException.property(path, null,
					"has no limits, so that it is not known what the plan allows",
					"Set '" + path + ".limits', or '" + path + ".unlimited' to true.", null);
		}

		return plan.unlimited() ? RateLimitPlan.unlimited() : RateLimitPlan.of(limits);
	}

	private static int[] shares(List<String> written, String path) {
		int[] shares = new int[written.size()];
		for (int i = 0; i < shares.length; i++) {
			shares[i] = share(written.get(i), path + "[" + i + "]");
		}
		return shares;
	}

	private static int share(String written, String path) {
		if (!SHARE.matcher(written).matches()) {
			throw InvalidRateLimitException.property(path, written, "is no share of a limit",
					"Write a whole number from 1 to 100 with a percent sign, such as 80%.", null);
		}
		return Integer.parseInt(written, 0, written.length() - 1, 10);
	}

	private static @Nullable RateLimitBan ban(RateLimitProperties.@Nullable Ban ban) {
		if (ban == null) {
			return null;
		}
		return new RateLimitBan(ban.after(), ban.within(), ban.duration(), ban.multiplier(), ban.max());
	}

}
