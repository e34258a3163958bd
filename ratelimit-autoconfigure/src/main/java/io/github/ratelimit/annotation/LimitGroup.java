package io.github.ratelimit.annotation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitMode;

/**
 * Annotations that define one policy, because only their numbers differ.
 *
 * @param policy the name of a configured policy, or an empty text
 * @param name the name that the annotations give, or an empty text
 * @param key the key expression, or an empty text
 * @param cost the cost expression, or an empty text
 * @param condition the condition, or an empty text
 * @param charge the charge, or an empty text
 * @param mode whether the limits are enforced
 */
record LimitGroup(String policy, String name, String key, String cost, String condition, String charge,
		RateLimitMode mode) {

	static Map<LimitGroup, List<RateLimited>> of(List<RateLimited> annotations) {
		Map<LimitGroup, List<RateLimited>> groups = new LinkedHashMap<>();
		for (RateLimited annotation : annotations) {
			LimitGroup group = new LimitGroup(annotation.policy(), annotation.name(), annotation.key(),
					annotation.cost(), annotation.condition(), annotation.charge(), annotation.mode());
			groups.computeIfAbsent(group, (absent) -> new ArrayList<>()).add(annotation);
		}
		return groups;
	}

}
