package io.github.ratelimit.testserver;

import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * A way in which a subscriber leaves a stream, most of them at one of its elements.
 */
public enum Leaving {

	TAKE(Flux::take),

	TAKE_OF_MORE_REQUESTED((stream, at) -> stream.take(at, false)),

	TAKE_UNTIL((stream, at) -> stream.takeUntil((number) -> number >= at)),

	TAKE_WHILE((stream, at) -> stream.takeWhile((number) -> number < at)),

	TAKE_UNTIL_ANOTHER((stream, at) -> stream.takeUntilOther(Mono.empty())),

	TAKE_OF_MATERIALIZED((stream, at) -> stream.materialize().take(at)),

	TAKE_OF_WINDOWS((stream, at) -> stream.window(2).take(at).concatMap(Function.identity())),

	TAKE_OF_BUFFERS((stream, at) -> stream.buffer(2).take(at)),

	TAKE_OF_GROUPS((stream, at) -> stream.groupBy((number) -> number % 2).take(1).concatMap((group) -> group.take(at))),

	ANOTHER_THREAD((stream, at) -> stream.publishOn(Schedulers.immediate())),

	TAKE_OF_ANOTHER_THREAD((stream, at) -> stream.publishOn(Schedulers.immediate()).take(at)),

	TAKE_ONE_BY_ONE((stream, at) -> stream.publishOn(Schedulers.immediate(), 1).limitRate(1).take(at)),

	TAKE_OF_SHARED((stream, at) -> stream.share().take(at)),

	TAKE_OF_REPLAYED((stream, at) -> stream.replay().refCount().take(at)),

	TAKE_OF_REPEATED((stream, at) -> stream.retryWhen(Retry.max(0)).take(at)),

	TAKE_OF_BUFFERED((stream, at) -> stream.onBackpressureBuffer().take(at)),

	TAKE_OF_UNREQUESTED((stream, at) -> stream.onBackpressureError().take(at)),

	NEXT((stream, at) -> stream.next().flux()),

	ELEMENT_AT((stream, at) -> stream.elementAt(at, -1).flux()),

	SINGLE((stream, at) -> stream.single().flux()),

	ANY((stream, at) -> stream.any((number) -> number == at).flux()),

	ALL((stream, at) -> stream.all((number) -> number < at).flux()),

	HAS_ELEMENTS((stream, at) -> stream.hasElements().flux()),

	HANDLE((stream, at) -> stream.<Integer>handle((number, sink) -> {
		if (number == at) {
			sink.complete();
		}
		else {
			sink.next(number);
		}
	})),

	FAILURE((stream, at) -> stream.map((number) -> orFail(number, at))),

	FAILURE_OF_INNER((stream, at) -> stream.concatMap((number) -> Mono.fromSupplier(() -> orFail(number, at)))),

	FAILURE_OF_ONE_OF_MANY((stream, at) -> stream.flatMap((number) -> Mono.fromSupplier(() -> orFail(number, at)))),

	FAILURE_BESIDE((stream, at) -> Flux.merge(stream, failed())),

	FAILURE_OF_COMBINED((stream, at) -> Flux.combineLatest(stream, failed(), Integer::sum)),

	TIMEOUT((stream, at) -> stream.timeout(Mono.never(), (number) -> (number == at) ? Mono.empty() : Mono.never())),

	TIMEOUT_AT_ONCE((stream, at) -> stream.timeout(Mono.empty(), (number) -> Mono.never())),

	SWITCH((stream, at) -> Flux.range(0, 2).switchMap((number) -> (number == 0) ? stream : Flux.<Integer>empty())),

	SWITCH_BY_ELEMENT((stream, at) -> stream.switchMap((number) -> (number == at) ? failed() : Flux.never())),

	SWITCH_ON_FIRST((stream, at) -> stream.switchOnFirst((first, all) -> (at % 2 == 0) ? Flux.just(at) : all.take(at))),

	FIRST_OF_BOTH((stream, at) -> Flux.firstWithSignal(Mono.never(), stream).take(at)),

	SECOND_OF_BOTH((stream, at) -> Flux.firstWithSignal(stream.skip(10), Flux.just(1))),

	FIRST_VALUE((stream, at) -> Flux.firstWithValue(stream.filter((number) -> number > 5), Flux.just(1))),

	ZIP((stream, at) -> Flux.zip(stream, Flux.range(0, at))),

	ZIP_BEHIND((stream, at) -> Flux.zip(Flux.range(0, at), stream)),

	FUTURE((stream, at) -> Mono.fromFuture(() -> stream.take(at).collectList().toFuture()).flux()),

	/** It leaves as its subscriber does. */
	NONE((stream, at) -> stream);

	private final Way way;

	Leaving(Way way) {
		this.way = way;
	}

	/**
	 * Puts the way behind a stream.
	 * @param at at which element to leave, where it matters
	 */
	public Flux<?> of(Flux<Integer> stream, int at) {
		return this.way.of(stream, at);
	}

	private static int orFail(int number, int at) {
		if (number == at) {
			throw new IllegalStateException("as asked");
		}
		return number;
	}

	private static Flux<Integer> failed() {
		return Flux.error(new TimeoutException("as asked"));
	}

	private interface Way {

		Flux<?> of(Flux<Integer> stream, int at);

	}

}
