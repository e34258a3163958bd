package io.github.ratelimit.enforce;

import java.lang.reflect.Method;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.expression.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the current request in an application that serves none.
 */
final class NoRequest implements CurrentRequest {

	private final RateLimitClock clock;

	private final WaitingRoom room;

	NoRequest(RateLimitClock clock, WaitingRoom room) {
		this.clock = clock;
		this.room = room;
	}

	@Override
	public @Nullable RequestView view() {
		return null;
	}

	@Override
	public boolean consumeEnforced(Method method) {
		return false;
	}

	@Override
	public PermitLedger ledger(Method method) {
		return new PermitLedger(this.clock, this.room, Long.MAX_VALUE);
	}

	@Override
	public void report(PermitLedger ledger) {
	}

}
