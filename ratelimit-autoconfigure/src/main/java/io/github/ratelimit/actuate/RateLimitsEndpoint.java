package io.github.ratelimit.actuate;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

import java.util.stream.Stream;

import io.github.ratelimit.CalendarWindow;
import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitOverride;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitShadow;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.advice.Advice;
import io.github.ratelimit.advice.ObservedTraffic;
import io.github.ratelimit.advice.RejectedKey;
import io.github.ratelimit.expression.KeyNormalizer;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.policy.AppliedLocation;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.support.DurationText;
import io.github.ratelimit.support.ReadableText;
import io.github.ratelimit.support.Suggestion;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows every policy and the state of each key. If writing is
 * asked for with {@code management.endpoint.ratelimits.access}, it resets keys and
 * overrides numbers while the application runs. Otherwise, whoever may look could undo a
 * limit on guessing.
 *
 * @since 0.1.0
 */
@Endpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
public final class RateLimitsEndpoint {

	private static final String ABSENT = "Not there";

	/* The words for what only the advisor knows. */
	private static final Set<String> OBSERVED = Set.of("advice", "rejected");

	private static final Set<String> WORDS = Set.of(OverrideOperations.WORD, "history", "advice", "rejected");

	private final StoreRateLimiterRegistry limiters;

	private final String defaultKey;

	private final UnaryOperator<String> addresses;

	final OverrideOperations overrides;

	private final Parts parts;

	/**
	 * Creates the endpoint.
	 * @param limiters the limiters whose policies are shown
	 * @param defaultKey the key that is shown for policies without a key of their own
	 * @param addresses writes a client's address as requests have it
	 * @param reader reads overrides, or {@code null} if none can be sent
	 * @param parts what else the endpoint shows
	 */
	public RateLimitsEndpoint(StoreRateLimiterRegistry limiters, String defaultKey, UnaryOperator<String> addresses,
			@Nullable OverrideReader reader, Parts parts) {
		this.parts = parts;
		this.limiters = limiters;
		this.defaultKey = defaultKey;
		this.addresses = addresses;
		this.overrides = new OverrideOperations(limiters, reader, this::stateKey);
	}

	/**
	 * Shows every policy, and what was found.
	 * @return the policies, by name
	 */
	@ReadOperation
	public RateLimitsDescriptor rateLimits() {
		Map<String, PolicyDescriptor> policies = new TreeMap<>();
		this.limiters.policies()
			.forEach((limiter) -> policies.put(limiter.policy().name(), PolicyDescriptor.of(limiter,
					keyOf(limiter.policy()), this.overrides.list(limiter.policy().name()))));
		RateLimitStoreAvailability availability = this.parts.availability();
		StoreHealthDescriptor health = (availability != null) ? StoreHealthDescriptor.of(availability) : null;
		return new RateLimitsDescriptor(this.limiters.storeName(), health, this.parts.writable(), policies,
				this.parts.findings().get().stream().map(FindingDescriptor::of).toList());
	}

	/**
	 * Shows the state of a key, without changing it.
	 * @param policy the policy's name
	 * @param key the key's value, such as an address; of a policy whose key is a literal
	 * such as {@code 'global'}, the literal without its quotes; {@code address:} and an
	 * address is the key of a client whose own key is empty
	 * @return the key's state, and the key as requests have it; a key that was never used
	 * has all its permits; {@code null} if there is no such policy
	 */
	@ReadOperation
	public @Nullable KeyDescriptor key(@Selector String policy, @Nullable String key) {
		StoreRateLimiter limiter = this.limiters.find(policy);
		if (limiter == null) {
			return null;
		}
		return describe(limiter, stateKey(limiter, key));
	}

	/**
	 * Resets a key, so that it has all its permits and is not banned.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return the key's new state; {@code null} if there is no such policy
	 */
	@DeleteOperation
	public @Nullable KeyDescriptor reset(@Selector String policy, @Nullable String key) {
		if (!forget(policy, key)) {
			return null;
		}
		return key(policy, key);
	}

