package io.github.ratelimit.local;

import io.github.ratelimit.RateLimitBan;

/**
 * The rejections of one key that may lead to a ban, and its last ban. Changed only inside
 * the map's operation on the key; when the ban ends may be read at any time.
 */
final class KeyBan implements LocalKeys.Value {

	private static final long BYTES = 96;

	private final RateLimitBan ban;

	/* The last rejections that count, as a ring. One more begins a ban. */
	private final long[] rejections;

	private int next;

	private int count;

	private long lastRejection;

	private int times;

	/* How long the last ban is that is not forgotten. */
	private long lastDuration;

	private volatile long end;

	KeyBan(RateLimitBan ban, long now) {
		this.ban = ban;
		this.rejections = new long[ban.after() - 1];
		this.end = now;
	}

	/**
	 * How long the key is banned yet.
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
		if (countWithin(now) < this.rejections.length) {
			this.rejections[this.next] = now;
			this.next = (this.next + 1) % this.rejections.length;
			this.count++;
			return 0;
		}
		this.count = 0;
		this.times++;
		this.lastDuration = this.ban.duration(this.times).toNanos();
		this.end = now + this.lastDuration;
		return this.times;
	}

	private int countWithin(long now) {
		long within = this.ban.within().toNanos();
		while (this.count > 0 && now - this.rejections[oldest()] >= within) {
			this.count--;
		}
		return this.count;
	}

	private int oldest() {
		return Math.floorMod(this.next - this.count, this.rejections.length);
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
