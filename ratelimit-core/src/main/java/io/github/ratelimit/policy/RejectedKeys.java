package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that a policy rejects most, since the start and lately. A rejection
 * counts for the half hour that is under way; what half hours have counted is added up
 * when one ends, and when somebody looks. Keys are kept as they are, because their hash
 * costs more than the rejection, and only those are hashed that somebody looks at.
 */
final class RejectedKeys {

	private static final long HALF_HOUR = Duration.ofMinutes(30).toNanos();

	private static final int MAX_REPORTED = 20;

	private final ReentrantLock lock = new ReentrantLock();

	private final RateLimitClock clock;

	private KeyCounters current = new KeyCounters();

	private KeyCounters previous = new KeyCounters();

	private KeyCounters earlier = new KeyCounters();

	/* When the half hour ends that is under way. */
	private long end = Long.MIN_VALUE;

	/**
	 * Begins to count.
	 * @param clock this process' time, by which what was counted lately grows old
	 */
	RejectedKeys(RateLimitClock clock) {
		this.clock = clock;
	}

	/**
	 * Counts a rejection, unless another thread is counting. A key that is longer than
	 * those of requests can be is not counted.
	 * @param key the key that was rejected
	 * @param now when, by the store's time, nanoseconds since the epoch
	 */
	void add(String key, long now) {
		if (key.length() > RateLimiter.MAX_KEY_LENGTH || !this.lock.tryLock()) {
			return;
		}
		try {
			if (now >= this.end) {
				turn(now);
			}
			this.current.add(key, now);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void turn(long now) {
		this.earlier = KeyCounters.sum(this.earlier, this.previous);
		this.previous = this.current;
		this.current = new KeyCounters();
		boolean skipped = now >= this.end + HALF_HOUR;
		if (skipped) {
			this.earlier = KeyCounters.sum(this.earlier, this.previous);
			this.previous = new KeyCounters();
		}
		this.end = now - Math.floorMod(now, HALF_HOUR) + HALF_HOUR;
	}

	/**
	 * The keys that were rejected most since the start.
	 * @return the keys, most rejected first, at most 20
	 */
	List<RejectedKey> most() {
		KeyCounters all;
		this.lock.lock();
		try {
			all = KeyCounters.sum(KeyCounters.sum(this.current, this.previous), this.earlier);
		}
		finally {
			this.lock.unlock();
		}
		return all.most(MAX_REPORTED);
	}

	/**
	 * The keys that were rejected most in the half hour that is under way and the one
	 * before.
	 * @return the keys, most rejected first, at most 20
	 */
	List<RejectedKey> mostLately() {
		long now = this.clock.nanos();
		KeyCounters lately;
		this.lock.lock();
		try {
			if (now >= this.end) {
				turn(now);
			}
			lately = KeyCounters.sum(this.current, this.previous);
		}
		finally {
			this.lock.unlock();
		}
		return lately.most(MAX_REPORTED);
	}

	/**
	 * Finds a key that is counted.
	 * @param hash the key's hash, as the log has it
	 * @return the key, or {@code null} if no key with that hash is counted
	 */
	@Nullable String find(String hash) {
		List<String> keys;
		this.lock.lock();
		try {
			keys = Stream.of(this.current, this.previous, this.earlier).flatMap(KeyCounters::keys).distinct().toList();
		}
		finally {
			this.lock.unlock();
		}
		return keys.stream().filter((key) -> RejectionLog.hash(key).equals(hash)).findFirst().orElse(null);
	}

}
