package io.github.ratelimit.annotation;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.LimitedHttpRequest;
import io.github.ratelimit.request.ReactivePermits;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;

/**
 * Observes what one subscriber gets of a call that returns a reactive type, and whether
 * the subscriber leaves before it is over. Loaded only with Reactor.
 *
 * @param <T> the type of the elements
 */
final class ObservedStream<T> {

	private final Acquisition acquisition;

	/* Its only element is all that the call returns. */
	private final boolean single;

	/* Operators may cancel what has completed. */
	private final AtomicBoolean ended = new AtomicBoolean();

	/* The last of several elements is the result. */
	private volatile @Nullable T last;

	private ObservedStream(Acquisition acquisition, boolean single) {
		this.acquisition = acquisition;
		this.single = single;
	}

	/*
	 * Whoever polls a stream may leave out its end, so that nothing may poll it.
	 */
	static <T> Flux<T> of(Flux<T> stream, ReactiveAdapter adapter, Acquisition acquisition) {
		ObservedStream<T> observed = new ObservedStream<>(acquisition, !adapter.isMultiValue());
		Flux<T> counted = stream.hide();
		if (acquisition.countsElements()) {
			counted = counted.doOnNext(acquisition::count);
		}
		return counted.doOnNext((element) -> observed.last = element)
			.doOnComplete(() -> observed.end(null))
			.doOnError(observed::end)
			.doOnCancel(observed::cancel);
	}

	private void end(@Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			settle(() -> this.acquisition.endCall(this.last, failure));
		}
	}

	private void cancel() {
		if (this.single && this.last != null) {
			end(null);
		}
		else if (this.ended.compareAndSet(false, true)) {
			Throwable failure = (this.last == null) ? new CancellationException() : null;
			settle(() -> this.acquisition.cancelCall(this.last, failure));
		}
	}

	/*
	 * A request only notes how its handler has ended, before whoever hears of it can end
	 * the request. What is settled here may take its time.
	 */
	private void settle(Runnable settlement) {
		if (this.acquisition instanceof LimitedHttpRequest) {
			settlement.run();
		}
		else {
			ReactivePermits.settle(this.acquisition, settlement);
		}
	}

}
