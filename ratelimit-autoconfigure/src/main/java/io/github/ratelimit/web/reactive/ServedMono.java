package io.github.ratelimit.web.reactive;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.core.publisher.SignalType;
import reactor.util.context.Context;

/**
 * Serves a request: puts it into the context of all that serves it, and tells once how
 * that has ended, after whoever waits for it was told.
 * <p>
 * It is what {@code doFinally} and {@code contextWrite} do one after the other. Each
 * operator costs a request more than a decision does, and these are on the way of all.
 */
final class ServedMono extends MonoOperator<Void, Void> {

	private final ReactiveRequest request;

	private final Consumer<SignalType> end;

	/**
	 * Serves a request.
	 * @param service what is done for it
	 * @param request the request
	 * @param end is told how the service has ended
	 */
	ServedMono(Mono<Void> service, ReactiveRequest request, Consumer<SignalType> end) {
		super(service);
		this.request = request;
		this.end = end;
	}

	@Override
	public void subscribe(CoreSubscriber<? super Void> actual) {
		Context context = actual.currentContext().put(ReactiveRequest.KEY, this.request);
		this.source.subscribe(new Service(actual, context, this.end));
	}

	/**
	 * One service of the request. It is {@code true} once it has ended.
	 */
	@SuppressWarnings("serial")
	private static final class Service extends AtomicBoolean implements CoreSubscriber<Void>, Subscription {

		private final CoreSubscriber<? super Void> actual;

		private final Context context;

		private final Consumer<SignalType> end;

		private @Nullable Subscription service;

		Service(CoreSubscriber<? super Void> actual, Context context, Consumer<SignalType> end) {
			this.actual = actual;
			this.context = context;
			this.end = end;
		}

		@Override
		public Context currentContext() {
			return this.context;
		}

		@Override
		public void onSubscribe(Subscription service) {
			if (Operators.validate(this.service, service)) {
				this.service = service;
				this.actual.onSubscribe(this);
			}
		}

		@Override
		public void onNext(Void nothing) {
			this.actual.onNext(nothing);
		}

		@Override
		public void onError(Throwable thrown) {
			try {
				this.actual.onError(thrown);
			}
			finally {
				end(SignalType.ON_ERROR);
			}
		}

		@Override
		public void onComplete() {
			this.actual.onComplete();
			end(SignalType.ON_COMPLETE);
		}

		@Override
		public void request(long count) {
			Objects.requireNonNull(this.service).request(count);
		}

		@Override
		public void cancel() {
			Objects.requireNonNull(this.service).cancel();
			end(SignalType.CANCEL);
		}

		/*
		 * Nobody is left who could be told of a failure.
		 */
		private void end(SignalType signal) {
			if (!compareAndSet(false, true)) {
				return;
			}
			try {
				this.end.accept(signal);
			}
			catch (RuntimeException ex) {
				Operators.onErrorDropped(ex, this.context);
			}
		}

	}

}
