package io.github.ratelimit.benchmarks.decision;

import java.util.concurrent.atomic.AtomicLong;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Finds the key, reads the time, and changes one word.
 */
final class Floor implements Decider {

	private final Cache<String, AtomicLong> words = Caffeine.newBuilder().maximumSize(Policies.MAXIMUM_SIZE).build();

	@Override
	public boolean decide(String key, Blackhole sink) {
		sink.consume(change(key));
		return true;
	}

	@Override
	public boolean allows(String key) {
		return change(key) != Long.MIN_VALUE;
	}

	private long change(String key) {
		AtomicLong word = this.words.getIfPresent(key);
		if (word == null) {
			word = this.words.get(key, (absent) -> new AtomicLong());
		}
		long now = System.nanoTime();
		long before = word.get();
		while (!word.compareAndSet(before, before + 1)) {
			before = word.get();
		}
		return now + before;
	}

}
