package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.store.RateLimitDecisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LimitedHttpRequest}: which calls are those of the handler, what the request
 * waits for, and what its client is told.
 */
class LimitedHttpRequestTests extends Acquiring {

	private static final Method HANDLER = method(ArrayList.class, "add", Object.class);

	private static final Method OTHER = method(ArrayList.class, "contains", Object.class);

	/* Of a type that has nothing to do with the handler's. */
	private static final Method STRANGER = method(PriorityQueue.class, "add", Object.class);

	private final PermitRequest one = of(bucket("one", 10), "key", 1);

	private final PermitRequest two = of(bucket("two", 10), "key", 1);

	@Test
	void theHandlersCallAcquiresWithTheRequestOnce() {
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.beginCall(OTHER)).isNotSameAs(this.request);
		assertThat(this.request.beginCall(HANDLER)).isSameAs(this.request);
		assertThat(this.request.beginCall(HANDLER)).isNotSameAs(this.request).isNotNull();
	}

	@Test
	void whereTheHandlersCallAcquiresCanBeAskedBeforeItBegins() {
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.acquisition(HANDLER)).isSameAs(this.request);
		assertThat(this.request.acquisition(HANDLER)).isSameAs(this.request);
		assertThat(this.request.beginCall(HANDLER)).isSameAs(this.request);
		assertThat(this.request.acquisition(HANDLER)).isNotSameAs(this.request);
	}

	@Test
	void aRejectionAfterAFailedLoginRefundsNothing() {
		take(this.one);
		this.request.noteAuthentication(true);
		assertThat(take(rejecting())).isFalse();
		refundUncharged();
		assertThat(remaining(this.one)).isEqualTo(9);
	}

	@Test
	void aRejectionAfterALoginRefundsAll() {
		take(this.one);
		this.request.noteAuthentication(false);
		assertThat(take(rejecting())).isFalse();
		assertThat(remaining(this.one)).isEqualTo(10);
	}

	@Test
	void whatAttemptsComeToInTheEndReplacesWhatWasNotedOfThem() {
		take(this.one);
		assertThat(this.request.hasFailedAttempt()).isFalse();
		this.request.noteAuthentication(true);
		assertThat(this.request.hasFailedAttempt()).isTrue();
		this.request.replaceAuthentication(false);
		assertThat(this.request.hasFailedAttempt()).isFalse();
		assertThat(take(rejecting())).isFalse();
		assertThat(remaining(this.one)).isEqualTo(10);
		this.request.replaceAuthentication(true);
		assertThat(this.request.hasFailedAttempt()).isTrue();
	}

	@Test
	void aRejectionInALaterDispatchOfAHandlerRefundsNothing() {
		this.request.noteDispatched();
		take(this.one);
		this.request.notePassedOn();
		this.request.noteDispatched();
		assertThat(take(rejecting())).isFalse();
		refundUncharged();
		assertThat(remaining(this.one)).isEqualTo(9);
	}

	@Test
	void aRejectionInALaterDispatchOfAFilterRefundsAll() {
		this.request.noteDispatched();
		take(this.one);
		this.request.noteDispatched();
		assertThat(take(rejecting())).isFalse();
		assertThat(remaining(this.one)).isEqualTo(10);
	}

	private PermitRequest rejecting() {
		return of(bucket("narrow", 1), "key", 2);
	}

	@Test
	void withoutAHandlerEveryCallAcquiresForItself() {
		assertThat(this.request.beginCall(HANDLER)).isNotSameAs(this.request).isNotNull();
	}

	@Test
	void aHandlerWhoseCallIsNotSeenHasBeenCalled() {
		this.request.enter(HANDLER, false, true);
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
		assertThat(this.request.beginCall(HANDLER)).isNotSameAs(this.request);
	}

	@Test
	void whatIsEnforcedForTheHandlerCoversItsCallOnce() {
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(OTHER)).isFalse();
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
		assertThat(this.request.beginCall(HANDLER)).isNotSameAs(this.request);
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.consumeEnforced(HANDLER)).isFalse();
	}

	@Test
	void aProxyOfTheHandlerMayBeCalledByAnInterfaceOrASuperclass() {
		Method declared = method(List.class, "add", Object.class);
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(declared)).isTrue();
		this.request.enter(declared, true, true);
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
	}

	@Test
	void methodsOfOtherTypesNamesOrParametersAreNotTheHandler() {
		this.request.enter(HANDLER, true, true);
		assertThat(this.request.consumeEnforced(STRANGER)).isFalse();
		assertThat(this.request.consumeEnforced(method(List.class, "add", int.class, Object.class))).isFalse();
		assertThat(this.request.consumeEnforced(method(List.class, "contains", Object.class))).isFalse();
		assertThat(this.request.consumeEnforced(HANDLER)).isTrue();
	}

	@Test
	void theHandlersOfAllDispatchesAreKnown() {
		assertThat(this.request.hasEntered(HANDLER)).isFalse();
		this.request.enter(HANDLER, true, false);
		assertThat(this.request.hasEntered(HANDLER)).isTrue();
		this.request.enter(OTHER, true, false);
		this.request.enter(OTHER, true, false);
		assertThat(this.request.hasEntered(STRANGER)).isFalse();
		this.request.enter(STRANGER, true, false);
		assertThat(List.of(HANDLER, OTHER, STRANGER)).allMatch(this.request::hasEntered);
	}

	@Test
	void aFallbackAnswersTheRejectionThatItWasChosenForWhateverIsTakenAfterwards() {
		assertThat(this.request.consumeFallback()).isNull();
		assertThat(take(of(bucket("narrow", 1), "key", 2))).isFalse();
		AcquisitionEntry rejection = this.request.rejection();
		this.request.fallBack();
		assertThat(take(this.one)).isTrue();
		assertThat(this.request.consumeFallback()).isSameAs(rejection);
		assertThat(this.request.consumeFallback()).isNull();
	}

	@Test
	void aRequestWaitsOnceForWhatItHasAcquired() {
		PermitRequest queue = waiting();
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.isUnfinished()).isFalse();
		assertThat(take(this.one, queue)).isTrue();
		assertThat(this.request.delayNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(this.request.waits()).isTrue();
		assertThat(this.request.isUnfinished()).isTrue();
		this.request.startWaiting().run();
		assertThat(this.request.delayNanos()).isZero();
		assertThat(this.request.waits()).isTrue();
		assertThat(this.request.stopWaiting()).isTrue();
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.stopWaiting()).isFalse();
		assertThat(take(queue.of(2))).isTrue();
		assertThat(this.request.delayNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
	}

	@Test
	void aRequestWhoseDelayIsOverGoesOn() {
		assertThat(take(waiting())).isTrue();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.request.waits()).isFalse();
	}

	@Test
	void aRequestThatHasFailedForgoesItsWait() {
		assertThat(take(waiting())).isTrue();
		this.request.forgoDelay();
		assertThat(this.request.delayNanos()).isZero();
		assertThat(this.request.waits()).isFalse();
		assertThat(this.request.stopWaiting()).isFalse();
	}

	/* Whoever looks for a cause among them must end. */
	@Test
	@Timeout(30)
	void aFailureWhoseCausesCauseEachOtherIsTheApplications() {
		Exception failure = new IllegalStateException();
		failure.initCause(new IllegalArgumentException(failure));
		this.request.noteException(failure);
		assertThat(this.request.exception()).isSameAs(failure);
	}

	@Test
	void theClientIsToldOfThePoliciesOfTheRequestAndOfItsCalls() {
		assertThat(this.request.reportedEntries()).isEmpty();
		this.request.add(call(this.two).entries());
		assertThat(reported()).containsExactly("two 9");
		take(this.one);
		assertThat(reported()).containsExactly("one 9", "two 9");
		this.request.add(call(of(bucket("three", 10), "key", 1)).entries());
		assertThat(reported()).containsExactly("one 9", "two 9", "three 9");
	}

	@Test
	void ofOnePolicyAndKeyTheLatestWordCounts() {
		take(this.one, this.two);
		this.request.add(call(this.one).entries());
		this.one.limiter().reset("key");
		this.request.add(call(this.one).entries());
		assertThat(reported()).containsExactly("one 9", "two 9");
	}

	@Test
	void ofOnePolicyAndKeyTheRequestsOwnWordCountsIfItIsTheLatest() {
		this.request.add(call(this.one).entries());
		take(of(this.one.limiter(), "key", 3));
		assertThat(reported()).containsExactly("one 6");
	}

	@Test
	void aRejectionOfTheRequestCountsWhateverACallWasTold() {
		this.request.add(call(this.one).entries());
		this.one.limiter().decide("key", 7);
		assertThat(take(of(this.one.limiter(), "key", 4))).isFalse();
		assertThat(this.request.reportedEntries()).singleElement()
			.satisfies((entry) -> assertThat(entry.decision().allowed()).isFalse());
	}

	@Test
	void ofOnePolicysKeysTheTightestCounts() {
		take(this.one, of(this.one.limiter(), "other", 3));
		assertThat(reported()).containsExactly("one 7");
		this.request.add(call(of(this.one.limiter(), "third", 2)).entries());
		assertThat(reported()).containsExactly("one 7");
	}

	@Test
	void ofKeysThatAreAsTightTheFirstStays() {
		take(this.one, of(this.one.limiter(), "other", 1));
		assertThat(this.request.reportedEntries()).extracting((entry) -> entry.request().key()).containsExactly("key");
	}

	@Test
	void whatIsTakenAgainIsToldOnce() {
		take(this.one);
		this.one.limiter().reset("key");
		take(of(this.one.limiter(), "key", 4));
		assertThat(reported()).containsExactly("one 7");
	}

	@Test
	void aRejectionThatWasThrownCountsWhateverOtherKeysHaveLeft() {
		take(this.one);
		this.request.add(said(of(this.one.limiter(), "thrown", 11), 10));
		assertThat(reported()).containsExactly("one 10");
		this.request.add(said(this.two, 0));
		assertThat(reported()).containsExactly("one 10", "two 0");
		this.request.add(call(of(this.one.limiter(), "third", 2)).entries());
		assertThat(reported()).containsExactly("one 10", "two 0");
	}

	@Test
	void aRejectionThatWasThrownIsToldWithTheLimitsThatRejected() {
		RateLimitPolicy rejecting = RateLimitPolicy.of("one",
				RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 3, Duration.ofMinutes(1)));
		RateLimitExceededException thrown = new RateLimitExceededException(rejecting,
				RateLimitDecisions.rejected(0, 0, 1, 1, 1));
		this.request.add(AcquisitionEntry.ofRejection(this.registry, thrown));
		assertThat(this.request.reportedEntries()).singleElement().satisfies((entry) -> {
			assertThat(entry.policy()).isEqualTo(rejecting);
			assertThat(entry.request().limiter()).isSameAs(this.one.limiter());
			assertThat(entry.request().permits()).isZero();
		});
	}

	private static List<AcquisitionEntry> said(PermitRequest request, long remaining) {
		return List.of(new AcquisitionEntry(request, RateLimitDecisions.rejected(0, remaining, 1, 1, 1)));
	}

	private Acquisition call(PermitRequest request) {
		Acquisition call = new Acquisition(new WaitingRoom(this.clock, 9));
		assertThat(call.take(List.of(request))).isTrue();
		return call;
	}

	private List<String> reported() {
		return this.request.reportedEntries()
			.stream()
			.map((entry) -> entry.request().limiter().policy().name() + " " + entry.decision().remaining())
			.toList();
	}

	/* The first request passes at once, so that each of the test's has to wait. */
	private PermitRequest waiting() {
		RateLimiter queue = queue("queue");
		queue.decide("key", 1);
		return of(queue, "key", 1);
	}

	private static Method method(Class<?> type, String name, Class<?>... parameters) {
		return ClassUtils.getMethod(type, name, parameters);
	}

}
