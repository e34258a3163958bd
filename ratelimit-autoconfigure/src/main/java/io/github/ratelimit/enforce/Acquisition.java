package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.expression.CallOutcome;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one request acquires on its way, from any number of policies: all of
 * them, or none. If a policy rejects, what the earlier ones gave is given back.
 * <p>
 * Belongs to one request and to one thread at a time.
 *
 * @since 0.1.0
 */
public sealed class Acquisition permits CallAcquisition {

	final RateLimitClock clock;

	final @Nullable WaitingRoom room;

	private final long longestWaitNanos;

	/* Never changed, but replaced: nearly always it has one entry. */
	List<Entry> entries = List.of();

	/* What the calls within the request have paid, once there is one. */
	private @Nullable PaidPermits calls;

	/* Asks a store that answers for several policies at once, if the request met one. */
	private @Nullable JointPermits joint;

	/* What is asked in shadow, once something is. */
	private @Nullable ShadowPermits shadows;

	/* Once a policy may delay the request. */
	@Nullable Waiting waiting;

	private @Nullable Entry rejection;

	/* Once something is charged by its outcome, which another thread may see end. */
	volatile @Nullable PendingSettlement pending;

	/* Settles together with its request, if it is all that the request acquires. */
	@Nullable LimitedHttpRequest request;

	/**
	 * Creates an acquisition that may wait for any time.
	 * @param clock this process' clock, which measures delays
	 */
	public Acquisition(RateLimitClock clock) {
		this(clock, null, Long.MAX_VALUE);
	}

	/**
	 * Creates an acquisition that needs a place to wait. Without a place, a request that
	 * would have to wait is rejected.
	 * @param clock this process' clock, which measures delays
	 * @param room where requests wait, or {@code null} if they need no place
	 * @param longestWaitNanos a policy that could delay the request for longer does not
	 * delay it
	 */
	public Acquisition(RateLimitClock clock, @Nullable WaitingRoom room, long longestWaitNanos) {
		this.clock = clock;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
	}

	/**
	 * Begins the acquisition of one call within this request. What the request has paid
	 * elsewhere covers the call; what earlier calls from the same place have paid does
	 * not. A rejection gives back what the call took, and leaves the request alone.
	 * @param place where the call is made, such as its method
	 * @return an acquisition without permits
	 */
	public Acquisition call(Object place) {
		if (this.calls == null) {
			this.calls = new PaidPermits();
		}
		return new CallAcquisition(this, this.calls, place);
	}

	/**
	 * Takes permits from several policies, or from none.
	 * @param requests what to take, in order; requests for the same policy and key add up
	 * @return {@code true} if all policies allow; {@code false} if one rejects, which
	 * {@link #rejection()} then tells, and everything in this acquisition is given back
	 */
	public boolean take(List<PermitRequest> requests) {
		return take(requests, true);
	}

	/*
	 * The place comes first: a place in a queue, once taken, cannot always be given back.
	 */
	final boolean take(List<PermitRequest> requests, boolean needsPlace) {
		this.rejection = null;
		if (this.waiting == null && requests.size() == 1 && requests.get(0).isPlain()) {
			return add(requests.get(0).ask(false));
		}
		Waiting waiting = waiting();
		waiting.seekPlace(requests, needsPlace);
		boolean waits = false;
		try {
			boolean taken = takeAll(requests, waiting);
			waits = taken && waiting.delayNanos() > 0;
			return taken;
		}
		finally {
			if (!waits) {
				waiting.leave();
			}
		}
	}

	private boolean takeAll(List<PermitRequest> requests, Waiting waiting) {
		Supplier<RateLimitSession> sessions = requests.isEmpty() ? null : requests.get(0).limiter().sessions;
		JointPermits joint = (sessions != null) ? joint(sessions) : null;
		if (joint == null || !joint.servesAll(requests)) {
			return SeparatePermits.take(requests, waiting, this);
		}
		for (Entry entry : joint.take(requests, waiting::isAskedAtOnce)) {
			if (!add(entry)) {
				return false;
			}
		}
		return true;
	}

