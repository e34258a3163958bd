package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.RateLimitSession.Question;
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
	RedisStates open(RateLimitPolicy policy) {
		return open("test", policy);
	}

	RedisStates open(String prefix, RateLimitPolicy policy) {
		return new RedisStates(policy, prefix, runner(), TestStore.PATIENT.timeout());
	}

	/**
	 * Asks several policies for a permit each, in one call.
	 */
	List<RateLimitDecision> decideTogether(List<RedisStates> states, long[] permits) {
		return runner().run(RedisStates.deciding(questions(states, permits)),
				Deadline.after(TestStore.PATIENT.timeout()));
	}

	/**
	 * What to ask of each of several policies.
	 */
	static List<Question> questions(List<RedisStates> states, long... permits) {
		return IntStream.range(0, permits.length)
			.mapToObj((i) -> new Question(states.get(i), "key", permits[i], false))
			.toList();
	}

	ScriptCalls runner() {
		return new ScriptCalls(time());
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
