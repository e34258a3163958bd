package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitBan;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * One policy's part in the scripts: the parts of its limits, and the reading of what the
 * scripts answer on it.
 */
final class PolicyScript {

	/**
	 * The number of arguments of a ban, which are behind those of the limits.
	 */
	static final int NUMBERS_OF_BAN = 6;

	/* The bits that say how each limit has decided. */
	private static final int AGREES = 1;

	private static final int ALLOWED = 2;

	private static final int UNREADABLE = 4;

	final List<LimitScript> limits;

	private final long capacity;

	private final @Nullable RateLimitBan ban;

	/**
	 * Whether the policy warns, so that settlements tell what was left.
	 */
	final boolean warns;

	/**
	 * The kinds of its limits, on which its scripts depend.
	 */
	final String kinds;

	/**
	 * The same limits, for what comes after the decision: no ban matters to that.
	 */
	final PolicyScript withoutBan;

	private final byte[] numbers;

	private final byte[] numbersWithoutDelay;

	PolicyScript(List<LimitScript> limits, long capacity, @Nullable RateLimitBan ban, boolean warns) {
		this.limits = limits;
		this.capacity = capacity;
		this.ban = ban;
		this.warns = warns;
		this.withoutBan = (ban != null) ? new PolicyScript(limits, capacity, null, warns) : this;
		this.numbers = pack(false);
		this.numbersWithoutDelay = pack(true);
		this.kinds = kinds(limits);
	}

	private String kinds(List<LimitScript> limits) {
		String kinds = limits.stream().map(PolicyScript::kind).collect(Collectors.joining(","));
		if (bans()) {
			kinds = "bans " + kinds;
		}
		if (this.warns) {
			kinds = "warns " + kinds;
		}
		return kinds;
	}

	private static String kind(LimitScript limit) {
		String kind = limit.kind.letter + String.join("+", limit.files);
		if (limit.charged) {
			return "charged " + kind;
		}
		return kind;
	}

	/**
	 * Prepares a policy.
	 * @throws InvalidRateLimitException if one of its limits cannot be counted in Redis
	 */
	static PolicyScript of(RateLimitPolicy policy) {
		List<RateLimit> limits = policy.limits();
		List<LimitScript> scripts = new ArrayList<>(limits.size());

		for (int i = 0; i < limits.size(); i++) {
			try {
				scripts.add(script(policy, limits.get(i)));
			}
			catch (InvalidRateLimitException ex) {
				throw ex.inLimit(i);
			}
		}

		return new PolicyScript(List.copyOf(scripts), policy.capacity(), policy.ban(), !policy.warnAt().isEmpty());
	}

	private static LimitScript script(RateLimitPolicy policy, RateLimit limit) {
		if (policy.maxWait().isZero()) {
			return LimitScriptFactory.of(limit, policy.charge() != null);
		}
		return LimitScriptFactory.reserving(limit, policy.maxWait());
	}

	/**
	 * Whether requests for one key can share a call.
	 */
	boolean joins() {
		return this.limits.stream().allMatch(LimitScript::joins);
	}

	private byte[] pack(boolean withoutDelay) {
		List<Number> numbers = new ArrayList<>();
		this.limits.forEach((limit) -> numbers.addAll(limit.numbers(this.capacity, withoutDelay)));
		if (this.ban != null) {
			numbers.addAll(List.of(this.ban.after(), micros(this.ban.within()), micros(this.ban.duration()),
					this.ban.multiplier(), micros(this.ban.max()), this.capacity));
		}
		ByteBuffer bytes = LimitScript.buffer(new byte[Double.BYTES * numbers.size()]);
		numbers.forEach((number) -> bytes.putDouble(number.doubleValue()));
		return bytes.array();
	}

	private static long micros(Duration duration) {
		return LimitScript.micros(duration.toNanos());
	}

	/**
	 * Whether it bans keys, for which it has a key of its own behind those of the limits.
	 */
	boolean bans() {
		return this.ban != null;
	}

