package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Takes permits for callers whose thread must not wait, at subscription: of a store in
 * this process on that thread, of one that answers later without any thread, and of any
 * other on a thread that may wait. Loaded only with Reactor.
 *
 * @since 0.1.0
 */
public final class ReactivePermits {

	private ReactivePermits() {
	}

	/**
	 * Takes permits as {@link Acquisition#take(List)} does. Whoever cancels while the
	 * store is asked has taken them, but keeps no slot to wait in.
	 * @param acquisition what they are taken for
	 * @param requests what to take
	 * @return whether all policies allow
	 */
	public static Mono<Boolean> take(Acquisition acquisition, List<PermitRequest> requests) {
		return take(acquisition, requests, Acquisition.WITHOUT_FALLBACK);
	}

	/**
	 * Takes permits as {@link Acquisition#take(List, boolean, Predicate)} does.
	 * @param acquisition what they are taken for
	 * @param requests what to take
	 * @param fallback whether a fallback answers a rejection
	 * @return whether all policies allow
	 */
	public static Mono<Boolean> take(Acquisition acquisition, List<PermitRequest> requests,
			Predicate<AcquisitionEntry> fallback) {
		EffectivePolicy any = requests.isEmpty() ? null : requests.get(0).effectivePolicy();
		return ask(acquisition, any, () -> acquisition.take(requests, true, fallback),
				(session) -> take(acquisition, requests, fallback, session));
	}

	/**
	 * Takes the permits of a call that has no fallback.
	 * @param request what the call belongs to
	 * @param method the method that is called
	 * @param requests what to take
	 * @return says whether a policy rejects, and how long the call must wait
	 * @see #acquire(LimitedRequest, Method, List, Predicate)
	 */
	public static Mono<Acquisition> acquire(LimitedRequest request, Method method, List<PermitRequest> requests) {
		return acquire(request, method, requests, Acquisition.WITHOUT_FALLBACK);
	}

	/**
	 * Takes the permits of a call as {@link LimitedRequest#acquire} does, waiting in a
	 * slot of its own.
	 * @param request what the call belongs to
	 * @param method the method that is called
	 * @param requests what to take
	 * @param fallback whether a fallback answers a rejection
	 * @return says whether a policy rejects, and how long the call must wait
	 */
	public static Mono<Acquisition> acquire(LimitedRequest request, Method method, List<PermitRequest> requests,
			Predicate<AcquisitionEntry> fallback) {
		return Mono.defer(() -> {
			Acquisition acquisition = request.beginCall(method);
			return take(acquisition, requests, fallback).map((taken) -> {
				if (!acquisition.entries().isEmpty()) {
					request.report(acquisition);
				}
				return acquisition;
			});
		});
	}

	/**
	 * Gives everything back as {@link Acquisition#refundUncharged} does.
	 * @param acquisition what was taken
	 * @return completes when that is done
	 */
	public static Mono<Void> refundUncharged(Acquisition acquisition) {
		EffectivePolicy any = acquisition.entries().isEmpty() ? null : acquisition.entries().get(0).effectivePolicy();
		return ask(acquisition, any, () -> {
			acquisition.refundUncharged();
			return true;
		}, (session) -> refund(acquisition.refundOfUncharged(), session)).then();
	}

	/**
	 * Settles an acquisition once all is answered that was asked for it, and does not
	 * wait: at once if nothing is under way, and if it takes no time.
	 * @param acquisition what is settled
	 * @param settlement settles it
	 */
	public static void settle(Acquisition acquisition, Runnable settlement) {
		if (acquisition.isAnswered() && !acquisition.mayBlockToSettle()) {
			settlement.run();
			return;
		}
		inTurn(acquisition, () -> call(acquisition.mayBlockToSettle(), () -> {
			settlement.run();
			return true;
		})).subscribe();
	}

	/**
	 * Does something at subscription.
	 * @param mayBlock whether it may take its time, so that it is done on a thread that
	 * may wait
	 * @param work what to do
	 * @param <T> what comes of it
	 * @return what comes of it, or nothing if that is {@code null}
	 */
	public static <T> Mono<T> call(boolean mayBlock, Supplier<? extends @Nullable T> work) {
		Mono<T> done = Mono.fromSupplier(work);
		if (mayBlock) {
			return done.subscribeOn(Schedulers.boundedElastic());
		}
		return done;
	}

