package io.github.ratelimit.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.request.DelayScheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * How a call waits or is rejected, which depends on what its method returns.
 */
@FunctionalInterface
interface Enforcement {

	/**
	 * Takes the call's permits, waits, and lets the call proceed.
	 * @param call the call
	 * @param delayScheduler lets time pass
	 * @return what the method returns, or will return
	 * @throws Throwable the rejection, or what the method throws
	 */
	@Nullable Object enforce(LimitedCall call, DelayScheduler delayScheduler) throws Throwable;

	static Enforcement of(Class<?> returnType) {
		if (CompletionStage.class.isAssignableFrom(returnType)
				&& returnType.isAssignableFrom(CompletableFuture.class)) {
			return new FutureEnforcement();
		}
		if (ClassUtils.isPresent("reactor.core.publisher.Flux", Enforcement.class.getClassLoader())) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
			if (adapter != null) {
				return new ReactiveEnforcement(adapter);
			}
		}
		return new PlainEnforcement();
	}

}
