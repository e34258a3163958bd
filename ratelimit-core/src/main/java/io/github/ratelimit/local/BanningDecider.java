package io.github.ratelimit.local;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * Decides for a policy that bans keys whose requests do not stop. A banned key's requests
 * do not reach the limits.
 */
final class BanningDecider extends LocalDecider {

	private final RateLimitBan ban;

	private final LocalBans all;

	/* Those of the policy's mode. */
	private final LocalKeys<KeyBan> bans;

	BanningDecider(RateLimitPolicy policy, LocalKeys<LocalState> keys, RateLimitBan ban, LocalBans all) {
		super(policy, keys);
		this.ban = ban;
		this.all = all;
		this.bans = all.open(policy.mode());
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * In the same mode, the bans are the same: they are the policy's, not its limits'.
	 */
	@Override
	public BanningDecider under(RateLimitPolicy policy) {
		return new BanningDecider(policy, this.keys, this.ban, this.all);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * A request of more permits than can ever pass says nothing about its sender, nor
	 * does one that others keep from waiting.
	 */
	@Override
	RateLimitDecision decide(Algorithm admitting, String key, long permits) {
		RateLimitDecision banned = banned(key);
		if (banned != null && permits == 0) {
			return RateLimitDecisions.asLook(banned);
		}
		if (banned != null) {
			return banned;
		}

		RateLimitDecision decision = super.decide(admitting, key, permits);
		if (decision.allowed() || decision.queueFull() || permits > this.capacity) {
			return decision;
		}
		return countRejection(key, decision);
	}

	private @Nullable RateLimitDecision banned(String key) {
		KeyBan found = this.bans.map().get(key);
		if (found == null) {
			return null;
		}
		long now = this.clock.nanos();
		long left = found.left(now);
		return (left > 0) ? RateLimitDecisions.banned(now, left) : null;
	}

	@Override
	public boolean bans() {
		return true;
	}

	/*
	 * Where requests are rejected at the same time, one begins the ban, and those behind
	 * it find it.
	 */
	private RateLimitDecision countRejection(String key, RateLimitDecision rejection) {
		RateLimitDecision[] decision = { rejection };
		this.bans.compute(key, (found) -> {
			long now = this.clock.nanos();
			KeyBan counted = (found != null) ? found : new KeyBan(this.ban, now);
			if (counted.left(now) > 0) {
				decision[0] = RateLimitDecisions.banned(now, counted.left(now));
				return counted;
			}

			int times = counted.reject(now);
			if (times > 0) {
				decision[0] = RateLimitDecisions.newlyBanned(now, counted.left(now), times);
			}
			return counted;
		});
		this.bans.makeRoom(null);
		return decision[0];
	}

	@Override
	public void reset(String key) {
		super.reset(key);
		this.all.reset(key);
	}

	@Override
	public long keys() {
		return Math.max(super.keys(), this.all.keys());
	}

	@Override
	public long evictions() {
		return super.evictions() + this.all.evictions();
	}

}
