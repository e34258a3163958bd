package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LimitedHttpRequest}: which calls are those of the handler, what the request
 * waits for, and what its client is told.
 */
class LimitedHttpRequestTests {

	private static final Method HANDLER = method(Handler.class, "handle", String.class);

	private static final Method OTHER = method(Handler.class, "other", String.class);

	private final ManualClock clock = ManualClock.atMidnight();

	private final LocalRateLimitStore store = new LocalRateLimitStore(this.clock, 100);

	private final RateLimiterRegistry registry = new StoreRateLimiterRegistry(this.store, List.of());

	private final PermitRequest one = request("one", "key");

	private final PermitRequest two = request("two", "key");

	private final LimitedHttpRequest request = new PlainRequest(this.clock);

	private final Acquisition acquisition = this.request;

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void theHandlersCallAcquiresWithTheRequestOnce() {
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.acquisition(OTHER)).isNotSameAs(this.acquisition);
		assertThat(this.request.acquisition(HANDLER)).isSameAs(this.acquisition);
		assertThat(this.request.acquisition(HANDLER)).isNotSameAs(this.acquisition).isNotNull();
	}

	@Test
	void withoutAHandlerEveryCallAcquiresForItself() {
		assertThat(this.request.acquisition(HANDLER)).isNotSameAs(this.acquisition).isNotNull();
	}

	@Test
	void aHandlerWhoseCallIsNotSeenHasBeenCalled() {
		this.request.enter(HANDLER, false, true);
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
		assertThat(this.request.acquisition(HANDLER)).isNotSameAs(this.acquisition);
	}

	@Test
	void whatIsEnforcedForTheHandlerCoversItsCallOnce() {
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(OTHER)).isFalse();
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
		assertThat(this.request.acquisition(HANDLER)).isNotSameAs(this.acquisition);
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
	}

	@Test
	void aProxyOfTheHandlerMayBeCalledByAnInterfaceOrASuperclass() {
		Method declared = method(Api.class, "handle", String.class);
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(declared)).isTrue();
		this.request.enter(declared, true, true);
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
	}

	@Test
	void methodsOfOtherTypesNamesOrParametersAreNotTheHandler() {
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(method(Stranger.class, "handle", String.class))).isFalse();
		assertThat(this.request.consumeEnforced(method(Api.class, "handle", int.class))).isFalse();
		assertThat(this.request.consumeEnforced(method(Api.class, "other", String.class))).isFalse();
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
	}

	@Test
	void theHandlersOfAllDispatchesAreKnown() {
		Method last = method(Stranger.class, "handle", String.class);
		assertThat(this.request.hasEntered(HANDLER)).isFalse();
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.hasEntered(HANDLER)).isTrue();
		this.request.enter(OTHER, true, false);
		this.request.enter(OTHER, true, false);
		assertThat(this.request.hasEntered(last)).isFalse();
		this.request.enter(last, true, false);
		assertThat(List.of(HANDLER, OTHER, last)).allMatch(this.request::hasEntered);
	}

	@Test
	void aRequestWaitsOnceForWhatItHasAcquired() {
		PermitRequest queue = queue("queue");
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.isUnfinished()).isFalse();
		assertThat(this.acquisition.take(List.of(this.one, queue))).isTrue();
		assertThat(this.acquisition.delayNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(this.request.waits()).isTrue();
		assertThat(this.request.isUnfinished()).isTrue();
		this.request.startWaiting();
		assertThat(this.acquisition.delayNanos()).isZero();
		assertThat(this.request.waits()).isTrue();
		assertThat(this.request.stopWaiting()).isTrue();
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.stopWaiting()).isFalse();
		assertThat(this.acquisition.take(List.of(queue.of(2)))).isTrue();
		assertThat(this.acquisition.delayNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
	}

	@Test
	void aRequestWhoseDelayIsOverGoesOn() {
		assertThat(this.acquisition.take(List.of(queue("queue")))).isTrue();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.request.waits()).isFalse();
	}

	@Test
	void aRequestThatHasFailedForgoesItsWait() {
		assertThat(this.acquisition.take(List.of(queue("queue")))).isTrue();
		this.request.forgoDelay();
		assertThat(this.acquisition.delayNanos()).isZero();
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.stopWaiting()).isFalse();
	}

	@Test
	void theClientIsToldOfThePoliciesOfTheRequestAndOfItsCalls() {
		assertThat(this.request.told()).isEmpty();
		this.request.add(call(this.two).entries());
		assertThat(told()).containsExactly("two 9");
		this.acquisition.take(List.of(this.one));
		assertThat(told()).containsExactly("one 9", "two 9");
		this.request.add(call(request("three", "key")).entries());
		assertThat(told()).containsExactly("one 9", "two 9", "three 9");
	}

	@Test
	void ofOnePolicyAndKeyTheLatestWordCounts() {
		this.acquisition.take(List.of(this.one, this.two));
		this.request.add(call(this.one).entries());
		this.one.limiter().reset("key");
		this.request.add(call(this.one).entries());
		assertThat(told()).containsExactly("one 9", "two 9");
	}

	@Test
	void ofOnePolicysKeysTheTightestCounts() {
		this.acquisition.take(List.of(this.one, of("other", 3)));
		assertThat(told()).containsExactly("one 7");
		this.request.add(call(of("third", 2)).entries());
		assertThat(told()).containsExactly("one 7");
	}

	@Test
	void ofKeysThatAreAsTightTheFirstStays() {
		this.acquisition.take(List.of(this.one, of("other", 1)));
		assertThat(this.request.told()).extracting((entry) -> entry.request().key()).containsExactly("key");
	}

	@Test
	void whatIsTakenAgainIsToldOnce() {
		this.acquisition.take(List.of(this.one));
		this.one.limiter().reset("key");
		this.acquisition.take(List.of(of("key", 4)));
		assertThat(told()).containsExactly("one 7");
	}

	@Test
	void aRejectionThatWasThrownCountsAsOneOfAnotherKey() {
		this.acquisition.take(List.of(this.one));
		this.request.add(said(of("thrown", 1), 10));
		assertThat(told()).containsExactly("one 9");
		this.request.add(said(this.two, 0));
		assertThat(told()).containsExactly("one 9", "two 0");
	}

	@Test
	void aRejectionThatWasThrownIsToldWithTheLimitsThatRejected() {
		RateLimitPolicy rejecting = RateLimitPolicy.of("one",
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofMinutes(1)));
		this.request.add(said(PermitRequest.ofRejection(this.one.limiter(), rejecting), 0));
		assertThat(this.request.told()).singleElement().satisfies((entry) -> {
			assertThat(entry.policy()).isEqualTo(rejecting);
			assertThat(entry.request().limiter()).isSameAs(this.one.limiter());
			assertThat(entry.request().permits()).isZero();
		});
	}

	private static List<Acquisition.Entry> said(PermitRequest request, long remaining) {
		return List.of(new Acquisition.Entry(request, RateLimitDecisions.rejected(0, remaining, 1, 1, 1)));
	}

	private Acquisition call(PermitRequest request) {
		Acquisition call = new Acquisition(this.clock);
		assertThat(call.take(List.of(request))).isTrue();
		return call;
	}

	private List<String> told() {
		return this.request.told()
			.stream()
			.map((entry) -> entry.request().limiter().policy().name() + " " + entry.decision().remaining())
			.toList();
	}

	private PermitRequest of(String key, long permits) {
		return PermitRequest.of(this.one.limiter(), key, permits);
	}

	private PermitRequest request(String policy, String key) {
		return PermitRequest.of(this.registry.register(
				RateLimitPolicy.of(policy, RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1)))),
				key, 1);
	}

	/* The first request passes at once, so that each of the test's has to wait. */
	private PermitRequest queue(String policy) {
		RateLimiter queue = this.registry.register(RateLimitPolicy.of(policy,
				RateLimit.builder(RateLimitAlgorithm.LEAKY_BUCKET)
					.limit(1)
					.window(Duration.ofSeconds(1))
					.burst(10L)
					.build()));
		queue.decide("key", 1);
		return PermitRequest.of(queue, "key", 1);
	}

	private static Method method(Class<?> type, String name, Class<?> parameter) {
		return ClassUtils.getMethod(type, name, parameter);
	}

	private static final class PlainRequest extends LimitedHttpRequest {

		PlainRequest(RateLimitClock clock) {
			super(clock, new WaitingRoom(5), Long.MAX_VALUE);
		}

		@Override
		public @Nullable RequestView view() {
			return null;
		}

	}

	interface Api {

		void handle(String text);

		void handle(int number);

		void other(String text);

	}

	static class Handler implements Api {

		@Override
		public void handle(String text) {
		}

		@Override
		public void handle(int number) {
		}

		@Override
		public void other(String text) {
		}

	}

	static class Stranger {

		public void handle(String text) {
		}

	}

}
