package io.github.ratelimit.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverrideException;
import io.github.ratelimit.RateLimitOverrideException.Reason;
import io.github.ratelimit.actuate.InterventionDescriptor.BansDescriptor;
import io.github.ratelimit.actuate.InterventionDescriptor.KindDescriptor;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.support.ReadableText;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the endpoint on what operators decide by hand, and their answers.
 *
 * @param registry has what is in force
 * @param reader creates interventions, or {@code null} if none can be sent
 * @param stateKeys changes a key that was typed into the key that requests have
 * @param keyExpressions gives the expression of a policy's key
 */
record InterventionOperations(StoreRateLimiterRegistry registry, @Nullable OverrideReader reader,
		BiFunction<StoreRateLimiter, @Nullable String, String> stateKeys,
		Function<StoreRateLimiter, String> keyExpressions) {

	/* The word after a policy in the path of its bans. */
	static final String BAN = "ban";

	/* The member that says for how long. */
	private static final String DURATION = "for";

	/* Nobody would read a longer list beside all policies. */
	private static final int MAX_LISTED = 100;

	/* What the keys begin with of requests that have none of their own. */
	private static final String SHARED = "shared:";

	/**
	 * The newest bans.
	 */
	List<InterventionDescriptor> bans() {
		return all(Kind.BAN).limit(MAX_LISTED).toList();
	}

	/**
	 * The newest exemptions or denials.
	 */
	KindDescriptor newest(Kind kind) {
		return KindDescriptor.of(interventions(), kind, isShared(), MAX_LISTED);
	}

	/**
	 * All exemptions or denials.
	 */
	KindDescriptor list(Kind kind) {
		return KindDescriptor.of(interventions(), kind, isShared(), Long.MAX_VALUE);
	}

	/**
	 * All bans of a policy, or that of a key.
	 * @param policy the policy's name
	 * @param key the key's value, or {@code null} for all
	 * @return {@code null} if there is no such policy, or the key is not banned
	 */
	@Nullable BansDescriptor bans(String policy, @Nullable String key) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return null;
		}
		String wanted = (key != null) ? this.stateKeys.apply(limiter, key) : null;
		List<InterventionDescriptor> bans = all(Kind.BAN).filter((ban) -> policy.equals(ban.policy()))
			.filter((ban) -> wanted == null || wanted.equals(ban.key()))
			.toList();
		if (bans.isEmpty() && key != null) {
			return null;
		}
		return new BansDescriptor(policy, bans);
	}

	/**
	 * What operators have decided of a key.
	 * @param policy the policy's name
	 * @param stateKey the key as requests have it
	 * @return what is in force by its word, or {@code null} if nothing is
	 */
	@Nullable Map<String, InterventionDescriptor> of(String policy, String stateKey) {
		Map<String, InterventionDescriptor> found = new LinkedHashMap<>();
		for (Kind kind : Kind.values()) {
			RateLimitIntervention.Target target = Target.ofKey(kind, policy, stateKey);
			interventions().inForce()
				.stream()
				.filter((each) -> each.intervention().target().equals(target))
				.forEach((each) -> found.put(word(kind), InterventionDescriptor.of(each, isShared(), null)));
		}
		return found.isEmpty() ? null : found;
	}

	private Stream<InterventionDescriptor> all(Kind kind) {
		return InterventionDescriptor.all(interventions(), kind, isShared());
	}

	/**
	 * Bans a key of a policy.
	 * @param hash the hash of a key that was rejected, in place of the key
	 * @return the ban, or {@code null} if there is no such policy
	 * @throws InvalidOperationException if it is not banned, or if that is unknown
	 */
	@Nullable InterventionDescriptor ban(String policy, @Nullable String key, @Nullable String hash, String json,
			@Nullable String who) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return null;
		}
		String stateKey = stateKey(limiter, key, hash);
		return changed(Kind.BAN, () -> {
			OverrideReader reader = reader(Kind.BAN);
			SentJson sent = SentJson.ofBan(json, title(Kind.BAN));
			if (sent.text(DURATION) == null) {
				throw new Mistake("$." + DURATION, DURATION, null, "is missing, and a ban has an end",
						"Say how long the key is banned, such as 2h. To keep it out for good, deny it.")
					.exception(title(Kind.BAN));
			}
			return put(sent, Target.ofKey(Kind.BAN, policy, stateKey), who, reader);
		});
	}

	/**
	 * Ends the ban of a key.
	 * @return {@code false} if there is no such policy
	 * @throws InvalidOperationException if it is not ended, or if that is unknown
	 */
	boolean endBan(String policy, @Nullable String key, @Nullable String who) {
		StoreRateLimiter limiter = this.registry.find(policy);
		if (limiter == null) {
			return false;
		}
		String stateKey = this.stateKeys.apply(limiter, key);
		remove(Target.ofKey(Kind.BAN, policy, stateKey), who);
		return true;
	}

	/*
	 * The key, or that of a hash, which is known only where the key was counted.
	 */
	private String stateKey(StoreRateLimiter limiter, @Nullable String key, @Nullable String hash) {
		if (hash == null) {
			return this.stateKeys.apply(limiter, key);
		}
		if (key != null) {
			throw new InvalidOperationException(title(Kind.BAN), 400, "There are both a key and a hash.",
					"Send one of them.", null, null);
		}
		String rejected = limiter.rejectedKey(hash);
		if (rejected == null) {
			throw new InvalidOperationException(title(Kind.BAN), 404,
					"This instance has counted no rejected key with the hash '" + ReadableText.of(hash) + "'.",
					"A hash is of one instance, until it stops. Ask the one that has shown it, or send the key.", null,
					null);
		}
		return rejected;
	}

	/**
	 * Exempts or denies a key of a policy, or an address, which the object names.
	 * @param isOwn whether a range has the address of whoever asks
	 * @throws InvalidOperationException if it was not, or if the store has not said
	 * whether it was
	 */
	InterventionDescriptor put(Kind kind, String json, @Nullable String who, Predicate<String> isOwn) {
		return changed(kind, () -> {
			OverrideReader reader = reader(kind);
			SentJson sent = SentJson.ofIntervention(json, noun(kind), title(kind));
			Target target = this.registry
				.canonical(target(kind, sent.text("policy"), sent.text("key"), sent.text("address")));
			if (kind == Kind.DENY && target.address() != null && isOwn.test(target.address())) {
				throw new InvalidOperationException(title(kind), 400,
						"The address " + target.address() + " has the one in it that this request comes from.",
						"Whoever denies it could not take that back. Send it from elsewhere, or name fewer addresses.",
						"$.address", null);
			}
			return put(sent, target, who, reader);
		});
	}

	/**
	 * Ends an exemption or a denial.
	 * @throws InvalidOperationException if it is not ended, or if that is unknown
	 */
	void remove(Kind kind, Map<String, String> named, @Nullable String who) {
		remove(changed(kind, () -> target(kind, named.get("policy"), named.get("key"), named.get("address"))), who);
	}

	private Target target(Kind kind, @Nullable String policy, @Nullable String key, @Nullable String address) {
		if (address != null && policy == null && key == null) {
			return Target.ofAddress(kind, address);
		}
		if (address != null || policy == null || key == null) {
			throw new InvalidOperationException(title(kind), 400, "It must name an address, or a policy and a key.",
					"Send an address such as 192.0.2.1 or 10.0.0.0/8, or both a policy and a key of it.", "$", null);
		}
		return Target.ofKey(kind, policy, this.stateKeys.apply(this.registry.policy(policy), key));
	}

	/*
	 * It is asked for before what was sent is read, because reading needs Jackson.
	 */
	private OverrideReader reader(Kind kind) {
		OverrideReader reader = this.reader;
		if (reader == null) {
			throw new InvalidOperationException(title(kind), 501,
					"What was sent cannot be read, because Jackson 3 is not on the class path.",
					"Add the dependency org.springframework.boot:spring-boot-starter-jackson.", null, null);
		}
		return reader;
	}

	private InterventionDescriptor put(SentJson sent, Target target, @Nullable String who, OverrideReader reader) {
		RateLimitIntervention intervention = sent.create((texts) -> reader.readIntervention(target, texts, who));
		return InterventionDescriptor.of(interventions().put(intervention), isShared(), hits(target));
	}

	/*
	 * Whose requests an intervention is about, if that is not one client.
	 */
	private @Nullable String hits(Target target) {
		String key = target.key();
		if (key == null) {
			return null;
		}
		if (key.startsWith(SHARED)) {
			return "every request of the policy for which no key could be found out";
		}
		StoreRateLimiter limiter = this.registry.policy(Objects.requireNonNull(target.policy()));
		if (this.keyExpressions.apply(limiter).equals("'" + key + "'")) {
			return "every request of the policy, because all have this key";
		}
		return null;
	}

	private void remove(Target target, @Nullable String who) {
		RateLimitInterventions.InForce removed = changed(target.kind(), () -> interventions().remove(target, who));
		if (removed == null) {
			throw none(title(target.kind()));
		}
	}

	static InvalidOperationException noBan() {
		return none("Ban not found");
	}

	private static InvalidOperationException none(String title) {
		return new InvalidOperationException(title, 404, "There is none in force.",
				"GET without a key shows all that are.", null, null);
	}

	/*
	 * Makes a change, or says why it was not made.
	 */
	private static <T extends @Nullable Object> T changed(Kind kind, Supplier<T> change) {
		try {
			return change.get();
		}
		catch (RateLimitOverrideException ex) {
			throw refused(ex, kind);
		}
		catch (InvalidRateLimitException ex) {
			throw new InvalidOperationException(title(kind), 400, ex.getMessage() + ".", ex.action(), null, null);
		}
	}

	private static InvalidOperationException refused(RateLimitOverrideException refused, Kind kind) {
		if (refused.reason() == Reason.FULL) {
			return new InvalidOperationException(title(kind), 409, refused.getMessage() + ".", null, null, null);
		}
		return new InvalidOperationException("Outcome unknown", 503, refused.getMessage() + ".",
				"GET shows what is in force once the store answers again.", null, null);
	}

	private static String title(Kind kind) {
		return switch (kind) {
			case DENY -> "Denial not changed";
			case EXEMPT -> "Exemption not changed";
			case BAN -> "Ban not changed";
		};
	}

	private static String noun(Kind kind) {
		return switch (kind) {
			case DENY -> "denial";
			case EXEMPT -> "exemption";
			case BAN -> BAN;
		};
	}

	/**
	 * The word by which a kind is called in paths.
	 */
	static String word(Kind kind) {
		return switch (kind) {
			case DENY -> "deny";
			case EXEMPT -> "exempt";
			case BAN -> BAN;
		};
	}

	private RateLimitInterventions interventions() {
		return this.registry.interventions();
	}

	private boolean isShared() {
		return this.registry.overrides().areShared();
	}

}
