package io.github.ratelimit.local;

import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Tick;
import io.github.ratelimit.algorithm.WordAlgorithm;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitReceipt;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one policy under some limits. All limits of a policy share its keys: a
 * state that other limits have written is replaced before these decide on the key for the
 * first time, and what it has taken is carried over. Limits that decide no longer are
 * kept only by the states that they have written.
 * <p>
 * Permits are refunded to the state that is there, and taken by a settlement from it,
 * whichever limits have written it.
 */
class LocalDecider implements PolicyDecider {

	final Algorithm algorithm;

	final RateLimitClock clock;

	final LocalKeys<LocalState> keys;

	private final Algorithm withoutDelays;

	final long capacity;

	final boolean grows;

	final boolean countsRejected;

	private final boolean warns;

	private final ConcurrentMap<String, LocalState> map;

	private final Supplier<LocalState> creating = this::create;

	/**
	 * Opens a policy.
	 * @param keys the policy's keys, whichever limits have decided on them so far
	 * @throws io.github.ratelimit.InvalidRateLimitException if its heaviest key is too
	 * heavy
	 */
	LocalDecider(RateLimitPolicy policy, LocalKeys<LocalState> keys) {
		Algorithm.checkSize(policy);
		this.algorithm = Algorithm.of(policy, Tick.NANOSECOND);
		KeyWeight.check(policy, this.algorithm, keys.memory.maximum());
		this.withoutDelays = this.algorithm.withoutDelays();
		this.capacity = this.algorithm.capacity();
		this.grows = this.algorithm.grows();
		this.countsRejected = this.algorithm.countsRejected();
		this.warns = !policy.warnAt().isEmpty();
		this.clock = keys.clock;
		this.keys = keys;
		this.map = keys.map();
	}

	@Override
	public LocalDecider under(RateLimitPolicy policy) {
		return new LocalDecider(policy, this.keys);
	}

	@Override
	public RateLimitDecision decide(String key, long permits) {
		return decide(this.algorithm, key, permits);
	}

	@Override
	public RateLimitDecision decideWithoutDelay(String key, long permits) {
		if (permits > this.capacity) {
			return decide(this.algorithm, key, permits);
		}
		return decide(this.withoutDelays, key, permits);
	}

	/**
	 * Decides on a request.
	 * @param admitting decides whether it passes: this algorithm, or the one without
	 * delays
	 */
	RateLimitDecision decide(Algorithm admitting, String key, long permits) {
		if (permits == 0 || permits > this.capacity) {
			return read(admitting, key, permits);
		}

		LocalState state = this.map.get(key);
		if (state == null) {
			state = this.keys.add(key, this.creating);
		}
		while (true) {
			RateLimitDecision decision = (state.limits == this) ? state.decide(this, admitting, key, permits) : null;
			if (decision != null) {
				return decision;
			}
			state = current(key);
		}
	}

	private RateLimitDecision read(Algorithm admitting, String key, long permits) {
		for (int tries = 1;; tries++) {
			LocalState state = visible(key);
			RateLimitDecision decision = (state != null) ? state.read(admitting, permits) : null;
			if (decision != null) {
				return decision;
			}
			Backoff.pause(tries);
		}
	}

	/*
	 * Returns a state of these limits to look at. It is not in the map unless they have
	 * written it: a look creates no state, and carries nothing over.
	 */
	private @Nullable LocalState visible(String key) {
		LocalState state = this.map.get(key);
		if (state == null) {
			return create();
		}
		return (state.limits == this) ? state : tryToCopy(state);
	}

	@Override
	public void refund(String key, long permits, RateLimitDecision given) {
		RateLimitReceipt receipt = RateLimitReceipt.of(given);
		for (int tries = 1;; tries++) {
			LocalState state = this.map.get(key);
			if (state == null || state.refund(permits, receiptFor(state, receipt))) {
				return;
			}
			Backoff.pause(tries);
		}
	}

	private RateLimitReceipt receiptFor(LocalState state, RateLimitReceipt receipt) {
		if (state.limits == this) {
			return receipt;
		}
		return state.limits.algorithm.receipt(this.algorithm, receipt);
	}

	/*
	 * A key without a state gets one where more was used than reserved.
	 */
	@Override
	public @Nullable LateCharge settle(String key, long reserved, long used, RateLimitDecision given) {
		if (used < reserved) {
			refund(key, reserved - used, given);
			return null;
		}
		if (used == reserved) {
			return null;
		}
		if (!this.warns) {
			charge(key, used - reserved, null);
			return null;
		}

		AtomicReference<@Nullable LateCharge> noted = new AtomicReference<>();
		charge(key, used - reserved, noted);
		return noted.get();
	}

	/*
	 * What is left under other limits says nothing about a share of these.
	 */
	private void charge(String key, long permits, @Nullable AtomicReference<@Nullable LateCharge> noted) {
		for (int tries = 1;; tries++) {
			LocalState state = this.keys.findOrAdd(key, this.creating);
			AtomicReference<@Nullable LateCharge> ofThese = (state.limits == this) ? noted : null;
			if (state.charge(key, permits, ofThese)) {
				return;
			}
			Backoff.pause(tries);
		}
	}

	/**
	 * Returns the state of a key under these limits. Waits for a thread that retires it,
	 * inside the map's operation on the key, and replaces a state that other limits have
	 * written, or that cannot go on.
	 */
	LocalState current(String key) {
		LocalState current = this.keys.compute(key, this::next);
		this.keys.makeRoom(null);
		return Objects.requireNonNull(current);
	}

	private LocalState next(@Nullable LocalState state) {
		if (state == null) {
			return create();
		}
		if (state.limits == this && !state.isOutdated(this.clock.nanos())) {
			return state;
		}
		return replace(state);
	}

	/*
	 * The time is read before the state is retired, so that what others take meanwhile is
	 * carried over, too.
	 */
	private LocalState replace(LocalState state) {
		long now = this.clock.nanos();
		long[] words = Objects.requireNonNull(state.words(true));
		return create(this.algorithm.create(now, state.limits.algorithm, words));
	}

	/*
	 * Returns null if the state is retired meanwhile.
	 */
	private @Nullable LocalState tryToCopy(LocalState state) {
		long now = this.clock.nanos();
		long[] words = state.words(false);
		if (words == null) {
			return null;
		}
		return create(this.algorithm.create(now, state.limits.algorithm, words));
	}

	/*
	 * Creates no array for a state of one word. Also a look at a key without a state
	 * needs a state.
	 */
	private LocalState create() {
		long now = this.clock.nanos();
		if (this.algorithm instanceof WordAlgorithm word) {
			return new WordState(this, word.base(now), word.initialWord(now));
		}
		return new SeqlockState(this, this.algorithm.create(now));
	}

	private LocalState create(long[] words) {
		if (this.algorithm instanceof WordAlgorithm) {
			return new WordState(this, words[0], words[1]);
		}
		return new SeqlockState(this, words);
	}

	@Override
	public void reset(String key) {
		this.keys.reset(key);
	}

	@Override
	public boolean isInProcess() {
		return true;
	}

	@Override
	public boolean reserves() {
		return true;
	}

	@Override
	public long keys() {
		return this.map.size();
	}

	@Override
	public long evictions() {
		return this.keys.evictions();
	}

}