	private Waiting waiting() {
		Waiting waiting = this.waiting;
		if (waiting == null) {
			waiting = new Waiting(this.clock, this.room, this.longestWaitNanos);
			this.waiting = waiting;
		}
		return waiting;
	}

	final JointPermits joint(Supplier<RateLimitSession> sessions) {
		JointPermits joint = this.joint;
		if (joint == null) {
			joint = open(sessions);
			this.joint = joint;
		}
		return joint;
	}

	JointPermits open(Supplier<RateLimitSession> sessions) {
		return new JointPermits(sessions, sessions.get());
	}

	/**
	 * Takes permits as {@link #take} does, but only once what a request meets in more
	 * than one place: of a policy and key that has given permits already, only those
	 * beyond are taken. What is in shadow is only asked.
	 * @param requests what to take
	 * @return {@code true} if all policies allow; {@code false} if one rejects, as
	 * {@link #take}
	 */
	public boolean takeOnce(List<PermitRequest> requests) {
		return takeOnce(requests, true);
	}

	/**
	 * Takes permits as {@link #takeOnce(List)} does.
	 * @param requests what to take
	 * @param needsPlace whether to wait needs a place; {@code false} for a call that
	 * sleeps on its own thread
	 * @return {@code true} if all policies allow; {@code false} if one rejects, as
	 * {@link #take}
	 */
	public boolean takeOnce(List<PermitRequest> requests, boolean needsPlace) {
		List<PermitRequest> enforced = ShadowPermits.concern(requests) ? shadows().ask(requests, this) : requests;
		if (enforced.isEmpty() && this.waiting == null) {
			this.rejection = null;
			return true;
		}
		return (enforced.size() == 1 && hasPaidNothing(enforced.get(0))) ? take(enforced, needsPlace)
				: UnpaidPermits.of(enforced, this).take(this, needsPlace);
	}

	/**
	 * What the whole request is asked in shadow.
	 */
	ShadowPermits shadows() {
		ShadowPermits shadows = this.shadows;
		if (shadows == null) {
			shadows = new ShadowPermits();
			this.shadows = shadows;
		}
		return shadows;
	}

	/**
	 * Where a call within the request is made.
	 */
	@Nullable Object place() {
		return null;
	}

	/**
	 * What is to be settled when all is over.
	 */
	final PendingSettlement pending() {
		PendingSettlement pending = this.pending;
		if (pending == null) {
			pending = new PendingSettlement(this);
			this.pending = pending;
		}
		return pending;
	}

	/**
	 * Notes what a request was charged in shadow.
	 */
	void noteSettledInShadow(PermitRequest request, long change) {
	}

	/**
	 * Whether the request has certainly paid nothing yet of a policy and key.
	 */
	boolean hasPaidNothing(PermitRequest request) {
		return this.calls == null && !Entries.contain(this.entries, request);
	}

	/**
	 * What the same place has cost before.
	 */
	long earlierCost(PermitRequest request) {
		return 0;
	}

	/**
	 * What the request has paid, wherever.
	 */
	long paid(PermitRequest request) {
		return Entries.taken(this.entries, request) + ((this.calls != null) ? this.calls.paid(request) : 0);
	}

	/**
	 * Notes what the place has cost by now, and what was paid for it. The last place
	 * charges the request, even if it had nothing left to pay.
	 */
	void note(UnpaidPermits paid) {
		for (PermitRequest request : paid.requests()) {
			if (request.charge() != null) {
				this.entries = Entries.chargedBy(this.entries, request);
			}
		}
	}

	final boolean add(Entry entry) {
		RateLimitDecision decision = entry.decision;
		if (!decision.allowed()) {
			giveBack();
			this.entries = Entries.with(this.entries, entry);
			this.rejection = entry;
			return false;
		}
		this.entries = Entries.with(this.entries, entry);
		if (entry.request.charge() != null) {
			pending();
		}
		long delay = decision.delayNanos();
		if (delay > 0) {
			waiting().delay(delay);
		}
		return true;
	}

	/**
	 * Whether something is to be settled when all is over.
	 * @return {@code false} if no policy is charged by outcome
	 */
	public final boolean isCharged() {
		PendingSettlement pending = this.pending;
		return pending != null && !pending.isSettled();
	}

