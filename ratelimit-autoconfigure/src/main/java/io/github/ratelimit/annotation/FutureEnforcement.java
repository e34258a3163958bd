package io.github.ratelimit.annotation;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;

/**
 * For methods that return a {@link CompletableFuture}: a rejection is a failed future,
 * and no thread waits.
 */
final class FutureEnforcement implements Enforcement {

	@Override
	public @Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
		Acquisition acquisition;
		try {
			acquisition = call.acquire(true);
		}
		catch (RateLimitExceededException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		long nanos = acquisition.delayNanos();
		Runnable place = acquisition.takePlace();
		if (nanos == 0) {
			place.run();
			return call.proceed(acquisition);
		}
		LimitedCall later = call.copy();
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		delayScheduler.after(nanos, () -> {
			place.run();
			start(later, acquisition, result);
		}, (failure) -> {
			place.run();
			acquisition.endCall(null, failure);
			result.completeExceptionally(failure);
		});
		return result;
	}

	private static void start(LimitedCall call, Acquisition acquisition, CompletableFuture<@Nullable Object> result) {
		boolean givenUp = result.isDone();
		if (givenUp) {
			acquisition.endCall(null, new CancellationException());
			return;
		}
		try {
			CompletionStage<?> stage = (CompletionStage<?>) call.proceed(acquisition);
			if (stage == null) {
				result.complete(null);
				return;
			}
			stage.whenComplete((value, failure) -> ObservedCall.complete(result, value, ObservedCall.unwrap(failure)));
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

}
