package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Follows what other instances override, from before the application is asked for
 * anything until after its last answer.
 */
final class OverrideLifecycle implements SmartLifecycle {

	private final @Nullable StoreRateLimiterRegistry registry;

	private final AnnotatedNumbers annotated;

	private volatile boolean running;

	OverrideLifecycle(@Nullable StoreRateLimiterRegistry registry, AnnotatedNumbers annotated) {
		this.registry = registry;
		this.annotated = annotated;
	}

	@Override
	public void start() {
		this.running = true;
		if (this.registry != null) {
			this.annotated.check(this.registry);
			this.registry.start();
		}
	}

	@Override
	public void stop() {
		if (this.registry != null) {
			this.registry.stop();
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