	/**
	 * Notes that the call is over for which permits were acquired, and settles them
	 * unless the call is part of a request that is not over yet.
	 */
	final void endCall(@Nullable Object result, @Nullable Throwable exception) {
		LimitedHttpRequest request = this.request;
		if (request != null) {
			request.noteResult(result, exception);
		}
		else {
			settle(new CallOutcome(null, result, exception, authenticationFailed(exception != null)));
		}
	}

	/**
	 * Whether an authentication has failed, if the call is part of a request that knows.
	 * @param failed whether the call has, which is the answer if none was noticed
	 */
	@Nullable Boolean authenticationFailed(boolean failed) {
		return null;
	}

	/**
	 * Settles what was acquired, once.
	 */
	final void settle(CallOutcome outcome) {
		PendingSettlement pending = this.pending;
		if (pending != null) {
			pending.settle(outcome);
		}
	}

	/**
	 * Notes what a request was charged.
	 */
	void noteSettled(PermitRequest request, long reserved, long used) {
	}

	private void giveBack() {
		if (this.waiting != null) {
			this.waiting.noDelay();
		}
		if (!this.entries.isEmpty()) {
			this.entries = giveBack(this.entries);
		}
	}

	private List<Entry> giveBack(List<Entry> entries) {
		JointPermits joint = this.joint;
		boolean together = joint != null && joint.servesAll(entries.stream().map(Entry::request).toList());
		return (joint != null && together) ? joint.giveBack(entries) : SeparatePermits.giveBack(entries);
	}

	/**
	 * Gives everything back, because something that the request called was rejected, and
	 * the client is told so. What is charged by its outcome is left to the settlement.
	 */
	public void giveBackUncharged() {
		List<Entry> uncharged = this.entries.stream()
			.filter((entry) -> entry.taken() > 0 && entry.request.charge() == null)
			.toList();
		if (!uncharged.isEmpty()) {
			List<Entry> entries = new ArrayList<>(this.entries);
			entries.removeAll(uncharged);
			entries.addAll(0, giveBack(uncharged));
			this.entries = entries;
		}
	}

	/**
	 * What the policies said.
	 * @return an entry for each policy that was asked and answered, in order
	 */
	public List<Entry> entries() {
		return this.entries;
	}

	/**
	 * The entry that ended the request.
	 * @return the rejection, or {@code null} if all policies allowed
	 */
	public @Nullable Entry rejection() {
		return this.rejection;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	public long delayNanos() {
		return (this.waiting != null) ? this.waiting.delayNanos() : 0;
	}

	/**
	 * Whether the request has a place to wait that nobody has taken over.
	 * @return {@code true} until it waits or is over
	 */
	public boolean hasPlace() {
		return this.waiting != null && this.waiting.hasPlace();
	}

	/**
	 * Hands the request's place over to what makes it wait.
	 * @return gives the place back, however often it is run; does nothing if there is
	 * none
	 */
	public Runnable takePlace() {
		return (this.waiting != null) ? this.waiting.takePlace() : Waiting.NO_PLACE;
	}

	/**
	 * Gives the place back, if there is one that nobody has taken over.
	 */
	public void leave() {
		if (this.waiting != null) {
			this.waiting.leave();
		}
	}

	/**
	 * What one policy was asked and said.
	 *
	 * @param request the question; of no permits after everything was given back
	 * @param decision the answer; after another policy's rejection, the standing after
	 * everything was given back
	 */
	public record Entry(PermitRequest request, RateLimitDecision decision) {

		/**
		 * The policy.
		 * @return the policy that was asked
		 */
		public RateLimitPolicy policy() {
			return this.request.policy();
		}

		boolean isOfSamePolicy(Entry other) {
			return this.request.isOfSamePolicy(other.request);
		}

		/**
		 * Whether this is what to tell of a policy, rather than an earlier entry.
		 */
		boolean counts(Entry earlier) {
			return this.request.key().equals(earlier.request.key())
					|| this.decision.remaining() < earlier.decision.remaining();
		}

		boolean isPaymentOf(PermitRequest request) {
			return taken() > 0 && this.request.isSameState(request);
		}

		long taken() {
			return this.decision.allowed() ? this.request.permits() : 0;
		}

	}

}
