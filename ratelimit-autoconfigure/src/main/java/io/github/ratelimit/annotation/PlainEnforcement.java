package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CancellationException;

import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * For methods that return a plain value: the call waits on its caller's thread, which may
 * be interrupted. The permits stay taken then.
 */
final class PlainEnforcement implements Enforcement {

	@Override
	public @Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable {
		Acquisition acquisition = call.acquire(!delayScheduler.holdsThread());
		long nanos = acquisition.delayNanos();
		Runnable place = acquisition.takePlace();
		try {
			if (nanos > 0) {
				sleep(delayScheduler, nanos, call.method());
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			acquisition.endCall(null, ex);
			throw ex;
		}
		finally {
			place.run();
		}
		return call.proceed(acquisition);
	}

	/*
	 * A method that declares InterruptedException throws it. Any other restores the
	 * thread's interrupt flag and throws an exception that need not be declared.
	 */
	private static void sleep(DelayScheduler delayScheduler, long nanos, Method method) throws InterruptedException {
		try {
			delayScheduler.sleep(nanos);
		}
		catch (InterruptedException ex) {
			if (Arrays.stream(method.getExceptionTypes())
				.anyMatch((declared) -> declared.isAssignableFrom(InterruptedException.class))) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			CancellationException cancellation = new CancellationException(
					"Interrupted while " + ClassUtils.getQualifiedMethodName(method) + " waited for its rate limit");
			cancellation.initCause(ex);
			throw cancellation;
		}
	}

}
