package io.github.ratelimit.policy;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimitExpression;
import org.jspecify.annotations.Nullable;

/**
 * The rules, methods, routes and calls of chat models to which one policy is applied.
 */
final class AppliedLocations {

	/*
	 * They are sorted by location, because the text of each begins with it. A location
	 * may have several rules.
	 */
	private final Collection<AppliedLocation> locations = new ConcurrentSkipListSet<>();

	/**
	 * Adds a location.
	 * @return whether it is new and has an expression of its own that can fail
	 */
	boolean add(AppliedLocation location) {
		boolean added = this.locations.add(location);
		return added && (location.cost() != null || location.condition() != null || location.charge() != null
				|| location.chargeEach() != null);
	}

	void removeIf(Predicate<AppliedLocation> forgotten) {
		this.locations.removeIf(forgotten);
	}

	/**
	 * Whether a location has an expression that the policy does not have.
	 */
	boolean have(RateLimitExpression expression) {
		return switch (expression) {
			case KEY -> anyHas(AppliedLocation::key);
			case COST -> anyHas(AppliedLocation::cost);
			case CONDITION -> anyHas(AppliedLocation::condition);
			case CHARGE -> anyHas(AppliedLocation::charge);
			case CHARGE_EACH -> anyHas(AppliedLocation::chargeEach);
			case PLAN -> false;
		};
	}

	private boolean anyHas(Function<AppliedLocation, @Nullable String> expression) {
		return this.locations.stream().anyMatch((location) -> expression.apply(location) != null);
	}

	Collection<AppliedLocation> all() {
		return Collections.unmodifiableCollection(this.locations);
	}

	/**
	 * What they are called, each name once.
	 */
	Collection<String> names() {
		Set<String> names = new LinkedHashSet<>();
		for (AppliedLocation each : this.locations) {
			names.add(each.location());
		}
		return names;
	}

}
