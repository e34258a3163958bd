package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.redis.RedisCallException.Blame;
import org.jspecify.annotations.Nullable;

/**
 * Asks the servers whether they would decide, for when no request does. It writes, as a
 * decision does, because a server that is full or a replica still answers.
 */
final class Probe {

	private static final String WRITE = "redis.call('SET', KEYS[1], '', 'PX', 1)\nreturn ''";

	private static final Script SCRIPT = Script.of(WRITE, WRITE);

	/* So many keys lie on every node that has more than a few slots. */
	private static final int KEYS_OF_CLUSTER = 256;

	private static final byte[][] NO_ARGUMENTS = {};

	private final AtomicLong checkedAt = new AtomicLong(Long.MIN_VALUE);

	private final ScriptRunner runner;

	private final Function<String, Breaker> breakers;

	private final Duration timeout;

	private final long intervalNanos;

	private final RateLimitClock clock;

	private final List<ScriptCall> calls;

	private volatile @Nullable String failure;

	/**
	 * Creates a probe.
	 * @param runner the way to the servers
	 * @param settings the keys' beginning, how long to wait, and how often to ask
	 * @param breakers the breaker of a node, by its name
	 * @param clock this process' time
	 */
	Probe(ScriptRunner runner, RedisSettings settings, Function<String, Breaker> breakers, RateLimitClock clock) {
		this.runner = runner;
		this.breakers = breakers;
		this.timeout = settings.timeout();
		this.intervalNanos = settings.retryInterval().toNanos();
		this.clock = clock;
		this.calls = IntStream.range(0, KEYS_OF_CLUSTER).mapToObj((i) -> call(settings.keyPrefix(), i)).toList();
	}

	/*
	 * No policy has such a key: in between the braces, theirs have a colon.
	 */
	private static ScriptCall call(String prefix, int number) {
		byte[] key = (prefix + ":{probe" + number + "}").getBytes(StandardCharsets.US_ASCII);
		return new ScriptCall(SCRIPT, new byte[][] { key }, NO_ARGUMENTS);
	}

	/**
	 * Asks each server, unless that was done within the retry interval, and waits no
	 * longer than for a decision. One that fails at once is asked again, as an outage is
	 * several failures in a row.
	 */
	void check() {
		long last = this.checkedAt.get();
		long now = this.clock.nanos();
		if (isRecent(last, now) || !this.checkedAt.compareAndSet(last, now)) {
			return;
		}
		Map<String, ScriptCall> asked = nodes();
		Deadline deadline = Deadline.after(this.timeout);
		String found = null;
		for (int i = 0; i <= Breaker.FAILURES && !asked.isEmpty() && deadline.remainingNanos() > 0; i++) {
			asked.keySet().removeIf((node) -> !this.breakers.apply(node).mayCall());
			found = ask(asked, deadline, found);
		}
		this.failure = found;
	}

	private boolean isRecent(long checked, long now) {
		return checked != Long.MIN_VALUE && now - checked < this.intervalNanos;
	}

	private Map<String, ScriptCall> nodes() {
		Map<String, ScriptCall> nodes = new LinkedHashMap<>();
		List<ScriptCall> spread = this.runner.isCluster() ? this.calls : this.calls.subList(0, 1);
		spread.forEach((call) -> nodes.putIfAbsent(this.runner.node(call.keys()[0]), call));
		return nodes;
	}

	/*
	 * Leaves those that are to be asked again.
	 */
	private @Nullable String ask(Map<String, ScriptCall> asked, Deadline deadline, @Nullable String before) {
		String found = asked.isEmpty() ? before : null;
		List<String> nodes = new ArrayList<>(asked.keySet());
		long askedAt = this.clock.nanos();
		List<ScriptAnswer> answers = this.runner.runAll(new ArrayList<>(asked.values()), deadline);
		for (int i = 0; i < nodes.size(); i++) {
			Breaker breaker = this.breakers.apply(nodes.get(i));
			RedisCallException failed = answers.get(i).failure();
			if (failed == null) {
				breaker.succeeded(true);
				asked.remove(nodes.get(i));
			}
			else {
				breaker.failed(failed, askedAt);
				found = (failed.blame() != Blame.CALLER) ? failed.getMessage() : found;
			}
		}
		return found;
	}

	/**
	 * What went wrong when the servers were last asked, if that was lately.
	 */
	@Nullable String failure() {
		return isRecent(this.checkedAt.get(), this.clock.nanos()) ? this.failure : null;
	}

}