	/**
	 * Resets a key, without looking at what it then has.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return whether there is such a policy
	 */
	boolean forget(String policy, @Nullable String key) {
		StoreRateLimiter limiter = this.limiters.find(policy);
		if (limiter == null) {
			return false;
		}
		String stateKey = stateKey(limiter, key);
		try {
			limiter.reset(stateKey);
		}
		catch (IllegalStateException ex) {
			throw new InvalidOperationException("Not reset", 503, ex.getMessage() + ".",
					"Reset it once the store answers again.", null, null);
		}
		return true;
	}

	/*
	 * While the store cannot be asked, something else decides, which knows nothing of
	 * what the key has in the store.
	 */
	private KeyDescriptor describe(StoreRateLimiter limiter, String stateKey) {
		RateLimitStanding standing = limiter.peek(stateKey);
		if (standing.fallback()) {
			throw new InvalidOperationException("Not known", 503,
					"What the key has left is not known, because the store cannot be asked.",
					"Look again once the store answers. Until then, on-failure decides.", null, null);
		}
		return KeyDescriptor.of(limiter, stateKey, standing,
				this.overrides.find(new RateLimitOverride.Target(limiter.policy().name(), null, stateKey)));
	}

	/**
	 * Shows what is overridden: a policy, or a plan or a key of it; or something else
	 * about a policy.
	 * @param policy the policy's name
	 * @param override the word {@code override}; or {@code history} for what the policy
	 * decided lately, {@code advice} for limits that its callers need, {@code rejected}
	 * for the keys that were rejected most, as hashes
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @return what was asked for; {@code null} if there is none
	 */
	@ReadOperation
	public @Nullable OperationResponseBody overridden(@Selector String policy, @Selector String override,
			@Nullable String key, @Nullable String plan) {
		OperationResponseBody view = view(policy, override, false);
		if (view != null) {
			return view;
		}
		RateLimitOverride.Target target = this.overrides.target(policy, override, key, plan);
		return (target != null) ? this.overrides.find(target) : null;
	}

	/**
	 * Shows something about a policy but its overrides.
	 * @param policy the policy's name
	 * @param word what to show
	 * @param showsKeys whether the caller may see keys
	 * @return {@code null} if there is no such policy or word, or nothing is known
	 */
	@Nullable OperationResponseBody view(String policy, String word, boolean showsKeys) {
		StoreRateLimiter limiter = this.limiters.find(policy);
		if (limiter == null) {
			return null;
		}
		if (word.equals("history")) {
			RateLimitHistory history = this.parts.history();
			return (history != null) ? history.find(policy) : null;
		}
		if (!(limiter.requestObserver() instanceof ObservedTraffic traffic)) {
			return null;
		}
		return switch (word) {
			case "advice" -> AdviceDescriptor.of(limiter, traffic.advice());
			case "rejected" -> new RejectedKeysDescriptor(policy, traffic.rejectedKeys(showsKeys));
			default -> null;
		};
	}

	/**
	 * Overrides a policy, or a plan or a key of it.
	 * @param policy the policy's name
	 * @param override what is to be in force, as a JSON object with the members
	 * {@code limits}, {@code mode}, {@code for} and {@code reason}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override that it replaces, 0 for none, or
	 * {@code null} for any
	 * @return the override that is in force; {@code null} if there is no such policy
	 */
	@WriteOperation
	public @Nullable OverrideDescriptor override(@Selector String policy, String override, @Nullable String key,
			@Nullable String plan, @Nullable String version) {
		RateLimitOverride.Target target = this.overrides.target(policy, OverrideOperations.WORD, key, plan);
		if (target == null) {
			return null;
		}
		return this.overrides.put(target, override, version, null);
	}

	/**
	 * Takes an override back.
	 * @param policy the policy's name
	 * @param override the word {@code override}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override, or {@code null} for any
	 * @return {@code null}
	 */
	@DeleteOperation
	public @Nullable OverrideDescriptor takeBack(@Selector String policy, @Selector String override,
			@Nullable String key, @Nullable String plan, @Nullable String version) {
		RateLimitOverride.Target target = this.overrides.target(policy, override, key, plan);
		if (target != null) {
			this.overrides.remove(target, version, null);
		}
		return null;
	}

	/*
	 * No request has an empty key, so that its state would be misleading.
	 */
	private String stateKey(StoreRateLimiter limiter, @Nullable String key) {
		if (key == null || key.isEmpty()) {
			throw new InvalidOperationException("Invalid key", 400, "The key is missing or empty.", "Give it a value.",
					null, null);
		}
		return KeyNormalizer.stateKey(key, keyOf(limiter.policy()), limiter.hasOwnKeys(), this.addresses);
	}

