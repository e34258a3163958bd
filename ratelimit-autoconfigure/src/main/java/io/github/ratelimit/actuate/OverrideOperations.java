package io.github.ratelimit.actuate;

import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.policy.OverrideChange;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the endpoint on overrides, and their answers.
 *
 * @param registry has the limiters whose policies are overridden
 * @param reader creates overrides, or {@code null} if none can be sent
 * @param stateKeys changes a key that was typed into the key that requests have
 */
record OverrideOperations(StoreRateLimiterRegistry registry, @Nullable OverrideReader reader,
		BiFunction<StoreRateLimiter, String, String> stateKeys) {

	/* Nobody would read a longer list beside each policy. */
	private static final int MAX_LISTED = 100;

	/* If-Match has the version in quotes, a parameter may have it without. */
	private static final Pattern VERSION = Pattern.compile("\"?(\\d{1,18})\"?");

	/* Stands for whichever version is in force, but not for none. */
	private static final String ANY = "*";

	/* The word after a policy in the path of its override. */
	static final String WORD = "override";

	/** The title of a mistake in an override. */
	static final String INVALID = "Invalid override";

	private static final String NOT_CHANGED = "Override not changed";

	/**
	 * The overrides of a policy and its plans, and of some of its keys.
	 * @return the overrides, or {@code null} if there are none
	 */
	@Nullable List<OverrideDescriptor> list(String policy) {
		List<OverrideDescriptor> listed = this.registry.overrides()
			.inForce()
			.stream()
			.filter((each) -> each.override().target().policy().equals(policy))
			.sorted(Comparator.comparing((each) -> each.override().target().key() != null))
			.limit(MAX_LISTED)
			.map((each) -> OverrideDescriptor.of(each, this.registry))
			.toList();
		return listed.isEmpty() ? null : listed;
	}

	@Nullable OverrideDescriptor find(RateLimitOverride.Target target) {
		return describe(this.registry.overrides().find(target));
	}

	private @Nullable OverrideDescriptor describe(RateLimitOverrides.@Nullable InForce inForce) {
		return (inForce != null) ? OverrideDescriptor.of(inForce, this.registry) : null;
	}

	/**
	 * The target of an operation: what is to be overridden, or is.
	 * @param policy the policy's name
	 * @param word the word after it in the path
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @return the target, or {@code null} if there is no such policy, or the word is
	 * another
	 * @throws InvalidOperationException if there can be no such target
	 */
	RateLimitOverride.@Nullable Target target(String policy, String word, @Nullable String key, @Nullable String plan) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null || !word.equals(WORD)) {
			return null;
		}

		try {
			String stateKey = (key != null) ? this.stateKeys.apply(limiter, key) : null;
			return new RateLimitOverride.Target(limiter.policy().name(), plan, stateKey);
		}
		catch (InvalidRateLimitException ex) {
			throw new InvalidOperationException(INVALID, 400, ex.getMessage() + ".", ex.action(), null, null);
		}
	}

	/**
	 * Puts an override in force.
	 * @return the override, and whether it replaces another
	 * @throws InvalidOperationException if it was not, or if the store has not said
	 * whether it was
	 */
	Put put(RateLimitOverride.Target target, String json, @Nullable String version, @Nullable String who) {
		OverrideReader reader = this.reader;
		if (reader == null) {
			throw new InvalidOperationException(NOT_CHANGED, 501,
					"Overrides cannot be read, because Jackson 3 is not on the class path.",
					"Add the dependency org.springframework.boot:spring-boot-starter-jackson.", null, null);
		}

		SentJson sent = SentJson.ofOverride(json);
		RateLimitOverride override = sent.create((texts) -> reader.read(target, defined(target), texts, who));
		try {
			OverrideChange change = this.registry.override(override, version(target, version));
			return new Put(OverrideDescriptor.of(change.inForce(), this.registry), change.replaced());
		}
		catch (RateLimitOverrideException ex) {
			throw refused(ex, target);
		}
		catch (InvalidRateLimitException ex) {
			if (ex.isCode()) {
				throw sent.invalid(ex);
			}
			throw new InvalidOperationException(INVALID, 400, ex.getMessage() + ".", ex.action(), "$", null);
		}
	}

	/* An unlimited plan has none of its own. */
	private List<RateLimit> defined(RateLimitOverride.Target target) {
		RateLimitPolicy policy = this.registry.policy(target.policy()).policy();
		RateLimitPolicy ofPlan = (target.plan() != null) ? policy.underPlan(target.plan()) : null;
		return (ofPlan != null) ? ofPlan.limits() : policy.limits();
	}

	/**
	 * Takes an override back.
	 * @throws InvalidOperationException if it was not, or if the store has not said
	 * whether it was
	 */
	void remove(RateLimitOverride.Target target, @Nullable String version, @Nullable String who) {
		try {
			if (!this.registry.removeOverride(target, version(target, version), who)) {
				throw none(NOT_CHANGED);
			}
		}
		catch (RateLimitOverrideException ex) {
			throw refused(ex, target);
		}
	}

	static InvalidOperationException notFound() {
		return none("Override not found");
	}

	private static InvalidOperationException none(String title) {
		return new InvalidOperationException(title, 404, "There is no such override.",
				"GET of the endpoint shows those that are in force.", null, null);
	}

	private long version(RateLimitOverride.Target target, @Nullable String version) {
		if (version == null) {
			return RateLimitOverrides.ANY_VERSION;
		}
		if (version.strip().equals(ANY)) {
			// another instance may have changed it since this one has looked
			this.registry.followOverrides();
			RateLimitOverrides.InForce current = this.registry.overrides().find(target);
			if (current == null) {
				throw new RateLimitOverrideException(Reason.CONFLICT, "There is no override to change", null, null);
			}
			return current.version();
		}

		Matcher number = VERSION.matcher(version.strip());
		if (!number.matches()) {
			throw new InvalidOperationException(NOT_CHANGED, 400, "The expected version is not a version.",
					"Send the version that GET shows, in quotes in If-Match, or 0 for none, as If-None-Match: * does.",
					null, null);
		}
		return Long.parseLong(number.group(1));
	}

	private InvalidOperationException refused(RateLimitOverrideException refused, RateLimitOverride.Target target) {
		return switch (refused.reason()) {
			case CONFLICT -> refused(refused, NOT_CHANGED, 412, null);
			case FULL -> refused(refused, NOT_CHANGED, 409, null);
			case UNKNOWN_PLAN -> refused(refused, NOT_CHANGED, 404, Suggestion.of(String.valueOf(target.plan()),
					this.registry.policy(target.policy()).policy().plans().keySet()));
			case UNAVAILABLE ->
				refused(refused, "Outcome unknown", 503, "GET shows what is in force once the store answers again.");
		};
	}

	private InvalidOperationException refused(RateLimitOverrideException refused, String title, int status,
			@Nullable String action) {
		return new InvalidOperationException(title, status, refused.getMessage() + ".", action, null,
				describe(refused.current()));
	}

	/**
	 * An override that was put in force.
	 *
	 * @param override the override
	 * @param replaces whether it is in the place of another
	 */
	record Put(OverrideDescriptor override, boolean replaces) {
	}

}
