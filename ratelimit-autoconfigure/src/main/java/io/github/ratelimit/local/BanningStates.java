package io.github.ratelimit.local;

import java.util.concurrent.atomic.LongAdder;

import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a policy that bans those that do not stop. A banned key's requests do not
 * reach the limits.
 */
final class BanningStates implements PolicyDecider, IdleKeys {

	private final LocalStates states;

	private final RateLimitClock clock;

	private final RateLimitBan ban;

	private final long capacity;

	private final BoundedCache<KeyBan> bans;

	private final LongAdder evictions;

	BanningStates(LocalStates states, RateLimitPolicy policy, RateLimitBan ban, long maximumSize, MemoryBudget memory) {
		this.states = states;
		this.clock = states.clock;
		this.ban = ban;
		this.capacity = policy.capacity();
		this.evictions = new LongAdder();
		long bytes = KeyBan.bytes(ban);
		this.bans = new BoundedCache<>(maximumSize, memory, (key, value) -> KeyWeight.ofEntry(key.length()) + bytes,
				this::onEviction);
	}

	private BanningStates(BanningStates original, RateLimitPolicy policy) {
		this.states = original.states.under(policy);
		this.clock = original.clock;
		this.ban = original.ban;
		this.capacity = policy.capacity();
		this.bans = original.bans;
		this.evictions = original.evictions;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The bans are the same: they are the policy's, not its limits'.
	 */
	@Override
	public BanningStates under(RateLimitPolicy policy) {
		return new BanningStates(this, policy);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		RateLimitDecision banned = banned(key, permits);
		return (banned != null) ? banned : afterwards(key, permits, this.states.decide(key, permits));
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		RateLimitDecision banned = banned(key, permits);
		return (banned != null) ? banned : afterwards(key, permits, this.states.decideWithoutDelay(key, permits));
	}

	@Override
	public boolean bans() {
		return true;
	}

	private @Nullable RateLimitDecision banned(String key, long permits) {
		KeyBan found = this.bans.cache().getIfPresent(key);
		if (found == null) {
			return null;
		}
		long now = this.clock.nanos();
		long left = found.left(now);
		if (left <= 0) {
			return null;
		}
		RateLimitDecision banned = RateLimitDecisions.banned(now, left);
		return (permits > 0) ? banned : RateLimitDecisions.asLook(banned);
	}

	/*
	 * A request of more permits than can ever pass says nothing about its sender, nor
	 * does one that others keep from waiting.
	 */
	private RateLimitDecision afterwards(String key, long permits, RateLimitDecision decision) {
		boolean counts = !decision.allowed() && !decision.queueFull() && permits <= this.capacity;
		return counts ? reject(key, decision) : decision;
	}

	/*
	 * Of requests that are rejected at the same time, one begins the ban, and those
	 * behind it find it.
	 */
	private RateLimitDecision reject(String key, RateLimitDecision rejection) {
		RateLimitDecision[] decision = { rejection };
		this.bans.map().compute(key, (same, found) -> {
			long now = this.clock.nanos();
			KeyBan counted = (found != null) ? found : create(same, now);
			if (counted.left(now) > 0) {
				decision[0] = RateLimitDecisions.banned(now, counted.left(now));
				return counted;
			}
			int times = counted.reject(this.ban, now);
			if (times > 0) {
				decision[0] = RateLimitDecisions.newlyBanned(now, counted.left(now), times);
			}
			return counted;
		});
		this.bans.makeRoom(null);
		return decision[0];
	}

	private KeyBan create(String key, long now) {
		KeyBan created = new KeyBan(this.ban, now);
		this.bans.added(key, created);
		return created;
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		this.states.refund(key, permits, given);
	}

	@Override
	public void settle(String key, long reserved, long used, RateLimitDecision given) {
		this.states.settle(key, reserved, used, given);
	}

	@Override
	public void reset(String key) {
		this.states.reset(key);
		this.bans.map().computeIfPresent(key, (same, found) -> {
			this.bans.removed(same, found);
			return null;
		});
	}

	@Override
	public void forgetAll() {
		this.states.forgetAll();
		this.bans.map().keySet().forEach(this::reset);
	}

	@Override
	public void forgetIdle() {
		this.states.forgetIdle();
		this.bans.map().forEach((key, value) -> {
			if (value.left(this.clock.nanos()) <= 0) {
				this.bans.map().computeIfPresent(key, this::forgetIfIdle);
			}
		});
	}

	private @Nullable KeyBan forgetIfIdle(String key, KeyBan found) {
		if (!found.isIdle(this.ban, this.clock.nanos())) {
			return found;
		}
		this.bans.removed(key, found);
		return null;
	}

	private void onEviction(String key, KeyBan evicted) {
		if (!evicted.isIdle(this.ban, this.clock.nanos())) {
			this.evictions.increment();
		}
	}

	@Override
	public boolean isInProcess() {
		return true;
	}

	@Override
	public long keys() {
		return Math.max(this.states.keys(), this.bans.cache().estimatedSize());
	}

	@Override
	public long evictions() {
		return this.states.evictions() + this.evictions.sum();
	}

}
