package io.github.ratelimit.policy;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.github.ratelimit.store.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which plans a policy's keys have, for a bounded number of keys, and within
 * the bytes that all policies have for it. Where there is no room, it forgets keys that
 * were not asked for again, so that a client that invents keys drives out its own.
 */
final class PlanMemory implements MemoryBudget.Holder {

	/* A request looks no further, however many keys are in use. */
	private static final int MAX_LOOKED_AT = 64;

	private final ConcurrentHashMap<String, PlanAnswer> answers = new ConcurrentHashMap<>();

	private final AtomicLong bytes = new AtomicLong();

	private final MemoryBudget memory;

	private final long maximumSize;

	private Iterator<Map.Entry<String, PlanAnswer>> hand = Collections.emptyIterator();

	PlanMemory(long maximumSize, MemoryBudget memory) {
		this.maximumSize = maximumSize;
		this.memory = memory;
		memory.add(this);
	}

	@Nullable PlanAnswer find(String key) {
		PlanAnswer answer = this.answers.get(key);
		if (answer != null) {
			answer.markUsed();
		}
		return answer;
	}

	PlanAnswer add(String key) {
		PlanAnswer added = new PlanAnswer();
		PlanAnswer present = this.answers.putIfAbsent(key, added);
		if (present != null) {
			return present;
		}

		count(bytesOf(key));
		boolean forgotten = true;
		while (forgotten && this.answers.mappingCount() > this.maximumSize) {
			forgotten = forgetColdest(key);
		}
		this.memory.trim(key);
		return added;
	}

	void forget(String key) {
		if (this.answers.remove(key) != null) {
			count(-bytesOf(key));
		}
	}

	private static long bytesOf(String key) {
		return MemoryBudget.ofEntry(key.length()) + PlanAnswer.BYTES;
	}

	private void count(long bytes) {
		this.bytes.addAndGet(bytes);
		this.memory.count(bytes);
	}

	@Override
	public long bytes() {
		return this.bytes.get();
	}

	@Override
	public boolean evict(long toFree, @Nullable String except) {
		long enough = bytes() - toFree;
		boolean evicted = false;
		while (bytes() > enough && forgetColdest(except)) {
			evicted = true;
		}
		return evicted;
	}

	/*
	 * Goes round as the hand of a clock, which gives each key that was used one more
	 * chance.
	 */
	private synchronized boolean forgetColdest(@Nullable String except) {
		String coldest = findColdest(except);
		if (coldest == null) {
			return false;
		}
		forget(coldest);
		return true;
	}

	private @Nullable String findColdest(@Nullable String except) {
		String last = null;
		for (int i = 0; i < MAX_LOOKED_AT; i++) {
			Map.Entry<String, PlanAnswer> next = next();
			if (next == null || next.getKey().equals(except)) {
				continue;
			}

			last = next.getKey();
			if (!next.getValue().clearUsed()) {
				break;
			}
		}
		return last;
	}

	private Map.@Nullable Entry<String, PlanAnswer> next() {
		if (!this.hand.hasNext()) {
			this.hand = this.answers.entrySet().iterator();
		}
		return this.hand.hasNext() ? this.hand.next() : null;
	}

}
