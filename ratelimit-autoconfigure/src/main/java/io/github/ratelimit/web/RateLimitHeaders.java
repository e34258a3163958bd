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
import io.github.ratelimit.policy.PolicyVersion;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.request.Acquisition;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;

/**
 * Puts decisions into the header fields that tell a client about its limits. Knows no web
 * stack.
 * <p>
 * A further field of every response is a {@link HeaderName}, and a line where its family
 * is rendered here.
 *
 * @since 0.1.0
 */
public final class RateLimitHeaders {

	/* What the IETF's draft calls the only policy in its examples. */
	private static final String NAMELESS = "default";

	private static final int NAMES = HeaderName.values().length;

	private static final String ANY = "*";

	/* Under which clients know policies that are not to be known by name. */
	private final ConcurrentMap<String, String> aliases = new ConcurrentHashMap<>();

	private final boolean rateLimit;

	private final boolean xRateLimit;

	/* Whether the draft's fields have all limits, and not only the tightest. */
	private final boolean listed;

	private final ResetFormat reset;

	private final PolicyNames names;

	private final RateLimitClock clock;

	/* Those that scripts of other origins may read, unless that is left to others. */
	private final List<String> exposed = new ArrayList<>();

	/**
	 * Creates the headers.
	 * @param families which families to send; with none, only {@code Retry-After} is
	 * @param exposes whether to let scripts of other origins read them, or to leave it to
	 * the application
	 * @param reset how {@code X-RateLimit-Reset} tells a time
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
	 * tell a rejected client when to come back. Of a policy whose store could not decide,
	 * nothing is known.
	 * @param entries what the policies said; the fields are set once for all of them
	 * @param rejection the decision that rejected, or {@code null} if none did
	 * @param fields the response's
	 */
	public void write(List<Acquisition.Entry> entries, @Nullable RateLimitDecision rejection, ResponseFields fields) {
		byte[] @Nullable [] values = new byte[NAMES][];
		if (this.rateLimit || this.xRateLimit) {
			for (int i = begin(entries, fields); i < entries.size(); i++) {
				add(entries.get(i), fields);
			}
		}
		DraftItem tightest = fields.tightest;
		// copies, because Tomcat writes into what it is given
		if (this.rateLimit && tightest != null) {
			values[HeaderName.RATE_LIMIT_POLICY.ordinal()] = (this.listed ? fields.policies : tightest.policy).clone();
			values[HeaderName.RATE_LIMIT.ordinal()] = fields.standings;
		}
		if (this.xRateLimit && tightest != null) {
			long reset = fields.reset + ((this.reset == ResetFormat.EPOCH) ? this.clock.nanos() : 0);
			values[HeaderName.X_RATE_LIMIT_LIMIT.ordinal()] = tightest.capacity.clone();
			values[HeaderName.X_RATE_LIMIT_REMAINING.ordinal()] = fields.digits;
			values[HeaderName.X_RATE_LIMIT_RESET.ordinal()] = DraftItem.digits(DraftItem.seconds(reset));
		}
		long retryAfter = (rejection != null) ? retryAfterSeconds(rejection) : 0;
		if (retryAfter > 0) {
			values[HeaderName.RETRY_AFTER.ordinal()] = DraftItem.digits(retryAfter);
			if (this.xRateLimit) {
				values[HeaderName.X_RATE_LIMIT_RETRY_AFTER.ordinal()] = DraftItem.digits(retryAfter);
			}
		}
		fields.set(values);
	}

	/**
	 * Lets scripts of other origins read the fields of a response that is not committed,
	 * where the application lets them read its answers, and does not expose the fields
	 * itself.
	 * @param lines gives the lines of a field that the response has by now
	 * @param add adds a line
	 */
	public void expose(Function<String, ? extends Collection<String>> lines, BiConsumer<String, String> add) {
		if (this.exposed.isEmpty() || lines.apply(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN).isEmpty()
				|| lines.apply(this.exposed.get(0)).isEmpty() && lines.apply(HttpHeaders.RETRY_AFTER).isEmpty()) {
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

	/*
	 * Forgets what was told, unless it is how something more begins, and gives how many
	 * entries were told already.
	 */
	private static int begin(List<Acquisition.Entry> entries, ResponseFields fields) {
		int count = fields.told.size();
		boolean further = count <= entries.size();
		for (int i = 0; i < count && further; i++) {
			further = fields.told.get(i) == entries.get(i);
		}
		fields.told = entries;
		if (further) {
			return count;
		}
		fields.policies = DraftItem.NONE;
		fields.standings = DraftItem.NONE;
		fields.tightest = null;
		return 0;
	}

	private void add(Acquisition.Entry entry, ResponseFields fields) {
		RateLimitDecision decision = entry.decision();
		PolicyVersion version = entry.version();
		PolicyText text = (version.attachment() instanceof PolicyText known && known.headers == this) ? known
				: text(version);
		boolean rejected = !decision.allowed();
		if (rejected && decision.unavailable()) {
			return;
		}
		// of one limit, and of a ban, the decision itself tells
		List<LimitStatus> limits = (text.items.length == 1 || rejected && decision.banned()) ? null : decision.limits();
		int count = (limits != null) ? Math.min(limits.size(), text.items.length) : text.items.length;
		for (int i = 0; i < count; i++) {
			LimitStatus limit = (limits != null) ? limits.get(i) : decision;
			boolean allowed = (limits != null) ? limit.allowed() : !rejected;
			long remaining = limit.remaining();
			long reset = limit.resetAfterNanos();
			boolean tighter = fields.tightest == null || isTighter(allowed, remaining, reset, fields);
			byte[] digits = DraftItem.digits(remaining);
			if (this.listed || this.rateLimit && tighter) {
				byte[] standing = text.items[i].standing(limit, allowed, remaining, reset, digits);
				fields.standings = (this.listed && fields.standings.length > 0)
						? DraftItem.joined(fields.standings, standing) : standing;
			}
			if (tighter) {
				fields.tightest = text.items[i];
				fields.allowed = allowed;
				fields.remaining = remaining;
				fields.reset = reset;
				fields.digits = digits;
			}
		}
		fields.policies = (fields.policies.length == 0) ? text.header : DraftItem.joined(fields.policies, text.header);
	}

	/**
	 * When a rejected client may come back, in every protocol.
	 * @param decision the decision that rejected
	 * @return whole seconds, rounded up, at least 1; or 0 if never
	 */
	public static long retryAfterSeconds(RateLimitDecision decision) {
		if (decision.retryAfterNanos() == RateLimitDecision.NEVER) {
			return 0;
		}
		return Math.max(1, DraftItem.seconds(decision.retryAfterNanos()));
	}

	private static boolean isTighter(boolean allowed, long remaining, long reset, ResponseFields than) {
		if (allowed != than.allowed) {
			return than.allowed;
		}
		return (remaining != than.remaining) ? remaining < than.remaining : reset > than.reset;
	}

	private PolicyText text(PolicyVersion version) {
		PolicyText text = new PolicyText(this, version.policy());
		version.attach(text);
		return text;
	}

	/**
	 * What the limits of a policy are called in responses.
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
