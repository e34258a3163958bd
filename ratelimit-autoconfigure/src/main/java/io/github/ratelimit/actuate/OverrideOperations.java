package io.github.ratelimit.actuate;

import java.lang.annotation.Target;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the endpoint does to overrides, and what it answers.
 */
final class OverrideOperations {

	/* With more of them, the list of all policies would not be read by anybody. */
	private static final int LISTED_KEYS = 100;

	/* For whatever is in force, but not for nothing. */
	private static final String ANY = "*";

	/* Where a policy's override is. */
	private static final String WORD = "override";

	private final RateLimiterRegistry limiters;

	private final @Nullable OverrideReader reader;

	private final BiFunction<RateLimiter, String, String> stateKeys;

	/**
	 * Creates the operations.
	 * @param limiters the limiters whose policies are overridden
	 * @param reader reads overrides, or {@code null} if none can be sent
	 * @param stateKeys makes what was typed a key as requests have it
	 */
	OverrideOperations(RateLimiterRegistry limiters, @Nullable OverrideReader reader,
			BiFunction<RateLimiter, String, String> stateKeys) {
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

	@Nullable OverrideDescriptor ofKey(RateLimiter limiter, String stateKey) {
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
	@Nullable Answer get(String policy, String word, @Nullable String key, @Nullable String plan) {
		RateLimitOverride.Target target = word.equals(WORD) ? target(policy, key, plan) : null;
		if (target == null) {
			return null;
		}
		OverrideDescriptor found = find(target);
		return (found != null) ? new Answer(200, found) : none();
	}

	/**
	 * Puts an override in force.
	 * @return the answer, or {@code null} if there is no such policy
	 */
	@Nullable Answer put(String policy, String json, @Nullable String key, @Nullable String plan, @Nullable String version,
			@Nullable String who) {
		RateLimitOverride.Target target = target(policy, key, plan);
		return (target != null) ? put(target, version, json, who) : null;
	}

	/**
	 * Takes an override back.
	 * @return the answer, or {@code null} if there is no such policy or place
	 */
	@Nullable Answer remove(String policy, String word, @Nullable String key, @Nullable String plan, @Nullable String version,
			@Nullable String who) {
		RateLimitOverride.Target target = word.equals(WORD) ? target(policy, key, plan) : null;
		return (target != null) ? remove(target, version, who) : null;
	}

	private RateLimitOverride.@Nullable Target target(String policy, @Nullable String key, @Nullable String plan) {
		RateLimiter limiter = this.limiters.find(policy);
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

	private Answer put(RateLimitOverride.Target target, @Nullable String version, String json, @Nullable String who) {
		return answered(target, json, () -> {
			OverrideReader reader = this.reader;
			if (reader == null) {
				return problem(501, "Overrides cannot be read, because Jackson is not on the class path.",
						"Add the dependency org.springframework.boot:spring-boot-starter-jackson.");
			}
			RateLimitOverride override = reader.read(target, json, who);
			RateLimitOverrides overrides = this.limiters.overrides();
			boolean created = overrides.find(target) == null;
			RateLimitOverrides.InForce inForce = overrides.put(override, version(target, version));
			return new Answer(created ? 201 : 200, OverrideDescriptor.of(inForce, this.limiters));
		});
	}

	private Answer remove(RateLimitOverride.Target target, @Nullable String version, @Nullable String who) {
		return answered(target, "{}", () -> {
			RateLimitOverrides.InForce removed = this.limiters.overrides()
				.remove(target, version(target, version), who);
			return (removed != null) ? new Answer(204, null) : none();
		});
	}

	private static Answer none() {
		return problem(404, "There is no such override.", "GET shows all that are in force.");
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
		try {
			long number = Long.parseLong(version);
			if (number >= 0) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// told below
		}
		throw new InvalidOperationException(400, "The expected version is not a version.",
				"Send the version that GET shows, in quotes in If-Match, or 0 for none.", null);
	}

	private Answer answered(RateLimitOverride.Target target, String json, Supplier<Answer> change) {
		try {
			return change.get();
		}
		catch (InvalidOperationException ex) {
			return new Answer(ex.status(), problem(ex));
		}
		catch (InvalidRateLimitException ex) {
			OverrideReader reader = this.reader;
			InvalidOperationException invalid = (reader != null) ? reader.explain(json, ex)
					: new InvalidOperationException(400, ex.getMessage() + ".", ex.action(), null);
			return new Answer(invalid.status(), problem(invalid));
		}
		catch (RateLimitOverrideException ex) {
			return refused(ex, target);
		}
	}

	static OperationProblem problem(InvalidOperationException invalid) {
		return OperationProblem.of("Invalid override", invalid);
	}

	private Answer refused(RateLimitOverrideException refused, RateLimitOverride.Target target) {
		int status = switch (refused.reason()) {
			case CONFLICT -> 412;
			case FULL -> 409;
			case UNKNOWN_PLAN -> 404;
			case UNAVAILABLE -> 503;
		};
		boolean unknown = refused.reason() == RateLimitOverrideException.Reason.UNAVAILABLE;
		String action = switch (refused.reason()) {
			case UNAVAILABLE -> "GET shows what is in force once the store answers again.";
			case UNKNOWN_PLAN -> Suggestion.of(String.valueOf(target.plan()),
					this.limiters.policy(target.policy()).policy().plans().keySet());
			default -> null;
		};
		RateLimitOverrides.InForce current = refused.current();
		return new Answer(status,
				new OperationProblem(unknown ? "Outcome unknown" : "Override not changed", status,
						refused.getMessage() + ".", action, null,
						(current != null) ? OverrideDescriptor.of(current, this.limiters) : null));
	}

	private static Answer problem(int status, String detail, String action) {
		return new Answer(status, new OperationProblem("Override not changed", status, detail, action, null, null));
	}

	/**
	 * What is answered.
	 *
	 * @param status the status
	 * @param body the override, the problem, or {@code null}
	 */
	record Answer(int status, @Nullable OperationResponseBody body) {

		@Nullable OverrideDescriptor override() {
			return (this.body instanceof OverrideDescriptor override) ? override : null;
		}

		/**
		 * What was done, where a problem cannot be answered.
		 */
		@Nullable OverrideDescriptor done() {
			if (this.body instanceof OperationProblem problem) {
				String action = problem.action();
				throw new InvalidEndpointRequestException(problem.detail() + ((action != null) ? " " + action : ""),
						problem.detail());
			}
			return override();
		}

	}

}
