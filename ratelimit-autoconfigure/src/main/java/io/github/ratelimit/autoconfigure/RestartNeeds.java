package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimitPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.util.ReflectionUtils;

/**
 * Finds changed properties that have no effect while the application runs.
 */
final class RestartNeeds {

	private static final Set<String> OF_POLICY = Set.of("key", "charge", "ban", "plan", "onFailure");

	private final RateLimitProperties started;

	/* The policies as they were when they were defined. */
	private final Map<String, RateLimitProperties.Policy> policies;

	/* Properties with their values of which it is known, so that it is said once. */
	private final Set<List<@Nullable Object>> known = new HashSet<>();

	private List<String> needs = List.of();

	RestartNeeds(RateLimitProperties started) {
		this.started = started;
		this.policies = new HashMap<>(started.policies());
	}

	/**
	 * Finds what has an effect after a restart only, unless it was found before.
	 * @param properties the properties as they are now
	 * @param delaying policies whose new limits would make annotated methods wait
	 * @return a sentence for each
	 */
	List<String> find(RateLimitProperties properties, List<RateLimitPolicy> delaying) {
		this.needs = new ArrayList<>();
		compare("ratelimit", this.started, properties, (part) -> !part.equals("policies") && !part.equals("rules"));
		this.policies.forEach((name, before) -> {
			String path = ConfiguredPolicies.property(name);
			RateLimitProperties.Policy after = properties.policies().get(name);
			if (after == null) {
				add(path, null, "was removed, which needs a restart. Until then the policy stays.");
				return;
			}
			compare(path, before, after, OF_POLICY::contains);
			/* Those that there are follow, as long as the same expression chooses. */
			boolean chosen = Objects.equals(before.plan(), after.plan());
			if (chosen ? before.plans().isEmpty() != after.plans().isEmpty() : !before.plans().equals(after.plans())) {
				addChange(path + ".plans", after.plans());
			}
		});
		delaying.forEach((policy) -> add(ConfiguredPolicies.property(policy.name()), policy,
				"has changed so that calls of annotated methods would wait, which needs a restart. Until then its old "
						+ "limits hold."));
		properties.policies().forEach(this.policies::putIfAbsent);
		return this.needs;
	}

	private void compare(String path, Record before, Record after, Predicate<String> compared) {
		for (RecordComponent part : before.getClass().getRecordComponents()) {
			if (compared.test(part.getName())) {
				String name = path + "." + DataObjectPropertyName.toDashedForm(part.getName());
				Object old = ReflectionUtils.invokeMethod(part.getAccessor(), before);
				Object now = ReflectionUtils.invokeMethod(part.getAccessor(), after);
				if (old instanceof Record oldParts && now instanceof Record newParts) {
					compare(name, oldParts, newParts, (any) -> true);
				}
				else if (!Objects.equals(old, now)) {
					addChange(name, now);
				}
			}
		}
	}

	private void addChange(String property, @Nullable Object value) {
		add(property, value, "has changed, which needs a restart. Until then its old value holds.");
	}

	private void add(String property, @Nullable Object value, String text) {
		if (this.known.add(Arrays.asList(property, value))) {
			this.needs.add("The property '" + property + "' " + text);
		}
	}

}
