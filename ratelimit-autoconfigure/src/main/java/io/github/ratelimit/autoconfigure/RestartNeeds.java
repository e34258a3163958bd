package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Finds changed properties that have no effect while the application runs.
 */
final class RestartNeeds {

	private static final Map<String, Function<RateLimitProperties, @Nullable Object>> PARTS = new LinkedHashMap<>();

	private static final Map<String, Function<RateLimitProperties.Policy, @Nullable Object>> OF_POLICY = new LinkedHashMap<>();

	static {
		PARTS.put("enabled", RateLimitProperties::enabled);
		PARTS.put("store", RateLimitProperties::store);
		PARTS.put("key", RateLimitProperties::key);
		PARTS.put("headers", (properties) -> List.of(properties.headers(), properties.headersReset(),
				properties.headersPolicyNames()));
		PARTS.put("cors", RateLimitProperties::cors);
		PARTS.put("client-address", RateLimitProperties::clientAddress);
		PARTS.put("caffeine", RateLimitProperties::caffeine);
		PARTS.put("redis", RateLimitProperties::redis);
		PARTS.put("waiting", RateLimitProperties::waiting);
		PARTS.put("plans", RateLimitProperties::plans);
		PARTS.put("overrides", RateLimitProperties::overrides);
		PARTS.put("springdoc", RateLimitProperties::springdoc);
		OF_POLICY.put("key", RateLimitProperties.Policy::key);
		OF_POLICY.put("charge", RateLimitProperties.Policy::charge);
		OF_POLICY.put("ban", RateLimitProperties.Policy::ban);
		OF_POLICY.put("plan", RateLimitProperties.Policy::plan);
		OF_POLICY.put("on-failure", RateLimitProperties.Policy::onFailure);
	}

	private final RateLimitProperties started;

	/* The policies as they were when they were defined. */
	private final Map<String, RateLimitProperties.Policy> policies;

	/* The values of which it is known, so that it is said once. */
	private final Map<String, @Nullable Object> known = new HashMap<>();

	RestartNeeds(RateLimitProperties started) {
		this.started = started;
		this.policies = new HashMap<>(started.policies());
	}

	/**
	 * Finds what has an effect after a restart only, unless it was found before.
	 * @param properties the properties as they are now
	 * @param keys the names of those that have changed
	 * @return a sentence for each
	 */
	List<String> find(RateLimitProperties properties, Collection<String> keys) {
		List<String> needs = new ArrayList<>();
		PARTS.forEach((part, value) -> {
			if (isNew("ratelimit." + part, value.apply(this.started), value.apply(properties))) {
				names("ratelimit." + part, keys).forEach((name) -> needs.add(changed(name)));
			}
		});
		this.policies.forEach((name, before) -> {
			String path = ConfiguredPolicies.property(name);
			RateLimitProperties.Policy after = properties.policies().get(name);
			if (isNew(path, true, after != null)) {
				needs.add(
						"The property '" + path + "' was removed, which needs a restart. Until then the policy stays.");
			}
			if (after != null && arePlansNew(path + ".plans", before, after)) {
				needs.add(changed(path + ".plans"));
			}
			OF_POLICY.forEach((part, value) -> {
				if (after != null && isNew(path + "." + part, value.apply(before), value.apply(after))) {
					needs.add(changed(path + "." + part));
				}
			});
		});
		properties.policies().forEach(this.policies::putIfAbsent);
		return needs;
	}

	/*
	 * Plans follow as long as there are some, and the same expression chooses among them.
	 */
	private boolean arePlansNew(String id, RateLimitProperties.Policy before, RateLimitProperties.Policy after) {
		return Objects.equals(before.plan(), after.plan())
				? isNew(id, before.plans().isEmpty(), after.plans().isEmpty())
				: isNew(id, before.plans(), after.plans());
	}

	/**
	 * Finds out whether something needs a restart that was not said before.
	 * @param id what it is
	 * @param before its value that is in force
	 * @param after its value after a restart
	 */
	boolean isNew(String id, @Nullable Object before, @Nullable Object after) {
		if (Objects.equals(before, after)) {
			this.known.remove(id);
			return false;
		}
		boolean known = this.known.containsKey(id) && Objects.equals(this.known.get(id), after);
		this.known.put(id, after);
		return !known;
	}

	private static String changed(String property) {
		return "The property '" + property + "' has changed, which needs a restart. Until then its old value holds.";
	}

	private static List<String> names(String part, Collection<String> keys) {
		ConfigurationPropertyName prefix = ConfigurationPropertyName.of(part);
		List<String> names = keys.stream()
			.map((key) -> ConfigurationPropertyName.adapt(key, '.'))
			.filter((name) -> prefix.equals(name) || prefix.isAncestorOf(name))
			.map(ConfigurationPropertyName::toString)
			.sorted()
			.toList();
		return names.isEmpty() ? List.of(part) : names;
	}

}
