package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;

/**
 * The body of a rejection: a problem (RFC 9457) that says which limits were exceeded,
 * that the client is banned, or that this cannot be decided. Needs no JSON library, and
 * is rendered once for each set of limits.
 *
 * @since 0.1.0
 */
public final class RateLimitProblem {

	/** The body's media type. */
	public static final String MEDIA_TYPE = "application/problem+json";

	/* Limits of one policy can be exceeded in many combinations; keep the usual ones. */
	private static final int MOST_KEPT = 4096;

	private static final String QUOTA_EXCEEDED = "Request cannot be satisfied as assigned quota has been exceeded";

	private static final String UNDECIDED = "Whether a quota is exceeded cannot be decided at present";

	private static final String BANNED = "Request not satisfied due to detection of abnormal request pattern";

	/* All bits: of a ban, every limit is named. */
	private static final int BANNED_BY_ANY = -1;

	private static final byte[] UNAVAILABLE = ("{\"title\":\"Service Unavailable\",\"status\":503," + "\"detail\":\""
			+ UNDECIDED + "\"}")
		.getBytes(StandardCharsets.US_ASCII);

	private final ConcurrentMap<Object, byte[]> bodies = new ConcurrentHashMap<>();

	private final RateLimitHeaders headers;

	/**
	 * Creates the problem.
	 * @param headers knows what the limits are called
	 */
	public RateLimitProblem(RateLimitHeaders headers) {
		this.headers = headers;
	}

	/**
	 * Says in a sentence why a request was rejected.
	 * @param decision the decision that rejected
	 * @return a text without anything that a client has sent
	 */
	public static String title(RateLimitDecision decision) {
		return decision.unavailable() ? UNDECIDED : decision.banned() ? BANNED : QUOTA_EXCEEDED;
	}

	/**
	 * Renders a rejection.
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @return JSON, which the caller must not change
	 */
	public byte[] body(RateLimitPolicy policy, RateLimitDecision decision) {
		if (decision.unavailable()) {
			return UNAVAILABLE;
		}
		int exceeded = decision.banned() ? BANNED_BY_ANY : exceeded(decision.limits(), policy.limits().size());
		Object key = (exceeded != 0) ? new Violation(policy, exceeded) : policy;
		byte[] body = this.bodies.get(key);
		if (body == null && this.bodies.size() < MOST_KEPT) {
			body = this.bodies.computeIfAbsent(key, (same) -> render(policy, exceeded));
		}
		return (body != null) ? body : render(policy, exceeded);
	}

	/* A bit for each limit that rejects, or none if it is not known which. */
	private static int exceeded(List<LimitStatus> limits, int count) {
		int exceeded = 0;
		for (int i = 0; i < count && count > 1 && limits.size() == count; i++) {
			exceeded |= limits.get(i).allowed() ? 0 : 1 << i;
		}
		return exceeded;
	}

	private byte[] render(RateLimitPolicy policy, int exceeded) {
		List<String> names = this.headers.names(policy);
		String start = (exceeded == BANNED_BY_ANY) ? start("abnormal-usage-detected", BANNED)
				: start("quota-exceeded", QUOTA_EXCEEDED);
		return IntStream.range(0, names.size())
			.filter((i) -> exceeded == 0 || (exceeded & 1 << i) != 0)
			.mapToObj(names::get)
			.distinct()
			.map(DraftItem::quote)
			.collect(Collectors.joining(",", start, "]}"))
			.getBytes(StandardCharsets.US_ASCII);
	}

	private static String start(String type, String title) {
		return "{\"type\":\"https://iana.org/assignments/http-problem-types#" + type + "\",\"title\":\"" + title
				+ "\",\"status\":429,\"violated-policies\":[";
	}

	/**
	 * What a body tells of a policy with several limits, or of a ban.
	 */
	private record Violation(RateLimitPolicy policy, int exceeded) {

	}

}