	private String keyOf(RateLimitPolicy policy) {
		return Objects.requireNonNullElse(policy.key(), this.defaultKey);
	}

	UnknownPolicyDescriptor unknown(String policy) {
		List<String> known = this.limiters.policies().stream().map((each) -> each.policy().name()).sorted().toList();
		return new UnknownPolicyDescriptor(
				("There is no rate limit policy named '" + policy + "'. " + Suggestion.question(policy, known)).strip(),
				known);
	}

	/**
	 * Creates the answer that says why a word cannot be taken back.
	 * @param word what was to be taken back
	 * @return what to answer, or {@code null} if it is the override, or no word
	 */
	@Nullable InvalidOperationException readOnly(String word) {
		if (word.equals(OverrideOperations.WORD) || !WORDS.contains(word)) {
			return null;
		}
		return new InvalidOperationException(ABSENT, 404, "There is no '" + word + "' that could be taken back.",
				"DELETE takes back '" + OverrideOperations.WORD + "' only.", null, null);
	}

	/**
	 * Creates the answer that says why nothing is shown for a word of a policy.
	 * @param policy the policy's name
	 * @param word the word that was asked for
	 * @return the answer, or {@code null} if there is no such policy
	 */
	@Nullable InvalidOperationException absent(String policy, String word) {
		if (this.limiters.find(policy) == null) {
			return null;
		}
		if (OBSERVED.contains(word)) {
			return new InvalidOperationException(ABSENT, 404,
					"The advisor is turned off, so that no request is observed.",
					"Set ratelimit.advice.enabled to true, and start the application again.", null, null);
		}
		String readable = ReadableText.of(word);
		return new InvalidOperationException(ABSENT, 404, "There is no '" + readable + "' of a policy.",
				Suggestion.of(readable, WORDS), null, null);
	}

	/**
	 * The parts that the endpoint shows beside policies and keys.
	 *
	 * @param history what was decided lately, or {@code null} if nothing keeps it
	 * @param availability of a store that can be unavailable, or {@code null}
	 * @param writable whether the endpoint's access permits changes
	 * @param findings gives what is configured and does nothing, or not what it seems
	 */
	public record Parts(@Nullable RateLimitHistory history, @Nullable RateLimitStoreAvailability availability,
			boolean writable, Supplier<List<RateLimitFinding>> findings) {
	}

	/**
	 * Description of all policies.
	 *
	 * @param store the name of the store
	 * @param health the state of a store that can be unavailable, or {@code null}
	 * @param writable whether the endpoint's access permits changes
	 * @param policies the policies, by name
	 * @param findings what is configured and does nothing, or not what it seems
	 */
	public record RateLimitsDescriptor(String store, @Nullable StoreHealthDescriptor health, boolean writable,
			Map<String, PolicyDescriptor> policies, List<FindingDescriptor> findings) implements OperationResponseBody {
	}

	/**
	 * Description of a finding.
	 *
	 * @param code the code, such as {@code RL001}
	 * @param level {@code warning} or {@code info}
	 * @param policy the name of the policy that it concerns, or {@code null}
	 * @param message what was found
	 * @param action what to do
	 * @param link where the documentation has more
	 */
	public record FindingDescriptor(String code, String level, @Nullable String policy, String message, String action,
			String link) {

		static FindingDescriptor of(RateLimitFinding finding) {
			FindingCode code = finding.code();
			String level = code.isWarning() ? "warning" : "info";
			return new FindingDescriptor(code.id(), level, finding.policy(), finding.message(), code.action(),
					code.link());
		}

	}

