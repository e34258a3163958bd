package io.github.ratelimit.test.model;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitBan;

/**
 * The bans of one key by definition: every rejection that ever counted, and every ban.
 */
final class BanModel {

	private final RateLimitBan ban;

	private final long nanosPerTick;

	private final List<Long> rejections = new ArrayList<>();

	/* The ends of the bans that are not forgotten. */
	private final List<Long> ends = new ArrayList<>();

	private int counted;

	BanModel(RateLimitBan ban, long nanosPerTick) {
		this.ban = ban;
		this.nanosPerTick = nanosPerTick;
	}

	/**
	 * How long the key is banned at a moment, 0 if it is not.
	 */
	long left(long now) {
		return Math.max(0, lastEnd() - now);
	}

	private long lastEnd() {
		return this.ends.isEmpty() ? 0 : this.ends.get(this.ends.size() - 1);
	}

	/**
	 * Counts a rejection of the policy's limits.
	 * @return which ban begins with it, 0 if none does
	 */
	int reject(long now) {
		long within = ticks(this.ban.within().toNanos());
		if (!this.ends.isEmpty()) {
			long last = Math.max(lastEnd(), this.rejections.get(this.rejections.size() - 1));
			if (now - last >= Math.max(ticks(this.ban.duration(this.ends.size()).toNanos()), within)) {
				this.ends.clear();
			}
		}
		this.rejections.add(now);
		List<Long> since = this.rejections.subList(this.counted, this.rejections.size());
		if (since.stream().filter((each) -> now - each < within).count() < this.ban.after()) {
			return 0;
		}
		this.counted = this.rejections.size();
		this.ends.add(now + ticks(this.ban.duration(this.ends.size() + 1).toNanos()));
		return this.ends.size();
	}

	private long ticks(long nanos) {
		return nanos / this.nanosPerTick;
	}

}
