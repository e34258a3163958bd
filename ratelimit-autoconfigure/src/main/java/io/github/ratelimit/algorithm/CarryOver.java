package io.github.ratelimit.algorithm;

import java.util.Objects;

import io.github.ratelimit.store.RateLimitReceipt;

/**
 * What a key has taken under other limits, limit by limit in their order.
 */
final class CarryOver {

	/* Before any state was created, in each tick. */
	private static final long NEVER = -1_000_000;

	private CarryOver() {
	}

	static long[] create(Algorithm algorithm, long now, Algorithm before, long[] old) {
		long[][] parts = new long[algorithm.limits()][];
		int size = 0;
		int oldAt = 0;
		for (int i = 0; i < parts.length; i++) {
			Algorithm limit = Objects.requireNonNull(algorithm.limit(i));
			Algorithm other = before.limit(i);
			parts[i] = (other != null) ? limit.createAfter(other, old, oldAt, now) : limit.create(now);
			size += parts[i].length;
			oldAt += (other != null) ? other.size(old, oldAt) : 0;
		}
		long[] state = new long[size];
		int end = 0;
		for (long[] part : parts) {
			System.arraycopy(part, 0, state, end, part.length);
			end += part.length;
		}
		return state;
	}

	/**
	 * The receipt of a decision under other limits, of which a limit takes back only what
	 * it still knows by the moment when it was taken.
	 */
	record Receipt(Algorithm algorithm, Algorithm before, RateLimitReceipt given) implements RateLimitReceipt {

		@Override
		public long decidedAtNanos(int limit) {
			return isKnown(limit) ? this.given.decidedAtNanos(limit) : NEVER;
		}

		@Override
		public long resetAfterNanos(int limit) {
			return isKnown(limit) ? this.given.resetAfterNanos(limit) : 0;
		}

		private boolean isKnown(int limit) {
			Algorithm own = this.algorithm.limit(limit);
			Algorithm other = this.before.limit(limit);
			return own != null && other != null && own.knowsMomentsOf(other);
		}

	}

}
