package io.github.ratelimit.web;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

import com.sun.management.ThreadMXBean;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a response is told about its limit costs the values of its fields, and not much
 * else.
 */
class HeaderAllocationTests {

	private static final int TIMES = 20_000;

	/*
	 * An array for the value of each of the five fields, and what they are put together
	 * with. Their names are copied only where a server takes bytes.
	 */
	private static final int FIELD_BYTES = 256;

	/*
	 * What the response has, with what was told before.
	 */
	private static final int RESPONSE_BYTES = 56;

	/*
	 * The two fields that say when to come back.
	 */
	private static final int RETRY_BYTES = 64;

	/*
	 * The acquisition, its only entry in a list, and the decision.
	 */
	private static final int ACQUISITION_BYTES = 160;

	/*
	 * The same for a rejection, before which nothing was taken that is to be refunded.
	 */
	private static final int REJECTION_BYTES = 208;

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final ManualClock clock = ManualClock.atMidnight();

	private final WaitingRoom room = new WaitingRoom(this.clock, 9);

	private final RateLimiter limiter = new StoreRateLimiterRegistry(new LocalRateLimitStore(this.clock, 100),
			List.of())
		.register(RateLimitPolicy.of("search",
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 100_000, Duration.ofDays(1))));

	private final HeaderSettings headers = new HeaderSettings(EnumSet.allOf(HeaderFamily.class), true,
			ResetFormat.SECONDS, PolicyNames.FULL, this.clock);

	private final RateLimitProblem problem = new RateLimitProblem(this.headers);

	private int length;

	@Test
	void headersAllocateTheirValues() {
		Acquisition acquisition = acquisition(1);
		assertThat(bytesForEach(() -> new Fields().write(acquisition.entries(), null)))
			.isLessThanOrEqualTo(RESPONSE_BYTES + FIELD_BYTES);
		assertThat(this.length).isPositive();
	}

	@Test
	void rejectionsAllocateTwoValuesMoreAndNoBody() {
		Acquisition acquisition = acquisition(100_001);
		AcquisitionEntry rejection = acquisition.rejection();
		assertThat(rejection).isNotNull();
		assertThat(bytesForEach(() -> {
			new Fields().write(acquisition.entries(), rejection.decision());
			this.length += this.problem.body(this.limiter.policy(), rejection.decision()).length;
		})).isLessThanOrEqualTo(RESPONSE_BYTES + FIELD_BYTES + RETRY_BYTES);
		assertThat(this.length).isPositive();
	}

	@Test
	void decisionsAllocateTheirAcquisitionBesidesTheHeaders() {
		List<PermitRequest> asked = List.of(PermitRequest.of(this.limiter, "key", 1));
		assertThat(bytesForEach(() -> {
			Acquisition acquisition = new Acquisition(this.room);
			acquisition.take(asked);
			new Fields().write(acquisition.entries(), null);
		})).isLessThanOrEqualTo(RESPONSE_BYTES + FIELD_BYTES + ACQUISITION_BYTES);
		assertThat(this.length).isPositive();
	}

	@Test
	void rejectionsOfTheFirstPolicyAllocateTheirAcquisitionAlone() {
		List<PermitRequest> asked = List.of(PermitRequest.of(this.limiter, "key", 100_001));
		assertThat(bytesForEach(() -> {
			Acquisition acquisition = new Acquisition(this.room);
			acquisition.take(asked);
			this.length += acquisition.entries().size();
		})).isLessThanOrEqualTo(REJECTION_BYTES);
		assertThat(this.length).isPositive();
	}

	private Acquisition acquisition(long permits) {
		Acquisition acquisition = new Acquisition(this.room);
		acquisition.take(List.of(PermitRequest.of(this.limiter, "key", permits)));
		return acquisition;
	}

	private long bytesForEach(Runnable action) {
		repeat(action);
		long before = this.threads.getCurrentThreadAllocatedBytes();
		repeat(action);
		return (this.threads.getCurrentThreadAllocatedBytes() - before) / TIMES;
	}

	private static void repeat(Runnable action) {
		for (int i = 0; i < TIMES; i++) {
			action.run();
		}
	}

	private final class Fields extends ResponseFields {

		Fields() {
			super(HeaderAllocationTests.this.headers);
		}

		@Override
		protected void set(HeaderName name, byte[] value) {
			HeaderAllocationTests.this.length += name.text().length() + value.length;
		}

	}

}
