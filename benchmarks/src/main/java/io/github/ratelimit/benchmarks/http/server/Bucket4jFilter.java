package io.github.ratelimit.benchmarks.http.server;

import java.io.IOException;
import java.time.Duration;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A bucket for each client's address, the number of remaining tokens in a header or in
 * the fields that we send, and a rejection without a body.
 */
final class Bucket4jFilter implements Filter {

	private static final int TOO_MANY_REQUESTS = 429;

	private final LoadingCache<String, Bucket> buckets;

	private final @Nullable FieldsByHand fields;

	/**
	 * Creates the filter.
	 * @param limit how many requests a day
	 * @param fields the fields that we send, or {@code null} for a single header
	 */
	Bucket4jFilter(long limit, @Nullable FieldsByHand fields) {
		this.fields = fields;
		this.buckets = Caffeine.newBuilder()
			.maximumSize(100_000)
			.build((address) -> Bucket.builder()
				.addLimit((bandwidth) -> bandwidth.capacity(limit).refillGreedy(limit, Duration.ofDays(1)))
				.build());
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		ConsumptionProbe probe = this.buckets.get(request.getRemoteAddr()).tryConsumeAndReturnRemaining(1);
		HttpServletResponse httpResponse = (HttpServletResponse) response;
		if (this.fields != null) {
			this.fields.set(httpResponse::setHeader, probe.getRemainingTokens());
		}
		else {
			httpResponse.setHeader("X-Rate-Limit-Remaining", Long.toString(probe.getRemainingTokens()));
		}
		if (probe.isConsumed()) {
			chain.doFilter(request, response);
		}
		else {
			httpResponse.setStatus(TOO_MANY_REQUESTS);
		}
	}

}
