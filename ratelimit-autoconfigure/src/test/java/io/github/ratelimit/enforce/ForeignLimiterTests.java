package io.github.ratelimit.enforce;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import io.github.ratelimit.LimitStanding;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimitStanding;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.store.ForeignDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Limiters of a user's own are enforced as the store's are.
 */
class ForeignLimiterTests {

	private static final RateLimitPolicy QUEUE = RateLimitPolicy.of("queue",
			RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
				.limit(10)
				.window(Duration.ofMinutes(1))
				.burst(5L)
				.build());

	private final ManualClock clock = ManualClock.atMidnight();

	private final RateLimiter generous = limiter("generous", RateLimitDecisions.allowed(0, 9, 0, 1, 1));

	private final RateLimiter strict = limiter("strict", RateLimitDecisions.rejected(0, 0, 1, 1, 1));

	@Test
	void whatIsMetInTwoPlacesIsTakenOnce() {
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.takeOnce(List.of(request(this.generous)))).isTrue();
		assertThat(acquisition.takeOnce(List.of(request(this.generous)))).isTrue();
		Acquisition call = acquisition.call("place");
		assertThat(call.takeOnce(List.of(request(this.generous)))).isTrue();
		verify(this.generous, times(1)).decide("key", 1);
	}

	@Test
	void whatOneGaveIsGivenBackWhenAnotherRejects() {
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.takeOnce(List.of(request(this.generous)))).isTrue();
		assertThat(acquisition.takeOnce(List.of(request(this.strict)))).isFalse();
		verify(this.generous).giveBack("key", 1, this.generous.decide("key", 1));
		verify(this.strict, never()).giveBack(anyString(), anyLong(), any());
		assertThat(acquisition.rejection()).isNotNull();
	}

	@Test
	void itSettlesItself() {
		RateLimitDecision given = this.generous.decide("key", 4);
		StoreRateLimiter.of(this.generous).settle("key", 4, 1, given);
		verify(this.generous).settle("key", 4, 1, given);
	}

	@Test
	void itIsPeekedAtAndNotAskedForNothing() {
		given(this.generous.peek("key")).willReturn(standing(7, 3));
		RateLimitStanding standing = StoreRateLimiter.of(this.generous).peek("key");
		assertThat(standing.remaining()).isEqualTo(3);
		assertThat(standing.limits()).extracting(LimitStanding::remaining).containsExactly(7L, 3L);
		verify(this.generous, never()).decide(anyString(), anyLong());
	}

	@Test
	void whatStoodInVainIsPeekedAt() {
		given(this.generous.peek("key")).willReturn(standing(9));
		given(this.strict.peek("key")).willReturn(standing(0));
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(request(this.generous), request(this.strict)))).isFalse();
		verify(this.generous, never()).decide(anyString(), anyLong());
		verify(this.strict, times(1)).decide("key", 1);
	}

	@Test
	void aPolicyThatIsAskedAloneIsNotPeekedAt() {
		RateLimiter queue = limiter(QUEUE, RateLimitDecisions.allowed(0, 9, 0, 1, 1));
		assertThat(new Acquisition(this.clock).take(List.of(request(queue)))).isTrue();
		verify(queue, never()).peek(anyString());
	}

	@Test
	void whatWasGivenBackIsNotGivenBackAgain() {
		Acquisition acquisition = new Acquisition(this.clock);
		assertThat(acquisition.take(List.of(request(this.generous)))).isTrue();
		assertThat(acquisition.take(List.of(request(this.strict)))).isFalse();
		assertThat(acquisition.take(List.of(request(this.strict)))).isFalse();
		verify(this.generous, times(1)).giveBack(anyString(), anyLong(), any());
		verify(this.strict, never()).giveBack(anyString(), anyLong(), any());
	}

	@Test
	void whatCannotWaitIsAskedAtOnceAndForNothingPeekedAt() {
		RateLimiter queue = limiter(QUEUE, RateLimitDecisions.rejected(0, 0, 1, 1, 1));
		Acquisition acquisition = new Acquisition(this.clock, new WaitingRoom(0), Long.MAX_VALUE);
		assertThat(acquisition.take(List.of(request(queue)))).isFalse();
		verify(queue).decideAtOnce("key", 1);
		verify(queue, never()).decide(anyString(), anyLong());
		assertThat(acquisition.take(List.of(PermitRequest.of(queue, "key", 0)))).isTrue();
		verify(queue, times(1)).decideAtOnce(anyString(), anyLong());
	}

	@Test
	void aLookTellsWhetherAFallbackAnswered() {
		RateLimitDecision look = RateLimitDecisions.allowed(0, 5, 0, 0, 0);
		given(this.generous.peek("key")).willReturn(Standing.of(look));
		assertThat(StoreRateLimiter.of(this.generous).peek("key").fallback()).isFalse();
		given(this.generous.peek("key")).willReturn(Standing.of(RateLimitDecisions.asFallback(look)));
		assertThat(StoreRateLimiter.of(this.generous).peek("key").fallback()).isTrue();
	}

	@Test
	void aLookTellsOfABan() {
		RateLimitDecision look = RateLimitDecisions
			.asLook(RateLimitDecisions.banned(0, Duration.ofMinutes(5).toNanos()));
		given(this.generous.peek("key")).willReturn(Standing.of(look));
		RateLimitStanding standing = StoreRateLimiter.of(this.generous).peek("key");
		assertThat(standing.banned()).isTrue();
		assertThat(standing.remaining()).isZero();
		assertThat(standing.nextPermitAfter()).isEqualTo(Duration.ofMinutes(5));
	}

	@Test
	void aLimiterThatCannotBePeekedAtSaysWhatToDo() {
		given(this.generous.peek("key")).willReturn(null);
		assertThatIllegalStateException().isThrownBy(() -> StoreRateLimiter.of(this.generous).peek("key"))
			.withMessageContaining("no answer to peek");
	}

	@Test
	void aResetIsPassedOn() {
		StoreRateLimiter.of(this.generous).reset("key");
		verify(this.generous).reset("key");
	}

	@Test
	void aRegistryWithoutLimitersSaysWhatToDo() {
		RateLimiter none = mock(RateLimiterRegistry.class).policy("policy");
		assertThatIllegalStateException().isThrownBy(() -> StoreRateLimiter.of(none))
			.withMessageContaining("ratelimit.enabled");
	}

	private static RateLimitStanding standing(long... remaining) {
		return Standing.of(RateLimitDecisions.combined(LongStream.of(remaining)
			.mapToObj((each) -> RateLimitDecisions.allowed(0, each, 0, 1, 1))
			.toArray(RateLimitDecision[]::new)));
	}

	private static PermitRequest request(RateLimiter limiter) {
		return PermitRequest.of(limiter, "key", 1);
	}

	private static RateLimiter limiter(String name, RateLimitDecision decision) {
		return limiter(
				RateLimitPolicy.of(name, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1))),
				decision);
	}

	private static RateLimiter limiter(RateLimitPolicy policy, RateLimitDecision decision) {
		RateLimiter limiter = mock(RateLimiter.class);
		given(limiter.policy()).willReturn(policy);
		given(limiter.decide(anyString(), anyLong())).willReturn(ForeignDecision.of(decision));
		given(limiter.decideAtOnce(anyString(), anyLong())).willReturn(ForeignDecision.of(decision));
		given(limiter.peek(anyString())).willReturn(Standing.of(decision));
		return limiter;
	}

}
