package io.github.ratelimit.local;

import java.util.Arrays;

import io.github.ratelimit.RateLimitBan;

/**
 * Keeps the rejections of one key that may lead to a ban, and its last ban. It is changed
 * only inside the map's operation on the key; the end of the ban may be read at any time.
 */
final class KeyBan implements LocalKeys.Value {

	private static final long BYTES = 96;

	private final RateLimitBan ban;

	/*
	 * The last rejections, as a ring, from the oldest on. If the oldest one still counts,
	 * all do, and one more begins a ban.
	 */
	private final long[] rejections;

	private int oldest;

	private long lastRejection;

	private int times;

	/* The length of the last ban that is not forgotten. */
	private long lastDuration;

	private volatile long end;

	KeyBan(RateLimitBan ban, long now) {
		this.ban = ban;
		this.rejections = new long[ban.after() - 1];
		this.end = now;
		forgetRejections(now);
	}

	private void forgetRejections(long now) {
		Arrays.fill(this.rejections, now - this.ban.within().toNanos());
	}

	/**
	 * Returns how long the key is banned yet.
	 * @return nanoseconds, not positive if it is not
	 */
	long left(long now) {
		return this.end - now;
	}

	/**
	 * Counts a rejection of a key that is not banned.
	 * @return which ban begins with it, 0 if none does
	 */
	int reject(long now) {
		if (hasBehaved(now)) {
			this.times = 0;
			this.lastDuration = 0;
		}
		this.lastRejection = now;
		if (this.rejections.length > 0) {
			long oldest = replaceOldest(now);
			if (now - oldest >= this.ban.within().toNanos()) {
				return 0;
			}
			forgetRejections(now);
		}

		this.times++;
		this.lastDuration = this.ban.duration(this.times).toNanos();
		this.end = now + this.lastDuration;
		return this.times;
	}

	private long replaceOldest(long now) {
		long oldest = this.rejections[this.oldest];
		this.rejections[this.oldest] = now;
		this.oldest = (this.oldest + 1) % this.rejections.length;
		return oldest;
	}

	/*
	 * Whether the bans so far are forgotten.
	 */
	private boolean hasBehaved(long now) {
		return now - Math.max(this.end, this.lastRejection) >= Math.max(this.lastDuration, this.ban.within().toNanos());
	}

	@Override
	public boolean looksIdle(long now) {
		return left(now) <= 0 && hasBehaved(now);
	}

	@Override
	public boolean retire(long now, boolean onlyIfIdle) {
		return looksIdle(now);
	}

	@Override
	public long bytes() {
		return BYTES + Long.BYTES * (long) this.ban.after();
	}

}
