package io.github.ratelimit.web.reactive;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * How a request's service is seen to end, and what all that serves it find.
 */
class ServedMonoTests {

	private final ReactiveRequest request = mock(ReactiveRequest.class);

	private final List<Object> seen = new ArrayList<>();

	private final TestPublisher<Void> service = TestPublisher.create();

	private final Mono<Void> served = new ServedMono(this.service.mono(), this.request, this.seen::add);

	@AfterEach
	void forgetHook() {
		Hooks.resetOnErrorDropped();
	}

	@Test
	void aServiceThatCompletesEndsOnceAfterWhoeverWaitsForIt() {
		this.served.doOnSuccess((nothing) -> this.seen.add("completed")).subscribe();

		this.service.complete();

		assertThat(this.seen).containsExactly("completed", SignalType.ON_COMPLETE);
	}

	@Test
	void aServiceThatFailsEndsOnceAfterWhoeverWaitsForIt() {
		this.served.subscribe(null, this.seen::add);
		IllegalStateException failure = new IllegalStateException();

		this.service.error(failure);

		assertThat(this.seen).containsExactly(failure, SignalType.ON_ERROR);
	}

	@Test
	void aServiceThatIsCancelledEndsOnceHoweverOftenItIsCancelled() {
		Disposable waiting = this.served.subscribe();

		waiting.dispose();
		waiting.dispose();

		this.service.assertCancelled();
		assertThat(this.seen).containsExactly(SignalType.CANCEL);
	}

	@Test
	void aServiceThatHasCompletedIsNotCancelled() {
		StepVerifier.create(this.served).then(this.service::complete).verifyComplete();
		Disposable waiting = new ServedMono(Mono.empty(), this.request, this.seen::add).subscribe();

		waiting.dispose();

		assertThat(this.seen).containsExactly(SignalType.ON_COMPLETE, SignalType.ON_COMPLETE);
	}

	@Test
	void allThatServesTheRequestFindsItAndWhatOthersHavePutThere() {
		Mono<Void> reading = Mono.deferContextual((context) -> {
			this.seen.add(context.get(ReactiveRequest.KEY));
			this.seen.add(context.get("other"));
			return Mono.empty();
		});

		new ServedMono(reading, this.request, (signal) -> {
		}).contextWrite((context) -> context.put("other", "theirs")).block();

		assertThat(this.seen).containsExactly(this.request, "theirs");
	}

	@Test
	void aRequestThatIsServedTwiceEndsTwice() {
		Mono<Void> twice = new ServedMono(Mono.empty(), this.request, this.seen::add);

		twice.then(twice).block();

		assertThat(this.seen).containsExactly(SignalType.ON_COMPLETE, SignalType.ON_COMPLETE);
	}

	@Test
	void aFailureAtTheEndIsReportedAsOneThatNobodyWaitsFor() {
		List<Throwable> dropped = new ArrayList<>();
		Hooks.onErrorDropped(dropped::add);
		IllegalStateException failure = new IllegalStateException();

		Mono<Void> failing = new ServedMono(Mono.empty(), this.request, (signal) -> {
			throw failure;
		});

		StepVerifier.create(failing).verifyComplete();
		assertThat(dropped).containsExactly(failure);
	}

}
