package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.LimitStatus;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;

/**
 * The body of a rejection: a problem (RFC 9457) that says which limits were exceeded,
 * that the client is banned or denied, or that this cannot be decided. Needs no JSON
 * library, and is rendered once for each set of limits.
 *
 * @since 0.1.0
 */
public final class RateLimitProblem {

	/** The body's media type. */
	public static final String MEDIA_TYPE = "application/problem+json";

	/* Limits of one policy can be exceeded in many combinations; only some are kept. */
	private static final int MAX_KEPT = 4096;

	private static final String QUOTA_EXCEEDED = "Request cannot be satisfied as assigned quota has been exceeded";

	private static final String UNDECIDED = "Whether a quota is exceeded cannot be decided at present";

	private static final String BANNED = "Request not satisfied due to detection of abnormal request pattern";

	private static final String DENIED = "Requests of this client are denied";

	/* Which limit rejects is not known, or there is only one. */
	private static final int UNKNOWN = 0;

	/* All bits are set, because a ban names every limit. */
	private static final int BANNED_BY_ANY = -1;

	private static final byte[] UNAVAILABLE = ("{\"title\":\"Service Unavailable\",\"status\":503," + "\"detail\":\""
			+ UNDECIDED + "\"}")
		.getBytes(StandardCharsets.US_ASCII);

	private static final byte[] FORBIDDEN = ("{\"title\":\"Forbidden\",\"status\":403," + "\"detail\":\"" + DENIED
			+ "\"}")
		.getBytes(StandardCharsets.US_ASCII);

	private final ConcurrentMap<Object, byte[]> bodies = new ConcurrentHashMap<>();

	private final HeaderSettings headers;

	/**
	 * Creates the problem.
	 * @param headers knows what the limits are called
	 */
	public RateLimitProblem(HeaderSettings headers) {
		this.headers = headers;
	}

	/**
	 * Says in a sentence why a request was rejected.
	 * @param decision the decision that rejected
	 * @return a text without anything that a client has sent
	 */
	public static String title(RateLimitDecision decision) {
		if (decision.unavailable()) {
			return UNDECIDED;
		}
		if (decision.denied()) {
			return DENIED;
		}
		return decision.banned() ? BANNED : QUOTA_EXCEEDED;
	}

	/**
	 * Finds the status of the response to a rejection.
	 * @param decision the decision that rejected
	 * @return 429; 503 if the store could not decide, 403 if an operator has denied the
	 * key
	 */
	public static int status(RateLimitDecision decision) {
		if (decision.unavailable()) {
			return 503;
		}
		return decision.denied() ? 403 : 429;
	}

	/**
	 * Renders the denial of a client's address.
	 * @return JSON, which the caller must not change
	 */
	public static byte[] denied() {
		return FORBIDDEN;
	}

	/**
	 * Tells the observation of a request why it is rejected. Only traces have that: a
	 * meter must have the same tags for all requests, and others are not rejected.
	 * @param observed the observation's context
	 * @param rejection why the request is rejected
	 */
	public static void addTo(Observation.Context observed, RateLimitExceededException rejection) {
		observed.addHighCardinalityKeyValue(KeyValue.of("ratelimit.policy", rejection.policy().name()));
		observed.addHighCardinalityKeyValue(KeyValue.of("ratelimit.outcome", rejection.decision().outcome().id()));
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
		if (decision.denied()) {
			return FORBIDDEN;
		}
		return keptBody(policy, exceeded(policy, decision));
	}

	/*
	 * A policy is a key itself where it is not known which of its limits reject.
	 */
	private byte[] keptBody(RateLimitPolicy policy, int exceeded) {
		Object key = (exceeded != UNKNOWN) ? new Violation(policy, exceeded) : policy;
		byte[] kept = this.bodies.get(key);
		if (kept != null) {
			return kept;
		}

		byte[] body = render(policy, exceeded);
		if (this.bodies.size() < MAX_KEPT) {
			this.bodies.put(key, body);
		}
		return body;
	}

	/*
	 * Returns a set of bits, one for each limit that rejects.
	 */
	private static int exceeded(RateLimitPolicy policy, RateLimitDecision decision) {
		if (decision.banned()) {
			return BANNED_BY_ANY;
		}
		List<LimitStatus> limits = decision.limits();
		int count = policy.limits().size();
		if (count == 1 || limits.size() != count) {
			return UNKNOWN;
		}

		int exceeded = 0;
		for (int i = 0; i < count; i++) {
			if (!limits.get(i).allowed()) {
				exceeded |= 1 << i;
			}
		}
		return exceeded;
	}

	private byte[] render(RateLimitPolicy policy, int exceeded) {
		String start = start("quota-exceeded", QUOTA_EXCEEDED);
		if (exceeded == BANNED_BY_ANY) {
			start = start("abnormal-usage-detected", BANNED);
		}
		return (start + violatedPolicies(policy, exceeded) + "}").getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Renders what the limits are called that have rejected.
	 * @param policy the policy that rejected
	 * @param decision its decision
	 * @return an array of JSON, empty if no limit has
	 */
	public String violatedPolicies(RateLimitPolicy policy, RateLimitDecision decision) {
		if (decision.unavailable() || decision.denied()) {
			return "[]";
		}
		return violatedPolicies(policy, exceeded(policy, decision));
	}

	private String violatedPolicies(RateLimitPolicy policy, int exceeded) {
		List<String> names = this.headers.names(policy);
		return IntStream.range(0, names.size())
			.filter((i) -> exceeded == UNKNOWN || (exceeded & 1 << i) != 0)
			.mapToObj(names::get)
			.distinct()
			.map(DraftItem::quote)
			.collect(Collectors.joining(",", "[", "]"));
	}

	private static String start(String type, String title) {
		return "{\"type\":\"https://iana.org/assignments/http-problem-types#" + type + "\",\"title\":\"" + title
				+ "\",\"status\":429,\"violated-policies\":";
	}

	/**
	 * A key for the body of a policy with several limits, or of a ban.
	 */
	private record Violation(RateLimitPolicy policy, int exceeded) {

	}

}
