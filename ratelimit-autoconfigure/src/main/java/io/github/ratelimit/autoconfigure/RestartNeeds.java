package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

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

	/* The values of which it is known, so that it is said once. */
	private final Map<String, @Nullable Object> known = new HashMap<>();

	RestartNeeds(RateLimitProperties started) {
		this.started = started;
		this.policies = new HashMap<>(started.policies());
	}

	/**
	 * Finds what has an effect after a restart only, unless it was found before.
	 * @param properties the properties as they are now
	 * @return a sentence for each
	 */
	List<String> find(RateLimitProperties properties) {
		List<String> needs = new ArrayList<>();
		compare("ratelimit", this.started, properties, (part) -> !part.equals("policies") && !part.equals("rules"),
				needs);
		this.policies.forEach((name, before) -> {
			String path = ConfiguredPolicies.property(name);
			RateLimitProperties.Policy after = properties.policies().get(name);
			if (isNew(path, true, after != null)) {
				needs.add(
						"The property '" + path + "' was removed, which needs a restart. Until then the policy stays.");
			}
			if (after != null) {
				compare(path, before, after, OF_POLICY::contains, needs);
				if (arePlansNew(path + ".plans", before, after)) {
					needs.add(changed(path + ".plans"));
				}
			}
		});
		properties.policies().forEach(this.policies::putIfAbsent);
		return needs;
	}

	private void compare(String path, Record before, Record after, Predicate<String> compared, List<String> needs) {
		for (RecordComponent part : before.getClass().getRecordComponents()) {
			if (compared.test(part.getName())) {
				String name = path + "." + DataObjectPropertyName.toDashedForm(part.getName());
				Object old = ReflectionUtils.invokeMethod(part.getAccessor(), before);
				Object now = ReflectionUtils.invokeMethod(part.getAccessor(), after);
				if (old instanceof Record oldParts && now instanceof Record newParts) {
					compare(name, oldParts, newParts, (any) -> true, needs);
				}
				else if (isNew(name, old, now)) {
					needs.add(changed(name));
				}
			}
		}
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

}
