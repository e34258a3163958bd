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

	private static final String OF_QUOTA = start("quota-exceeded", QUOTA_EXCEEDED);

	private static final String OF_BAN = start("abnormal-usage-detected", BANNED);

	private static final byte[] UNAVAILABLE = ("{\"title\":\"Service Unavailable\",\"status\":503," + "\"detail\":\""
			+ UNDECIDED + "\"}")
		.getBytes(StandardCharsets.US_ASCII);

	private final ConcurrentMap<List<String>, byte[]> bodies = new ConcurrentHashMap<>();

	private final ConcurrentMap<List<String>, byte[]> bodiesOfBans = new ConcurrentHashMap<>();

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
		List<String> names = this.headers.text(policy).names;
		boolean banned = decision.banned();
		List<String> violated = banned ? names : violated(names, decision.limits());
		ConcurrentMap<List<String>, byte[]> kept = banned ? this.bodiesOfBans : this.bodies;
		byte[] body = kept.get(violated);
		if (body == null) {
			body = render(banned ? OF_BAN : OF_QUOTA, violated);
			if (kept.size() < MOST_KEPT) {
				kept.put(violated, body);
			}
		}
		return body;
	}

	private static List<String> violated(List<String> names, List<LimitStatus> limits) {
		if (limits.size() == 1 || names.size() != limits.size()) {
			return names;
		}
		return IntStream.range(0, names.size()).filter((i) -> !limits.get(i).allowed()).mapToObj(names::get).toList();
	}

	private static String start(String type, String title) {
		return "{\"type\":\"https://iana.org/assignments/http-problem-types#" + type + "\",\"title\":\"" + title
				+ "\",\"status\":429,\"violated-policies\":[";
	}

	private static byte[] render(String start, List<String> violated) {
		return violated.stream()
			.distinct()
			.map((name) -> '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
			.collect(Collectors.joining(",", start, "]}"))
			.getBytes(StandardCharsets.US_ASCII);
	}

}
