package io.github.ratelimit.web;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * The header fields that tell clients about their limits, as they are configured: which
 * are sent, what they call policies, and who may read them. What they say in a response
 * is up to its {@link ResponseFields}.
 *
 * @since 0.1.0
 */
public final class HeaderSettings {

	/* The IETF's draft calls the only policy so in its examples. */
	private static final String NAMELESS = "default";

	private static final String ANY = "*";

	/* The names for clients of policies that are not to be known by their own. */
	private final ConcurrentMap<String, String> aliases = new ConcurrentHashMap<>();

	final boolean rateLimit;

	final boolean xRateLimit;

	/* Whether the draft's fields have all limits, and not only the tightest. */
	final boolean listed;

	final ResetFormat reset;

	private final PolicyNames names;

	final RateLimitClock clock;

	/* The fields that scripts of other origins may read, unless others see to that. */
	private final List<String> exposed = new ArrayList<>();

	/**
	 * Creates the headers.
	 * @param families which families to send; with none, only {@code Retry-After} is
	 * @param exposes whether to let scripts of other origins read them, or to leave it to
	 * the application
	 * @param reset how {@code X-RateLimit-Reset} writes a time
	 * @param names what to call policies
	 * @param clock tells the time, where a field has it
	 */
	public HeaderSettings(Collection<HeaderFamily> families, boolean exposes, ResetFormat reset, PolicyNames names,
			RateLimitClock clock) {
		this.rateLimit = families.contains(HeaderFamily.RATE_LIMIT);
		this.xRateLimit = families.contains(HeaderFamily.X_RATE_LIMIT);
		this.listed = this.rateLimit && names != PolicyNames.NONE;
		this.reset = reset;
		this.names = names;
		this.clock = clock;
		for (HeaderName name : HeaderName.values()) {
			if (exposes && name.isSentWith(families)) {
				this.exposed.add(name.text());
			}
		}
	}

	/**
	 * Learns what to call a policy that is not to be known by its name.
	 * @param limiter the policy's limiter
	 */
	public void prepare(RateLimiter limiter) {
		this.aliases.put(limiter.policy().name(), StoreRateLimiter.of(limiter).alias());
	}

	/**
	 * Lets scripts of other origins read the fields of a response that is not committed,
	 * where the application lets them read its answers, and does not expose the fields
	 * itself.
	 * @param lines gives the lines of a field that the response has by now
	 * @param add adds a line
	 */
	public void expose(Function<String, ? extends Collection<String>> lines, BiConsumer<String, String> add) {
		if (this.exposed.isEmpty() || lines.apply(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN).isEmpty()) {
			return;
		}
		if (lines.apply(this.exposed.get(0)).isEmpty() && lines.apply(HttpHeaders.RETRY_AFTER).isEmpty()) {
			return;
		}

		List<String> named = lines.apply(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS)
			.stream()
			.flatMap((field) -> Arrays.stream(StringUtils.tokenizeToStringArray(field, ",")))
			.toList();
		List<String> missing = this.exposed.stream()
			.filter((name) -> named.stream().noneMatch(name::equalsIgnoreCase))
			.toList();

		// with credentials, browsers take the asterisk for a name
		boolean credentials = lines.apply(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS).contains("true");
		if (!missing.isEmpty() && (!named.contains(ANY) || credentials)) {
			add.accept(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", missing));
		}
	}

	/**
	 * Computes when a rejected client may come back, in every protocol.
	 * @param decision the decision that rejected
	 * @return whole seconds, rounded up, at least 1; or 0 if never
	 */
	public static long retryAfterSeconds(RateLimitDecision decision) {
		if (decision.retryAfterNanos() == RateLimitDecision.NEVER) {
			return 0;
		}

		return Math.max(1, DraftItem.seconds(decision.retryAfterNanos()));
	}

	/*
	 * It is rendered once for each effective policy, and kept with it.
	 */
	PolicyText text(EffectivePolicy effective) {
		if (effective.attachment() instanceof PolicyText known && known.headers == this) {
			return known;
		}

		PolicyText text = new PolicyText(this, effective.policy());
		effective.attach(text);
		return text;
	}

	/**
	 * Names the limits of a policy for responses.
	 * @param policy the policy
	 * @return a name for each limit
	 */
	List<String> names(RateLimitPolicy policy) {
		return switch (this.names) {
			case FULL -> PolicyText.names(policy.name(), policy);
			case SHORT -> PolicyText.names(this.aliases.getOrDefault(policy.name(), NAMELESS), policy);
			case NONE -> Collections.nCopies(policy.limits().size(), NAMELESS);
		};
	}

}