	/**
	 * Description of a policy.
	 *
	 * @param key the key expression
	 * @param limits the limits, which are decided together
	 * @param appliedTo the rules and methods that the policy is applied to, each with the
	 * key, cost, condition and charge of its own; if there are none, only code that calls
	 * its limiter is limited
	 * @param requests the number of requests since the start, by outcome
	 * @param keys the number of keys that have a state, or {@code null} if the store
	 * cannot count them
	 * @param evictions the number of keys that were evicted while they still counted
	 * @param alias what the policy is called where clients are told short names
	 * @param ban the ban of keys that do not stop, or {@code null} if no key is banned
	 * @param mode whether the policy is enforced
	 * @param shadow what is decided in shadow, or {@code null} if nothing is
	 * @param plan the expression for the caller's plan, or {@code null} if there is none
	 * @param plans the plans that callers may have, by name, or {@code null} if there are
	 * none
	 * @param overrides what is overridden, of the keys at most 100; {@code null} if
	 * nothing is
	 */
	public record PolicyDescriptor(String key, List<LimitDescriptor> limits, List<AppliedDescriptor> appliedTo,
			Map<String, Long> requests, @Nullable Long keys, long evictions, @Nullable String alias,
			@Nullable BanDescriptor ban, String mode, @Nullable ShadowDescriptor shadow, @Nullable String plan,
			@Nullable Map<String, PlanDescriptor> plans, @Nullable List<OverrideDescriptor> overrides) {

		static PolicyDescriptor of(StoreRateLimiter limiter, String key, @Nullable List<OverrideDescriptor> overrides) {
			RateLimitPolicy policy = limiter.policy();
			RateLimitShadow shadow = limiter.shadow();
			ShadowDescriptor tried = (shadow != null) ? ShadowDescriptor.of(shadow) : null;
			BanDescriptor ban = (policy.ban() != null) ? BanDescriptor.of(policy.ban()) : null;
			long counted = limiter.keys();
			Long keys = (counted >= 0) ? counted : null;

			List<AppliedDescriptor> appliedTo = limiter.locations().stream().map(AppliedDescriptor::of).toList();

			return new PolicyDescriptor(key, LimitDescriptor.of(policy.limits()), appliedTo, requests(limiter::count),
					keys, limiter.evictions(), limiter.alias(), ban, policy.mode().id(), tried, policy.plan(),
					PlanDescriptor.of(policy), overrides);
		}

		static Map<String, Long> requests(ToLongFunction<RateLimitOutcome> count) {
			Map<String, Long> requests = new TreeMap<>();
			for (RateLimitOutcome outcome : RateLimitOutcome.values()) {
				requests.put(outcome.id(), count.applyAsLong(outcome));
			}
			return requests;
		}

	}

	/**
	 * A description of a rule or a method that a policy is applied to. Whatever is
	 * {@code null} is as the policy says.
	 *
	 * @param place the rule or method, in a few words
	 * @param key the key in place of the policy's, or {@code null}
	 * @param cost the cost, or {@code null} for one permit
	 * @param condition the condition, or {@code null} if the policy always applies
	 * @param charge the charge in place of the policy's, or {@code null}
	 */
	public record AppliedDescriptor(String place, @Nullable String key, @Nullable String cost,
			@Nullable String condition, @Nullable String charge) {

		private static AppliedDescriptor of(AppliedLocation applied) {
			return new AppliedDescriptor(applied.location(), applied.key(), applied.cost(), applied.condition(),
					applied.charge());
		}

	}

	/**
	 * Description of a plan.
	 *
	 * @param unlimited whether the policy does not limit callers of the plan
	 * @param limits the limits of the plan; empty if there are none
	 */
	public record PlanDescriptor(boolean unlimited, List<LimitDescriptor> limits) {

		static @Nullable Map<String, PlanDescriptor> of(RateLimitPolicy policy) {
			Map<String, PlanDescriptor> plans = new LinkedHashMap<>();
			policy.plans()
				.forEach((name, plan) -> plans.put(name,
						new PlanDescriptor(plan.isUnlimited(), LimitDescriptor.of(plan.limits()))));
			return plans.isEmpty() ? null : plans;
		}

	}

	/**
	 * Description of a ban. Times are in seconds.
	 *
	 * @param after the number of rejections that begin a ban
	 * @param within the time in which these must come
	 * @param duration how long the first ban lasts
	 * @param multiplier how many times as long each further ban lasts
	 * @param max the longest ban
	 */
	public record BanDescriptor(int after, BigDecimal within, BigDecimal duration, double multiplier, BigDecimal max) {

		static BanDescriptor of(RateLimitBan ban) {
			return new BanDescriptor(ban.after(), DurationText.seconds(ban.within()),
					DurationText.seconds(ban.duration()), ban.multiplier(), DurationText.seconds(ban.max()));
		}

	}

