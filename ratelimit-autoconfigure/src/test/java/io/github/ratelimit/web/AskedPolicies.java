package io.github.ratelimit.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.test.ManualClock;

import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Policies that one request asks, and the header fields that tell of them.
 */
abstract class AskedPolicies {

	final ManualClock clock = ManualClock.atMidnight();

	final RateLimiterRegistry limiter = new StoreRateLimiterRegistry(new LocalRateLimitStore(this.clock, 100),
			List.of());

	final RateLimitHeaders headers = new RateLimitHeaders(EnumSet.allOf(HeaderFamily.class));

	final Acquisition acquisition = new Acquisition(this.clock);

	private final Map<String, Long> costs = new HashMap<>();

	Map<String, String> fields(ResetFormat reset, PolicyNames names) {
		Map<String, String> fields = new LinkedHashMap<>();
		headers(reset, names).write(latest(this.acquisition.entries()), into(fields));
		return fields;
	}

	RateLimitHeaders headers(ResetFormat reset, PolicyNames names) {
		RateLimitHeaders headers = new RateLimitHeaders(EnumSet.allOf(HeaderFamily.class), reset, names, this.clock);
		this.limiter.observe(headers::prepare);
		return headers;
	}

	RateLimitPolicy policy(String name, RateLimit... limits) {
		RateLimitPolicy policy = RateLimitPolicy.of(name, limits);
		this.limiter.register(policy);
		return policy;
	}

	/* A request pays once, so that it takes more by costing more. */
	void take(RateLimitPolicy policy, long permits) {
		long cost = this.costs.merge(policy.name(), permits, Long::sum);
		this.acquisition.take(List.of(PermitRequest.of(this.limiter.policy(policy.name()), "somebody", cost)));
	}

	Acquisition.Entry rejection() {
		Acquisition.Entry rejection = this.acquisition.rejection();
		assertThat(rejection).isNotNull();
		return rejection;
	}

	Map<String, String> fields() {
		Map<String, String> fields = new LinkedHashMap<>();
		List<Acquisition.Entry> entries = this.acquisition.entries();
		boolean rejected = this.acquisition.rejection() != null;
		this.headers.write((rejected && entries.size() > 1) ? latest(entries) : entries, into(fields));
		return fields;
	}

	/* The acquisition keeps each answer; a response tells the latest of each policy. */
	static List<Acquisition.Entry> latest(List<Acquisition.Entry> entries) {
		Map<Object, Acquisition.Entry> latest = new LinkedHashMap<>();
		entries.forEach((entry) -> latest.put(entry.request().limiter(), entry));
		return List.copyOf(latest.values());
	}

	static HeaderFieldSetter into(Map<String, String> fields) {
		return (name, value) -> fields.put(name.text(), new String(value, StandardCharsets.US_ASCII));
	}

	static RateLimit fixed(long limit, String window) {
		return RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, limit, duration(window));
	}

	static RateLimit bucket(long limit, String window, long burst) {
		return RateLimit.builder(RateLimitAlgorithm.TOKEN_BUCKET)
			.limit(limit)
			.window(duration(window))
			.burst(burst)
			.build();
	}

	static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

}
