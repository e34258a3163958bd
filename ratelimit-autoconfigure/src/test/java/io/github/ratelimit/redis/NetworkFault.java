package io.github.ratelimit.redis;

import java.time.Duration;

/**
 * What can go wrong on the way to a server.
 */
enum NetworkFault {

	SLOW(FaultEffect.NONE) {
		@Override
		Fault on(TestProxy proxy) {
			return slow(proxy, Duration.ofMillis(20));
		}
	},

	SLOWER_THAN_ANYBODY_WAITS(FaultEffect.OUTAGE) {
		@Override
		Fault on(TestProxy proxy) {
			return slow(proxy, FaultEffect.OUTAGE.timeout());
		}
	},

	CUT(FaultEffect.OUTAGE) {
		@Override
		Fault on(TestProxy proxy) {
			return Fault.of(proxy::cut, proxy::mend);
		}
	},

	RESET(FaultEffect.SOME) {
		@Override
		Fault on(TestProxy proxy) {
			return Fault.repeated(Duration.ofMillis(100), 0, proxy::reset);
		}
	};

	private final FaultEffect effect;

	NetworkFault(FaultEffect effect) {
		this.effect = effect;
	}

	FaultEffect effect() {
		return this.effect;
	}

	abstract Fault on(TestProxy proxy);

	private static Fault slow(TestProxy proxy, Duration delay) {
		return Fault.of(() -> proxy.slow(delay), () -> proxy.slow(Duration.ZERO));
	}

}