	/**
	 * Returns which of the limits keep a log, counted from 1.
	 */
	int[] logs() {
		return IntStream.rangeClosed(1, this.limits.size())
			.filter((number) -> this.limits.get(number - 1).keepsLog())
			.toArray();
	}

	/**
	 * Returns the numbers of a decision.
	 * @param withoutDelay whether the request cannot wait
	 */
	byte[] numbers(boolean withoutDelay) {
		return withoutDelay ? this.numbersWithoutDelay : this.numbers;
	}

	/**
	 * Returns the numbers of a decision, and more behind them.
	 */
	byte[] numbers(boolean withoutDelay, long... more) {
		byte[] numbers = numbers(withoutDelay);
		byte[] bytes = Arrays.copyOf(numbers, numbers.length + Double.BYTES * more.length);
		ByteBuffer argument = LimitScript.buffer(bytes).position(numbers.length);
		for (long each : more) {
			argument.putDouble(each);
		}
		return bytes;
	}

	/**
	 * Returns the policy with the windows of the calendar around a moment of the server.
	 * @param now microseconds since the epoch
	 * @return this one, if its windows are around the moment already
	 */
	PolicyScript at(long now) {
		for (LimitScript each : this.limits) {
			if (each.at(now) != each) {
				return new PolicyScript(this.limits.stream().map((limit) -> limit.at(now)).toList(), this.capacity,
						this.ban, this.warns);
			}
		}
		return this;
	}

	/**
	 * Whether a rejection changes what the next request finds.
	 */
	boolean countsRejected() {
		return this.limits.stream().anyMatch((each) -> each.limit.countRejected());
	}

	/**
	 * Reads a decision. A limit that agrees, where another does not, is only looked at.
	 * @param answer where the policy's part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits the request cost, 0 for a look
	 * @param withoutDelay whether the request could not wait
	 * @param unreadable called if the key held something else than a state
	 */
	RateLimitDecision decision(ByteBuffer answer, long now, long permits, boolean withoutDelay, Runnable unreadable) {
		Says says = readSays(answer, unreadable);
		Ban ban = readBan(answer, now);

		RateLimitDecision decision;
		if (says.allowed()) {
			decision = decision(answer, now, says.agrees(), permits, permits, 0,
					isLookWithoutDelay(permits, withoutDelay));
		}
		else {
			decision = notTaking(answer, now, says.agrees(), permits, withoutDelay);
		}
		if (ban.leftNanos() > 0) {
			return banned(now, ban.leftNanos(), ban.begun(), permits);
		}
		return decision;
	}

	/**
	 * Reads the decisions on requests alike, of which the first pass, and the others do
	 * not or are looks.
	 * @param answer where their part of the answer begins
	 * @param now the moment of the decision
	 * @param permits how many permits each request cost, 0 for a look
	 * @param asked how many requests there are
	 * @param withoutDelay whether the requests could not wait
	 * @param unreadable called if the key held something else than a state
	 * @return the decision on each request
	 */
	List<RateLimitDecision> decisions(ByteBuffer answer, long now, long permits, long asked, boolean withoutDelay,
			Runnable unreadable) {
		long passed = LimitScript.readNumber(answer);
		long beginsBan = passed + LimitScript.readNumber(answer);
		boolean[] agrees = readSays(answer, unreadable).agrees();
		Ban ban = readBan(answer, now);

		int numbers = answer.position();
		RateLimitDecision other = notTaking(answer, now, agrees, permits, withoutDelay);
		int end = answer.position();

		List<RateLimitDecision> decisions = new ArrayList<>((int) asked);
		Arrays.fill(agrees, true);
		for (long position = 1; position <= passed; position++) {
			long behind = (passed - position) * permits;
			answer.position(numbers);
			decisions.add(decision(answer, now, agrees, permits, permits, behind, false));
		}
		for (long position = passed + 1; position <= asked; position++) {
			boolean isBanned = ban.leftNanos() > 0 && (ban.begun() == 0 || position >= beginsBan);
			if (isBanned) {
				int begun = (position == beginsBan) ? ban.begun() : 0;
				decisions.add(banned(now, ban.leftNanos(), begun, permits));
			}
			else {
				decisions.add(other);
			}
		}
		answer.position(end);
		return decisions;
	}