	private static Mono<Boolean> ask(Acquisition acquisition, @Nullable EffectivePolicy any, Supplier<Boolean> here,
			Function<RateLimitSession, Mono<Boolean>> later) {
		if (any == null || any.isInProcess()) {
			return Mono.create((sink) -> {
				boolean answer = here.get();
				// whoever has cancelled meanwhile does not hear of it
				sink.onCancel(acquisition::releaseSlot).success(answer);
			});
		}

		return inTurn(acquisition, () -> {
			RateLimitSession session = acquisition.session(any.limiter());
			if (session.isBlocking()) {
				return call(true, here);
			}
			return later.apply(session);
		});
	}

	/*
	 * What was begun goes on when its subscriber has cancelled. Reactor throws what is
	 * fatal, and what comes next is not to wait for ever.
	 */
	private static Mono<Boolean> inTurn(Acquisition acquisition, Supplier<Mono<Boolean>> work) {
		return Mono.defer(() -> {
			CompletableFuture<Boolean> done = new CompletableFuture<>();
			acquisition.follow(done)
				.handle((before, failure) -> Mono.defer(work).subscribe(done::complete, done::completeExceptionally))
				.whenComplete((begun, fatal) -> {
					if (fatal != null) {
						done.completeExceptionally(fatal);
					}
				});
			return Mono.fromFuture(done, true).doOnCancel(() -> done.thenRun(acquisition::releaseSlot));
		});
	}

	private static Mono<Boolean> take(Acquisition acquisition, List<PermitRequest> requests,
			Predicate<AcquisitionEntry> fallback, RateLimitSession session) {
		PermitAttempt attempt = acquisition.begin(requests, true, fallback);
		return take(acquisition, attempt, session).doOnNext(attempt::end).doOnError((failure) -> attempt.end(false));
	}

	private static Mono<Boolean> take(Acquisition acquisition, PermitAttempt attempt, RateLimitSession session) {
		Mono<Boolean> taken = takeTogether(acquisition, attempt, session);
		if (attempt.informing().isEmpty()) {
			return taken;
		}
		return taken.flatMap((allowed) -> {
			if (!allowed) {
				return Mono.just(false);
			}
			return Flux.fromIterable(attempt.informing())
				.concatMap((request) -> decide(List.of(request), session)
					.doOnNext((decided) -> attempt.concludeInforming(request, decided)))
				.then(Mono.just(true));
		});
	}

	private static Mono<Boolean> takeTogether(Acquisition acquisition, PermitAttempt attempt,
			RateLimitSession session) {
		if (attempt.isPaid()) {
			return Mono.just(true);
		}
		return decide(attempt, session).flatMap((decisions) -> {
			if (attempt.conclude(decisions)) {
				return Mono.just(true);
			}
			if (attempt.isAnswered()) {
				return Mono.just(false);
			}
			return refund(acquisition.refundOfEarlier(), session);
		});
	}

	private static Mono<List<@Nullable RateLimitDecision>> decide(PermitAttempt attempt, RateLimitSession session) {
		List<@Nullable RateLimitDecision> refusal = attempt.refusal();
		if (refusal != null) {
			return Mono.just(refusal);
		}
		return decide(attempt.questions(), session);
	}

	private static Mono<Boolean> refund(Refund refund, RateLimitSession session) {
		if (refund.isEmpty()) {
			return Mono.just(false);
		}

		List<RateLimitSession.Given> given = refund.given();
		Mono<Void> refunded = given.isEmpty() ? Mono.empty() : answer(() -> session.refundAsync(given));
		return refunded.then(Mono.fromSupplier(refund::report))
			.flatMap((looks) -> decide(PermitRequest.looks(looks), session).map((left) -> {
				refund.conclude(looks, left);
				return false;
			}));
	}

	private static Mono<List<@Nullable RateLimitDecision>> decide(List<RateLimitSession.Question> questions,
			RateLimitSession session) {
		return answer(() -> session.decideAsync(questions)).single();
	}

	/*
	 * What follows notifies listeners, and proceeds with the request: it is not for the
	 * thread that has the store's answers.
	 */
	private static <T> Mono<T> answer(Supplier<CompletionStage<T>> question) {
		return Mono.defer(() -> {
			CompletableFuture<T> answer = question.get().toCompletableFuture();
			Mono<T> answered = Mono.fromFuture(answer);
			if (answer.isDone()) {
				return answered;
			}
			return answered.publishOn(Schedulers.parallel());
		});
	}

	/**
	 * A request of which some things can be read only once they were fetched, such as its
	 * user.
	 */
	public interface ReactiveRequest extends LimitedRequest {

		/** Its key in the context of all that subscribes for it. */
		String KEY = LimitedRequest.class.getName();

		/**
		 * Fetches what the expressions of a call may read.
		 * @param mayRead whether they may read a word, such as {@code principal}
		 * @return completes when all is there, or fails if the request cannot be served
		 */
		Mono<Void> fetch(Predicate<String> mayRead);

	}

}
