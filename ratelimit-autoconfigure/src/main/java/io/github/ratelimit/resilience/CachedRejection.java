package io.github.ratelimit.resilience;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitDecisions;
import org.jspecify.annotations.Nullable;

/**
 * A rejection of a key, and for how long it holds. One without a decision says that all
 * answers that were asked for until then are out of date.
 */
final class CachedRejection {

	private static final VarHandle RENEWING = renewing();

	private final Object maker;

	private final @Nullable RateLimitDecision decision;

	private final long permits;

	private final long askedAt;

	private final long end;

	private final long renewal;

	private volatile boolean renewing;

	/**
	 * Creates a rejection.
	 * @param maker whose it is, because it holds for no other
	 * @param decision the decision, or {@code null}
	 * @param permits how many permits the request cost
	 * @param askedAt when the store was asked
	 * @param end until when it holds
	 * @param renewal from when on one request is to ask again
	 */
	CachedRejection(Object maker, @Nullable RateLimitDecision decision, long permits, long askedAt, long end,
			long renewal) {
		this.maker = maker;
		this.decision = decision;
		this.permits = permits;
		this.askedAt = askedAt;
		this.end = end;
		this.renewal = renewal;
	}

	private static VarHandle renewing() {
		try {
			return MethodHandles.lookup().findVarHandle(CachedRejection.class, "renewing", boolean.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The answer to a request, or to a look; {@code null} if the store has to be asked.
	 */
	@Nullable RateLimitDecision find(long permits, long now) {
		if (this.decision == null || now >= this.end || permits != 0 && (!answers(permits) || isToBeRenewed(now))) {
			return null;
		}
		RateLimitDecision present = RateLimitDecisions.after(this.decision, Math.max(0, now - this.askedAt));
		return (permits != 0) ? present : RateLimitDecisions.asLook(present);
	}

	/**
	 * Whether it is a rejection that another has made.
	 */
	boolean isOfAnother(Object maker) {
		return this.maker != maker && this.decision != null;
	}

	private boolean answers(long permits) {
		return permits == this.permits || this.decision != null && this.decision.banned();
	}

	private boolean isToBeRenewed(long now) {
		return now >= this.renewal && RENEWING.compareAndSet(this, false, true);
	}

	long askedAt() {
		return this.askedAt;
	}

	boolean outdates(long asked) {
		return this.decision == null && asked <= this.askedAt;
	}

}
