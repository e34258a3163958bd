package io.github.ratelimit.policy;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Remembers which plans a policy's keys have, for a bounded number of keys. Where there
 * is no room, it forgets keys that were not asked for again, so that a client that
 * invents keys drives out its own.
 */
final class PlanMemory {

	/* A request does not look further, however many keys are in use. */
	private static final int LOOKED_AT = 64;

	private final ConcurrentHashMap<String, PlanAnswer> answers = new ConcurrentHashMap<>();

	private final long maximumSize;

	private Iterator<Map.Entry<String, PlanAnswer>> hand = Collections.emptyIterator();

	PlanMemory(long maximumSize) {
		this.maximumSize = maximumSize;
	}

	@Nullable PlanAnswer find(String key) {
		PlanAnswer answer = this.answers.get(key);
		if (answer != null && !answer.used) {
			answer.used = true;
		}
		return answer;
	}

	PlanAnswer add(String key) {
		PlanAnswer added = new PlanAnswer();
		PlanAnswer present = this.answers.putIfAbsent(key, added);
		if (present == null && this.answers.mappingCount() > this.maximumSize) {
			makeRoom(added);
		}
		return (present != null) ? present : added;
	}

	/*
	 * Goes round as the hand of a clock, which gives each key that was used one more
	 * chance.
	 */
	private synchronized void makeRoom(PlanAnswer added) {
		String last = null;
		for (int i = 0; i < LOOKED_AT; i++) {
			if (!this.hand.hasNext()) {
				this.hand = this.answers.entrySet().iterator();
			}
			Map.Entry<String, PlanAnswer> next = this.hand.hasNext() ? this.hand.next() : null;
			if (next == null || next.getValue() == added) {
				continue;
			}
			last = next.getKey();
			if (!next.getValue().used) {
				break;
			}
			next.getValue().used = false;
		}
		if (last != null) {
			this.answers.remove(last);
		}
	}

	void forget(String key) {
		this.answers.remove(key);
	}

}
