package io.github.ratelimit.ai;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.ReactivePermits;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.model.ChatResponse;

/**
 * Settles a call whose answer is streamed, when it is over or its reader leaves.
 *
 * @param answer what has come by now
 * @param acquisition what was reserved
 * @param ended whether the call is over: operators may cancel what has completed
 */
record StreamedAnswer(ModelAnswer answer, Acquisition acquisition, AtomicBoolean ended) {

	/*
	 * Whoever polls a stream may leave out its end, so that nothing may poll it.
	 */
	static Flux<ChatResponse> of(Flux<ChatResponse> stream, ModelAnswer answer, Acquisition acquisition) {
		StreamedAnswer streamed = new StreamedAnswer(answer, acquisition, new AtomicBoolean());
		return stream.hide()
			.doOnNext(answer::add)
			.doOnComplete(() -> streamed.end(() -> acquisition.endCall(answer.usage(), null)))
			.doOnError((failure) -> streamed.end(() -> ModelCalls.fail(acquisition, answer, failure)))
			.doOnCancel(() -> streamed.end(() -> acquisition.cancelCall(answer.usageSoFar(), null)));
	}

	private void end(Runnable settlement) {
		if (this.ended.compareAndSet(false, true)) {
			ReactivePermits.settle(this.acquisition, settlement);
		}
	}

}
