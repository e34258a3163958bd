package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.RemoteStore;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A real server whose scripts go by a time that a test moves.
 */
final class VirtualServer implements AutoCloseable {

	private final TestRedis redis = TestRedis.start();

	private final RedisConnectionFactory factory = ClientKind.LETTUCE.standalone(this.redis.port());

	private final CountingRunner runner = new CountingRunner(RedisRateLimitStore.runner(this.factory));

	private final ManualClock clock = ManualClock.atMidnight();

	private boolean amongLooks;

	private long begin = this.clock.nanos();

	/**
	 * Forgets everything, and moves the time to the beginning of a day.
	 */
	void beginADay() {
		this.redis.call("FLUSHALL");
		long day = Duration.ofDays(1).toNanos();
		this.begin = (this.clock.nanos() / day + 1) * day;
		at(0);
	}

	/**
	 * Moves the time to a moment after the beginning, in whole microseconds.
	 */
	void at(double seconds) {
		this.clock.advanceNanos(this.begin + Math.round(seconds * 1_000_000) * 1000 - this.clock.nanos());
	}

	/**
	 * Sets the time back, and with it the beginning.
	 */
	void setBack(Duration time) {
		this.clock.advanceNanos(-time.toNanos());
		this.begin -= time.toNanos();
	}

	/**
	 * Opens a policy, as each instance of an application does.
	 */
	PolicyDecider open(RateLimitPolicy policy) {
		return open("test", policy);
	}

	PolicyDecider open(String prefix, RateLimitPolicy policy) {
		return store(prefix).open(policy);
	}

	/**
	 * A store that remembers no rejections, and fails if the server does.
	 */
	RateLimitStore store(String prefix) {
		RemoteStore store = new RedisRemoteStore(time(), prefix, TestStore.PATIENT.timeout());
		return TestStore.over(this.amongLooks ? new AmongLooks(store) : store, this.clock);
	}

	/**
	 * Whether each request is decided in one call with others.
	 */
	void amongLooks(boolean amongLooks) {
		this.amongLooks = amongLooks;
	}

	/**
	 * Asks several policies at once.
	 */
	List<RateLimitDecision> decideTogether(List<PolicyDecider> states, long... permits) {
		List<Question> questions = IntStream.range(0, permits.length)
			.mapToObj((i) -> Question.of(states.get(i), "key", permits[i], false))
			.toList();
		return store("test").sessions().get().decide(questions);
	}

	/**
	 * Whether one call decides on several policies.
	 */
	boolean fitOneCall(List<PolicyDecider> states) {
		int before = calls();
		decideTogether(states, new long[states.size()]);
		return calls() == before + 1;
	}

	VirtualTime time() {
		return new VirtualTime(this.runner, this.clock);
	}

	ManualClock clock() {
		return this.clock;
	}

	TestRedis redis() {
		return this.redis;
	}

	/**
	 * How often the server was asked.
	 */
	int calls() {
		return this.runner.calls();
	}

	@Override
	public void close() {
		this.runner.close();
		ClientKind.stop(this.factory);
		this.redis.close();
	}

}