	private Says readSays(ByteBuffer answer, Runnable unreadable) {
		boolean[] agrees = new boolean[this.limits.size()];
		int any = 0;
		for (int i = 0; i < agrees.length; i++) {
			byte said = answer.get();
			agrees[i] = (said & AGREES) != 0;
			any |= said;
		}
		if ((any & UNREADABLE) != 0) {
			unreadable.run();
		}
		return new Says(agrees, (any & ALLOWED) != 0);
	}

	private Ban readBan(ByteBuffer answer, long now) {
		if (!bans()) {
			return Ban.NONE;
		}
		long end = LimitScript.readNumber(answer);
		int begun = (int) LimitScript.readNumber(answer);
		return new Ban(LimitScript.nanos(end - now), begun);
	}

	/* Such a look, and no request, is told what could be taken without a wait. */
	private static boolean isLookWithoutDelay(long permits, boolean withoutDelay) {
		return withoutDelay && permits == 0;
	}

	private static RateLimitDecision banned(long now, long left, int begun, long permits) {
		RateLimitDecision ban = RateLimitDecisions.newlyBanned(LimitScript.nanos(now), left, begun);
		if (permits == 0) {
			return RateLimitDecisions.asLook(ban);
		}
		return ban;
	}

	private RateLimitDecision notTaking(ByteBuffer answer, long now, boolean[] agrees, long permits,
			boolean withoutDelay) {
		for (boolean each : agrees) {
			if (withoutDelay && !each) {
				return rejectedWithoutDelay(answer, now, agrees, permits);
			}
		}
		return decision(answer, now, agrees, 0, permits, 0, isLookWithoutDelay(permits, withoutDelay));
	}

	/*
	 * Rejects a request because it would have to wait, unless some limit rejects it
	 * anyway.
	 */
	private RateLimitDecision rejectedWithoutDelay(ByteBuffer answer, long now, boolean[] agrees, long permits) {
		boolean admitted = true;
		long longest = 0;
		int begin = answer.position();
		RateLimitDecision[] decisions = new RateLimitDecision[agrees.length];

		for (int i = 0; i < decisions.length; i++) {
			LimitScript limit = this.limits.get(i);
			long delay = agrees[i] ? 0 : limit.delayNanos(answer, now, permits);
			boolean admits = agrees[i] || delay > 0;
			long asked = admits ? 0 : permits;
			decisions[i] = limit.decision(answer, now, asked, 0, admits, false);
			admitted &= admits;
			longest = Math.max(longest, delay);
		}

		if (!admitted) {
			return RateLimitDecisions.combined(decisions);
		}
		answer.position(begin);
		return RateLimitDecisions.asQueueFull(decision(answer, now, agrees, 0, permits, 0, true), longest);
	}

	private RateLimitDecision decision(ByteBuffer answer, long now, boolean[] agrees, long given, long asked,
			long behind, boolean withoutDelay) {
		RateLimitDecision[] decisions = new RateLimitDecision[agrees.length];
		for (int i = 0; i < decisions.length; i++) {
			long permits = agrees[i] ? given : asked;
			decisions[i] = this.limits.get(i).decision(answer, now, permits, behind, agrees[i], withoutDelay);
		}
		return RateLimitDecisions.combined(decisions);
	}

	/**
	 * What the limits say of a request.
	 *
	 * @param agrees which of them agree
	 * @param allowed whether the request passes
	 */
	private record Says(boolean[] agrees, boolean allowed) {
	}

	/**
	 * A ban that a script has found or begun.
	 *
	 * @param leftNanos how long it still lasts; none is in force from 0 downwards
	 * @param begun how many there were of the key, if it begins with this answer
	 */
	private record Ban(long leftNanos, int begun) {

		static final Ban NONE = new Ban(0, 0);

	}

}