	/**
	 * Description of what a policy decides in shadow.
	 *
	 * @param limits the limits that are tried
	 * @param requests the number of requests since the start, by the outcome that they
	 * would have had
	 * @param rejectedKeys the number of different keys that would have been rejected
	 * since the start, an estimate with a standard error of 3.1 %
	 * @param dropped the number of decisions that were not made, because the store was
	 * unavailable or too many were under way
	 */
	public record ShadowDescriptor(List<LimitDescriptor> limits, Map<String, Long> requests, long rejectedKeys,
			long dropped) {

		static ShadowDescriptor of(RateLimitShadow shadow) {
			return new ShadowDescriptor(LimitDescriptor.of(shadow.policy().limits()),
					PolicyDescriptor.requests(shadow::count), shadow.rejectedKeys(), shadow.dropped());
		}

	}

	/**
	 * Description of a limit. Numbers that the algorithm does not use are {@code null}.
	 *
	 * @param algorithm the algorithm's name, as in configuration files
	 * @param limit the permits per window
	 * @param window the window in seconds; {@code null} for windows of a calendar
	 * @param period the period of a calendar that each window lasts, such as
	 * {@code month}
	 * @param zone the time zone whose calendar it is
	 * @param from the day that windows of the calendar begin with, if not the first
	 * @param burst the token bucket's capacity, or the number of requests that may wait
	 * in the leaky bucket
	 * @param delay the number of the leaky bucket's burst that need not wait
	 * @param nodelay whether no request waits in the leaky bucket
	 * @param countRejected whether the sliding window log counts rejected requests
	 */
	public record LimitDescriptor(String algorithm, long limit, @Nullable BigDecimal window, @Nullable String period,
			@Nullable String zone, @Nullable String from, @Nullable Long burst, @Nullable Long delay,
			@Nullable Boolean nodelay, @Nullable Boolean countRejected) {

		static List<LimitDescriptor> of(List<RateLimit> limits) {
			return limits.stream().map(LimitDescriptor::of).toList();
		}

		static LimitDescriptor of(RateLimit limit) {
			CalendarWindow calendar = limit.calendar();
			if (calendar == null) {
				return of(limit, DurationText.seconds(limit.window()), null, null, null);
			}
			return of(limit, null, calendar.unit(), calendar.zone().getId(), calendar.from());
		}

		private static LimitDescriptor of(RateLimit limit, @Nullable BigDecimal window, @Nullable String period,
				@Nullable String zone, @Nullable String from) {
			RateLimitAlgorithm algorithm = limit.algorithm();
			Long burst = algorithm.uses("burst") ? limit.burst() : null;
			Long delay = algorithm.uses("delay") ? limit.delay() : null;
			Boolean nodelay = algorithm.uses("nodelay") ? limit.nodelay() : null;
			Boolean countRejected = algorithm.uses("count-rejected") ? limit.countRejected() : null;
			return new LimitDescriptor(algorithm.id(), limit.limit(), window, period, zone, from, burst, delay, nodelay,
					countRejected);
		}

	}

	/**
	 * Description of a key of a policy.
	 *
	 * @param policy the policy's name
	 * @param key the key, as requests have it
	 * @param banned whether the key is banned, until {@code nextPermitAfter} of its
	 * state; {@code null} if the policy bans no key
	 * @param standing the key's state under all limits together
	 * @param limits the key's state under each limit; empty if its plan is unlimited
	 * @param plan the key's plan, or {@code null} if the policy's own limits decide
	 * @param override the key's own override, or {@code null} if it has none
	 */
	public record KeyDescriptor(String policy, String key, @Nullable Boolean banned, KeyStatus standing,
			List<LimitStandingDescriptor> limits, @Nullable String plan,
			@Nullable OverrideDescriptor override) implements OperationResponseBody {

		static KeyDescriptor of(StoreRateLimiter limiter, String key, RateLimitStanding look,
				@Nullable OverrideDescriptor override) {
			Boolean banned = (limiter.policy().ban() != null) ? look.banned() : null;
			return new KeyDescriptor(limiter.policy().name(), key, banned, KeyStatus.of(look),
					limits(limiter.limitsFor(key), look), limiter.plan(key), override);
		}

		/* A ban is the state of a key under each of its limits. */
		private static List<LimitStandingDescriptor> limits(List<RateLimit> limits, RateLimitStanding look) {
			List<? extends LimitStanding> looks = look.limits();
			if (look.banned()) {
				looks = Collections.nCopies(limits.size(), look);
			}
			List<LimitStandingDescriptor> descriptors = new ArrayList<>();
			for (int i = 0; i < Math.min(limits.size(), looks.size()); i++) {
				descriptors
					.add(new LimitStandingDescriptor(LimitDescriptor.of(limits.get(i)), KeyStatus.of(looks.get(i))));
			}
			return descriptors;
		}

	}

