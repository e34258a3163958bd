package io.github.ratelimit;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The overrides of a registry that has none.
 */
final class NoOverrides implements RateLimitOverrides {

	static final NoOverrides INSTANCE = new NoOverrides();

	private NoOverrides() {
	}

	@Override
	public InForce put(RateLimitOverride override, long expectedVersion) {
		throw new RateLimitOverrideException(RateLimitOverrideException.Reason.UNSUPPORTED,
				"This RateLimiterRegistry does not change policies while the application runs", null, null);
	}

	@Override
	public @Nullable InForce remove(RateLimitOverride.Target target, long expectedVersion, @Nullable String who) {
		return null;
	}

	@Override
	public @Nullable InForce find(RateLimitOverride.Target target) {
		return null;
	}

	@Override
	public List<InForce> inForce() {
		return List.of();
	}

	@Override
	public boolean areShared() {
		return false;
	}

}
