package io.github.ratelimit.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CancellationException;

import io.github.ratelimit.enforce.PermitLedger;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * For methods that return a plain value: the call waits on its caller's thread, which may
 * be interrupted. The permits stay taken then.
 */
final class PlainEnforcement implements Enforcement {

	private final Waiter waiter;

	PlainEnforcement(Waiter waiter) {
		this.waiter = waiter;
	}

	@Override
	public @Nullable Object enforce(LimitedCall call) throws Throwable {
		PermitLedger ledger = call.enter(!this.waiter.holdsThread());
		long nanos = ledger.delayNanos();
		Runnable place = ledger.takePlace();
		try {
			if (nanos > 0) {
				sleep(nanos, call.method());
			}
		}
		finally {
			place.run();
		}
		return call.proceed();
	}

	/*
	 * Who declares InterruptedException gets it. Everybody else gets the interrupt back
	 * in the thread's flag, and an exception that need not be declared.
	 */
	private void sleep(long nanos, Method method) throws InterruptedException {
		try {
			this.waiter.sleep(nanos);
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
