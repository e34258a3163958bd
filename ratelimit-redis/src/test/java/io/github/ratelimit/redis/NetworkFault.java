package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.function.Function;

/**
 * What can go wrong on the way to a server.
 */
enum NetworkFault {

	SLOW(FaultEffect.NONE, (proxy) -> slow(proxy, Duration.ofMillis(20))),

	SLOWER_THAN_ANYBODY_WAITS(FaultEffect.OUTAGE, (proxy) -> slow(proxy, FaultEffect.OUTAGE.timeout())),

	CUT(FaultEffect.OUTAGE, (proxy) -> Fault.of(proxy::cut, proxy::mend)),

	RESET(FaultEffect.SOME, (proxy) -> Fault.repeated(Duration.ofMillis(100), 0, proxy::reset));

	private final FaultEffect effect;

	private final Function<TestProxy, Fault> fault;

	NetworkFault(FaultEffect effect, Function<TestProxy, Fault> fault) {
		this.effect = effect;
		this.fault = fault;
	}

	FaultEffect effect() {
		return this.effect;
	}

	Fault on(TestProxy proxy) {
		return this.fault.apply(proxy);
	}

	private static Fault slow(TestProxy proxy, Duration delay) {
		return Fault.of(() -> proxy.slow(delay), () -> proxy.slow(Duration.ZERO));
	}

}
