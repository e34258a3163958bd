package io.github.ratelimit.actuate;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.Suggestion;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * What the endpoint does to overrides, and what it answers.
 */
final class OverrideOperations {

	/* With more of them, the list of all policies would not be read by anybody. */
	private static final int LISTED_KEYS = 100;

	private static final Pattern VERSION = Pattern.compile("\\d{1,18}");

	/* For whatever is in force, but not for nothing. */
	private static final String ANY = "*";

	/* Where a policy's override is. */
	private static final String WORD = "override";

	private static final String NOT_CHANGED = "Override not changed";

	private final StoreRateLimiterRegistry limiters;

	private final @Nullable OverrideReader reader;

	private final BiFunction<StoreRateLimiter, String, String> stateKeys;

	/**
	 * Creates the operations.
	 * @param limiters the limiters whose policies are overridden
	 * @param reader reads overrides, or {@code null} if none can be sent
	 * @param stateKeys makes what was typed a key as requests have it
	 */
	OverrideOperations(StoreRateLimiterRegistry limiters, @Nullable OverrideReader reader,
			BiFunction<StoreRateLimiter, String, String> stateKeys) {
		this.limiters = limiters;
		this.reader = reader;
		this.stateKeys = stateKeys;
	}

	/**
	 * The overrides of a policy and its plans, and of some of its keys.
	 * @return the overrides, or {@code null} if there are none
	 */
	@Nullable List<OverrideDescriptor> list(String policy) {
		List<RateLimitOverrides.InForce> all = this.limiters.overrides()
			.inForce()
			.stream()
			.filter((each) -> each.override().target().policy().equals(policy))
			.toList();
		List<OverrideDescriptor> listed = Stream
			.concat(all.stream().filter((each) -> each.override().target().key() == null),
					all.stream().filter((each) -> each.override().target().key() != null).limit(LISTED_KEYS))
			.map((each) -> OverrideDescriptor.of(each, this.limiters))
			.toList();
		return listed.isEmpty() ? null : listed;
	}

	@Nullable OverrideDescriptor ofKey(StoreRateLimiter limiter, String stateKey) {
		return find(new RateLimitOverride.Target(limiter.policy().name(), null, stateKey));
	}

	private @Nullable OverrideDescriptor find(RateLimitOverride.Target target) {
		RateLimitOverrides.InForce inForce = this.limiters.overrides().find(target);
		return (inForce != null) ? OverrideDescriptor.of(inForce, this.limiters) : null;
	}

	/**
	 * Looks for an override.
	 * @return the answer, or {@code null} if there is no such policy or place
	 */
	@Nullable WebEndpointResponse<Object> get(String policy, String word, @Nullable String key, @Nullable String plan) {
		RateLimitOverride.Target target = target(policy, word, key, plan);
		if (target == null) {
			return null;
		}
		OverrideDescriptor found = find(target);
		return (found != null) ? new WebEndpointResponse<>(found) : none();
	}

	/**
	 * Puts an override in force.
	 * @return the answer, or {@code null} if there is no such policy
	 */
	@Nullable WebEndpointResponse<Object> put(String policy, String json, @Nullable String key, @Nullable String plan,
			@Nullable String version, @Nullable String who) {
		RateLimitOverride.Target target = target(policy, WORD, key, plan);
		return (target == null) ? null : answered(target, () -> {
			if (this.reader == null) {
				throw new InvalidOperationException(501,
						"Overrides cannot be read, because Jackson is not on the class path.",
						"Add the dependency org.springframework.boot:spring-boot-starter-jackson.", null);
			}
			RateLimitOverrides overrides = this.limiters.overrides();
			boolean created = overrides.find(target) == null;
			RateLimitOverrides.InForce inForce = this.reader.read(target, json, who,
					(override) -> overrides.put(override, version(target, version)));
			return new WebEndpointResponse<>(OverrideDescriptor.of(inForce, this.limiters), created ? 201 : 200);
		});
	}

	/**
	 * Takes an override back.
	 * @return the answer, or {@code null} if there is no such policy or place
	 */
	@Nullable WebEndpointResponse<Object> remove(String policy, String word, @Nullable String key, @Nullable String plan,
			@Nullable String version, @Nullable String who) {
		RateLimitOverride.Target target = target(policy, word, key, plan);
		return (target == null) ? null : answered(target, () -> {
			RateLimitOverrides.InForce removed = this.limiters.overrides()
				.remove(target, version(target, version), who);
			return (removed != null) ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT) : none();
		});
	}

	private RateLimitOverride.@Nullable Target target(String policy, String word, @Nullable String key,
			@Nullable String plan) {
		StoreRateLimiter limiter = word.equals(WORD) ? this.limiters.find(policy) : null;
		if (limiter == null) {
			return null;
		}
		if (plan != null && (plan.isEmpty() || key != null)) {
			throw new InvalidEndpointRequestException("The plan is empty or stands beside a key",
					"Give either a key or the name of a plan");
		}
		return new RateLimitOverride.Target(limiter.policy().name(), plan,
				(key != null) ? this.stateKeys.apply(limiter, key) : null);
	}

	private static WebEndpointResponse<Object> none() {
		return new OperationProblem(NOT_CHANGED, 404, "There is no such override.", "GET shows all that are in force.",
				null, null)
			.answer();
	}

	private long version(RateLimitOverride.Target target, @Nullable String version) {
		if (version == null) {
			return RateLimitOverrides.ANY_VERSION;
		}
		if (version.equals(ANY)) {
			RateLimitOverrides.InForce current = this.limiters.overrides().find(target);
			if (current == null) {
				throw new RateLimitOverrideException(RateLimitOverrideException.Reason.CONFLICT,
						"There is no override to change", null, null);
			}
			return current.version();
		}
		if (!VERSION.matcher(version).matches()) {
			throw new InvalidOperationException(400, "The expected version is not a version.",
					"Send the version that GET shows, in quotes in If-Match, or 0 for none.", null);
		}
		return Long.parseLong(version);
	}

	private WebEndpointResponse<Object> answered(RateLimitOverride.Target target,
			Supplier<WebEndpointResponse<Object>> change) {
		try {
			return change.get();
		}
		catch (InvalidOperationException ex) {
			return ex.answer(OverrideReader.INVALID);
		}
		catch (RateLimitOverrideException ex) {
			return refused(ex, target);
		}
	}

	private WebEndpointResponse<Object> refused(RateLimitOverrideException refused, RateLimitOverride.Target target) {
		int status = switch (refused.reason()) {
			case CONFLICT -> 412;
			case FULL -> 409;
			case UNKNOWN_PLAN -> 404;
			case UNAVAILABLE -> 503;
		};
		String action = switch (refused.reason()) {
			case UNAVAILABLE -> "GET shows what is in force once the store answers again.";
			case UNKNOWN_PLAN -> Suggestion.of(String.valueOf(target.plan()),
					this.limiters.policy(target.policy()).policy().plans().keySet());
			default -> null;
		};
		RateLimitOverrides.InForce current = refused.current();
		return new OperationProblem((status == 503) ? "Outcome unknown" : NOT_CHANGED, status,
				refused.getMessage() + ".", action, null,
				(current != null) ? OverrideDescriptor.of(current, this.limiters) : null)
			.answer();
	}

}
