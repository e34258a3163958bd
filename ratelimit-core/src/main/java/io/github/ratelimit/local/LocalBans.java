package io.github.ratelimit.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitMode;

/**
 * The bans of one policy's keys, for each mode in which the policy has been opened: what
 * was only counted in shadow is not enforced later.
 *
 * @param opening opens the bans of a mode
 * @param opened the bans by their mode
 */
record LocalBans(Supplier<LocalKeys<KeyBan>> opening, Map<RateLimitMode, LocalKeys<KeyBan>> opened) {

	LocalBans(Supplier<LocalKeys<KeyBan>> opening) {
		this(opening, new ConcurrentHashMap<>());
	}

	/**
	 * Returns the bans that are counted in a mode.
	 */
	LocalKeys<KeyBan> open(RateLimitMode mode) {
		return this.opened.computeIfAbsent(mode, (absent) -> this.opening.get());
	}

	void reset(String key) {
		this.opened.values().forEach((each) -> each.reset(key));
	}

	/**
	 * Returns how many keys the mode has that has most of them.
	 */
	long keys() {
		return this.opened.values().stream().mapToLong((each) -> each.map().size()).max().orElse(0);
	}

	long evictions() {
		return this.opened.values().stream().mapToLong(LocalKeys::evictions).sum();
	}

}
