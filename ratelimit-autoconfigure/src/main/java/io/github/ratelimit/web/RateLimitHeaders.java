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

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * Puts decisions into the header fields that tell a client about its limits, whichever
 * the web stack.
 * <p>
 * A further field of every response is a {@link HeaderName}, and a line where its family
 * is rendered here. Values are bytes, because these cost less than texts.
 *
 * @since 0.1.0
 */
public final class RateLimitHeaders {

	/* The IETF's draft calls the only policy so in its examples. */
	private static final String NAMELESS = "default";

	private static final int NAMES = HeaderName.values().length;

	private static final String ANY = "*";

	/* The names for clients of policies that are not to be known by their own. */
	private final ConcurrentMap<String, String> aliases = new ConcurrentHashMap<>();

	private final boolean rateLimit;

	private final boolean xRateLimit;

	/* Whether the draft's fields have all limits, and not only the tightest. */
	private final boolean listed;

	private final ResetFormat reset;

	private final PolicyNames names;

	private final RateLimitClock clock;

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
	public RateLimitHeaders(Collection<HeaderFamily> families, boolean exposes, ResetFormat reset, PolicyNames names,
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
	 * Sets the fields that every response has that a policy applied to, and those that
	 * tell a rejected client when to come back. Nothing is known of a policy whose store
	 * could not decide.
	 * @param entries what the policies said; the fields are set once for all of them
	 * @param rejection the decision that rejected, or {@code null} if none did
	 * @param fields the response's
	 */
	public void write(List<Acquisition.Entry> entries, @Nullable RateLimitDecision rejection, ResponseFields fields) {
		if (this.rateLimit || this.xRateLimit) {
			for (int i = fields.continueWith(entries); i < entries.size(); i++) {
				report(entries.get(i), fields);
			}
		}

		byte[] @Nullable [] values = new byte[NAMES][];
		DraftItem tightest = fields.tightest();
		if (this.rateLimit && tightest != null) {
			renderRateLimit(values, tightest, fields);
		}
		if (this.xRateLimit && tightest != null) {
			renderXRateLimit(values, tightest, fields);
		}
		if (rejection != null) {
			renderRetryAfter(values, retryAfterSeconds(rejection));
		}
		fields.set(values);
	}

	/*
	 * What is prepared is copied, because Tomcat writes into what it is given.
	 */
	private void renderRateLimit(byte[] @Nullable [] values, DraftItem tightest, ResponseFields fields) {
		byte[] policies = this.listed ? fields.policies() : tightest.policy;
		values[HeaderName.RATE_LIMIT_POLICY.ordinal()] = policies.clone();
		values[HeaderName.RATE_LIMIT.ordinal()] = fields.standings();
	}

	private void renderXRateLimit(byte[] @Nullable [] values, DraftItem tightest, ResponseFields fields) {
		long reset = fields.resetNanos();
		if (this.reset == ResetFormat.EPOCH) {
			reset += this.clock.nanos();
		}

		values[HeaderName.X_RATE_LIMIT_LIMIT.ordinal()] = tightest.capacity.clone();
		values[HeaderName.X_RATE_LIMIT_REMAINING.ordinal()] = fields.digits();
		values[HeaderName.X_RATE_LIMIT_RESET.ordinal()] = DraftItem.digits(DraftItem.seconds(reset));
	}

	private void renderRetryAfter(byte[] @Nullable [] values, long seconds) {
		if (seconds == 0) {
			return;
		}

		values[HeaderName.RETRY_AFTER.ordinal()] = DraftItem.digits(seconds);
		if (this.xRateLimit) {
			values[HeaderName.X_RATE_LIMIT_RETRY_AFTER.ordinal()] = DraftItem.digits(seconds);
		}
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

	private void report(Acquisition.Entry entry, ResponseFields fields) {
		RateLimitDecision decision = entry.decision();
		if (!decision.allowed() && decision.unavailable()) {
			return;
		}

		PolicyText text = text(entry.effectivePolicy());
		if (isOfOneLimit(decision, text)) {
			for (DraftItem item : text.items) {
				report(item, decision, fields);
			}
		}
		else {
			List<LimitStatus> limits = decision.limits();
			int count = Math.min(limits.size(), text.items.length);
			for (int i = 0; i < count; i++) {
				report(text.items[i], limits.get(i), fields);
			}
		}
		fields.addPolicies(text.header);
	}

	/*
	 * The decision itself has what is to be said of one limit, and of a ban.
	 */
	private static boolean isOfOneLimit(RateLimitDecision decision, PolicyText text) {
		return text.items.length == 1 || (!decision.allowed() && decision.banned());
	}

	private void report(DraftItem item, LimitStatus limit, ResponseFields fields) {
		boolean allowed = limit.allowed();
		long remaining = limit.remaining();
		long reset = limit.resetAfterNanos();
		byte[] digits = DraftItem.digits(remaining);
		boolean tightest = fields.isTightest(allowed, remaining, reset);

		if (this.listed) {
			fields.addStanding(item.standing(limit, allowed, remaining, reset, digits));
		}
		else if (this.rateLimit && tightest) {
			fields.setStanding(item.standing(limit, allowed, remaining, reset, digits));
		}
		if (tightest) {
			fields.setTightest(item, allowed, remaining, reset, digits);
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
	private PolicyText text(EffectivePolicy effective) {
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
