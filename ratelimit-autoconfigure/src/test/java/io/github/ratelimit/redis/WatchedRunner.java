package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;

/**
 * The way to a server that counts how often a caller waits for it. It can also pretend
 * that each policy has a server of its own.
 */
final class WatchedRunner extends ForwardingRunner {

	private final AtomicInteger roundTrips = new AtomicInteger();

	private final Set<String> nodes = ConcurrentHashMap.newKeySet();

	private final boolean spread;

	/* Whether nobody has waited yet for what was sent. */
	private boolean sending;

	WatchedRunner(ScriptRunner runner, boolean spread) {
		super(runner);
		this.spread = spread;
	}

	/**
	 * How often somebody has waited since the last time.
	 */
	int roundTrips() {
		return this.roundTrips.getAndSet(0);
	}

	@Override
	public <T> PendingCall<T> start(ScriptCall<T> call, Deadline deadline) {
		this.sending = true;
		return new WatchedCall<>(call, deadline, this.runner.start(call, deadline));
	}

	private final class WatchedCall<T> extends PendingCall<T> {

		private final PendingCall<T> sent;

		WatchedCall(ScriptCall<T> call, Deadline deadline, PendingCall<T> sent) {
			super(call, deadline);
			this.sent = sent;
			sent.whenComplete((answer, failure) -> {
				if (failure != null) {
					completeExceptionally(failure);
				}
				else {
					complete(answer);
				}
			});
		}

		@Override
		public byte[] get(long timeout, TimeUnit unit)
				throws InterruptedException, ExecutionException, TimeoutException {
			if (WatchedRunner.this.sending) {
				WatchedRunner.this.sending = false;
				WatchedRunner.this.roundTrips.incrementAndGet();
			}
			return super.get(timeout, unit);
		}

		@Override
		void givenUp(StoreCallException failure) {
			this.sent.giveUp();
		}

	}

	private static String policy(byte[] key) {
		String name = new String(key, StandardCharsets.US_ASCII);
		return name.substring(name.indexOf('{') + 1, name.lastIndexOf(':', name.indexOf('}')));
	}

	@Override
	public boolean isCluster() {
		return this.spread || this.runner.isCluster();
	}

	@Override
	public String node(byte[] key) {
		if (!this.spread) {
			return this.runner.node(key);
		}
		this.nodes.add(policy(key));
		return policy(key);
	}

	@Override
	public Set<String> nodes() {
		return this.spread ? this.nodes : this.runner.nodes();
	}

}