	/**
	 * State of a key under one limit.
	 *
	 * @param limit the limit
	 * @param standing the key's state
	 */
	public record LimitStandingDescriptor(LimitDescriptor limit, KeyStatus standing) {
	}

	/**
	 * State of a key.
	 *
	 * @param remaining the number of requests of one permit that would be allowed now
	 * @param nextPermitAfter the seconds until {@code remaining} next grows; zero if it
	 * cannot grow
	 * @param resetAfter the seconds until the key has all its permits; zero if it has
	 */
	public record KeyStatus(long remaining, BigDecimal nextPermitAfter, BigDecimal resetAfter) {

		static KeyStatus of(LimitStanding look) {
			return new KeyStatus(look.remaining(), DurationText.seconds(look.nextPermitAfter()),
					DurationText.seconds(look.resetAfter()));
		}

	}

	/**
	 * Answer to a request for a policy that does not exist.
	 *
	 * @param message the mistake
	 * @param policies the names of the policies that exist
	 */
	record UnknownPolicyDescriptor(String message, List<String> policies) implements OperationResponseBody {
	}

	/**
	 * Description of a store that can be unavailable.
	 *
	 * @param available whether the store decides
	 * @param outages how often it became unavailable since the start
	 * @param failure why it is unavailable, or {@code null}
	 */
	record StoreHealthDescriptor(boolean available, long outages, @Nullable String failure) {

		static StoreHealthDescriptor of(RateLimitStoreAvailability availability) {
			availability.check();
			return new StoreHealthDescriptor(availability.isAvailable(), availability.outages(),
					availability.failure());
		}

	}

	/**
	 * Description of the keys that a policy rejected most.
	 *
	 * @param policy the policy's name
	 * @param keys the keys, most rejected first
	 */
	record RejectedKeysDescriptor(String policy, List<RejectedKey> keys) implements OperationResponseBody {
	}

	/**
	 * Description of what other limits would have done to the traffic of a policy. Times
	 * are in seconds, and shares from 0 to 1.
	 *
	 * @param policy the policy's name
	 * @param since when the observation began
	 * @param seconds how long it has lasted
	 * @param callers the number of callers
	 * @param requests the number of requests
	 * @param sampledCallers how many callers were sampled
	 * @param curves the rates, with what each burst would have rejected
	 * @param suggestion the limit to try, or {@code null} if there is none
	 * @param missing what keeps a limit from being suggested
	 * @param notes what to know of the numbers, whether or not a limit is suggested
	 */
	record AdviceDescriptor(String policy, Instant since, long seconds, long callers, long requests, int sampledCallers,
			List<Advice.Curve> curves, Advice.@Nullable Suggestion suggestion, List<String> missing,
			List<String> notes) implements OperationResponseBody {

		static AdviceDescriptor of(StoreRateLimiter limiter, Advice advice) {
			return new AdviceDescriptor(limiter.policy().name(), advice.since(), advice.time().toSeconds(),
					advice.callers(), advice.requests(), advice.sampledCallers(), advice.curves(), advice.suggestion(),
					advice.missing(), notes(limiter, advice));
		}

		private static List<String> notes(StoreRateLimiter limiter, Advice advice) {
			Set<String> charges = new TreeSet<>();
			Stream
				.concat(Stream.of(limiter.policy().charge()), limiter.locations().stream().map(AppliedLocation::charge))
				.filter(Objects::nonNull)
				.forEach(charges::add);
			List<String> notes = new ArrayList<>(advice.notes());
			if (!charges.isEmpty()) {
				notes.add("Every request counts with what it costs when it comes, and not with what it is charged "
						+ "in the end (" + String.join(", ", charges) + "): one that is refunded counts, too.");
			}
			return notes;
		}

	}

}
