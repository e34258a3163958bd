package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * What one request was told by each policy on its way. All policies agree in the end, or
 * nothing stays taken: when one rejects, what the earlier ones gave is given back.
 * <p>
 * Belongs to one request and to one thread at a time.
 */
public sealed class PermitLedger permits CallLedger {

	/* Never changed, but replaced: nearly always it is of one entry. */
	private List<Entry> entries = List.of();

	private final RateLimitClock clock;

	/* What the calls within the request have paid, once there is one. */
	private @Nullable PaidPermits calls;

	/*
	 * What the store is asked with, once there is one that answers for several at once.
	 */
	private @Nullable JointPermits joint;

	private final @Nullable WaitingRoom room;

	private final long longestWaitNanos;

	private boolean mayWait = true;

	private boolean hasPlace;

	private @Nullable Entry rejection;

	private long readyAtNanos = Long.MIN_VALUE;

	/**
	 * Creates an empty ledger.
	 * @param clock this process' clock, by which delays are waited for
	 */
	public PermitLedger(RateLimitClock clock) {
		this(clock, null, Long.MAX_VALUE);
	}

	/**
	 * Creates an empty ledger of a request that needs a place to wait. Who would have to
	 * wait and finds none is rejected.
	 * @param clock this process' clock, by which delays are waited for
	 * @param room where requests wait, or {@code null} if they need no place
	 * @param longestWaitNanos policies that could make the request wait for longer never
	 * make it wait
	 */
	public PermitLedger(RateLimitClock clock, @Nullable WaitingRoom room, long longestWaitNanos) {
		this.clock = clock;
		this.room = room;
		this.longestWaitNanos = longestWaitNanos;
	}

	PermitLedger(PermitLedger request) {
		this(request.clock, request.room, Long.MAX_VALUE);
	}

	/**
	 * Creates the ledger of one call within this ledger's request. What the request has
	 * paid elsewhere covers the call; what earlier calls from the same place have paid
	 * does not. A rejection gives back what the call took, and leaves the request alone.
	 * @param place where the call is made, such as its method
	 * @return an empty ledger
	 */
	public PermitLedger call(Object place) {
		if (this.calls == null) {
			this.calls = new PaidPermits();
		}
		return new CallLedger(this, this.calls, place);
	}

	/**
	 * Asks several policies, in order, for permits from all or none.
	 * @param requests what to ask of each policy; those of one policy and key are asked
	 * one after the other
	 * @return {@code true} if all agreed; {@code false} if one rejected, which
	 * {@link #rejection()} then tells, and everything in this ledger was given back
	 */
	public boolean take(List<PermitRequest> requests) {
		return take(requests, true);
	}

	/*
	 * The place is sought first: what was taken could not always be given back.
	 */
	private boolean take(List<PermitRequest> requests, boolean needsPlace) {
		this.rejection = null;
		this.mayWait = !needsPlace || findsPlace(requests);
		boolean waits = false;
		try {
			boolean taken = takeAll(requests);
			waits = taken && delayNanos() > 0;
			return taken;
		}
		finally {
			if (!waits) {
				leave();
			}
		}
	}

	private boolean findsPlace(List<PermitRequest> requests) {
		WaitingRoom room = this.room;
		if (room == null || this.hasPlace) {
			return true;
		}
		for (int i = 0; i < requests.size(); i++) {
			if (requests.get(i).limiter().longestDelayNanos() > 0) {
				this.hasPlace = room.enter();
				return this.hasPlace;
			}
		}
		return true;
	}

	private boolean takeAll(List<PermitRequest> requests) {
		JointPermits joint = joint(requests);
		return (joint != null) ? takeTogether(joint, requests) : takeEach(requests);
	}

	private @Nullable JointPermits joint(List<PermitRequest> requests) {
		Supplier<RateLimitSession> sessions = requests.isEmpty() ? null : requests.get(0).limiter().sessions();
		if (sessions == null) {
			return null;
		}
		JointPermits joint = joint(sessions);
		return requests.stream().allMatch(joint::serves) ? joint : null;
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

	private boolean takeTogether(JointPermits joint, List<PermitRequest> requests) {
		for (Entry entry : joint.take(requests, this::isAskedAtOnce)) {
			if (!add(entry)) {
				return false;
			}
		}
		return true;
	}

	private boolean takeEach(List<PermitRequest> requests) {
		PermitRequest hopeless = (requests.size() > 1) ? firstWithout(requests) : null;
		if (hopeless != null && !take(hopeless)) {
			return false;
		}
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			if (request != hopeless && !take(request)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Asks several policies as {@link #take} does, but counts once what a request meets
	 * in more than one place: of a policy and key that has given permits already, only
	 * those beyond are asked for.
	 * @param requests what to ask of each policy
	 * @return {@code true} if all agreed; {@code false} if one rejected, as {@link #take}
	 */
	public boolean takeOnce(List<PermitRequest> requests) {
		return takeOnce(requests, true);
	}

	/**
	 * Asks several policies as {@link #takeOnce(List)} does.
	 * @param requests what to ask of each policy
	 * @param needsPlace whether to wait needs a place; {@code false} for a call that
	 * sleeps on its own thread
	 * @return {@code true} if all agreed; {@code false} if one rejected, as {@link #take}
	 */
	public boolean takeOnce(List<PermitRequest> requests, boolean needsPlace) {
		if (requests.size() == 1 && !hasPaid()) {
			return take(requests, needsPlace);
		}
		List<PermitRequest> missing = new ArrayList<>(requests.size());
		long[] costs = new long[requests.size()];
		for (int i = 0; i < costs.length; i++) {
			PermitRequest request = requests.get(i);
			costs[i] = earlierCost(request) + request.permits();
			long permits = costs[i] - paid(request) - taken(request, missing);
			if (permits == request.permits()) {
				missing.add(request);
			}
			else if (permits > 0) {
				missing.add(new PermitRequest(request.limiter(), request.key(), permits));
			}
		}
		boolean taken = take(missing, needsPlace);
		if (taken) {
			note(requests, costs, missing);
		}
		return taken;
	}

	/**
	 * Whether the request may have paid something already.
	 */
	boolean hasPaid() {
		return this.calls != null || !this.entries.isEmpty();
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
		long paid = (this.calls != null) ? this.calls.paid(request) : 0;
		for (int i = 0; i < this.entries.size(); i++) {
			Entry earlier = this.entries.get(i);
			paid += earlier.request().isSameState(request) ? earlier.taken() : 0;
		}
		return paid;
	}

	private static long taken(PermitRequest request, List<PermitRequest> soon) {
		long taken = 0;
		for (int i = 0; i < soon.size(); i++) {
			taken += soon.get(i).isSameState(request) ? soon.get(i).permits() : 0;
		}
		return taken;
	}

	/**
	 * Notes what was asked, what the place has cost by now, and what was paid for it.
	 */
	void note(List<PermitRequest> requests, long[] costs, List<PermitRequest> paid) {
	}

	/*
	 * Looking first keeps a request that a later policy rejects from writing to the
	 * earlier ones, so that an attacker cannot buy work with it.
	 */
	private @Nullable PermitRequest firstWithout(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			if (decide(request, 0).remaining() < request.permits()) {
				return request;
			}
		}
		return null;
	}

	private boolean take(PermitRequest request) {
		return add(new Entry(request, decide(request, request.permits())));
	}

	private boolean add(Entry entry) {
		if (entry.decision().allowed()) {
			append(entry);
			long delay = entry.decision().delayNanos();
			if (delay > 0) {
				this.readyAtNanos = Math.max(this.readyAtNanos, this.clock.nanos() + delay);
			}
			return true;
		}
		giveBack();
		append(entry);
		this.rejection = entry;
		return false;
	}

	private RateLimitDecision decide(PermitRequest request, long permits) {
		StoreRateLimiter limiter = request.limiter();
		return isAskedAtOnce(limiter) ? limiter.decideAtOnce(request.key(), permits)
				: limiter.decide(request.key(), permits);
	}

	private boolean isAskedAtOnce(StoreRateLimiter limiter) {
		long delay = limiter.longestDelayNanos();
		return delay > 0 && !(this.mayWait && delay <= this.longestWaitNanos);
	}

	private void append(Entry entry) {
		if (this.entries.isEmpty()) {
			this.entries = List.of(entry);
			return;
		}
		List<Entry> more = new ArrayList<>(this.entries.size() + 1);
		more.addAll(this.entries);
		more.add(entry);
		this.entries = Collections.unmodifiableList(more);
	}

	/*
	 * The last is given back first: a place in a queue can be given back only by the last
	 * in it.
	 */
	private void giveBack() {
		this.readyAtNanos = Long.MIN_VALUE;
		JointPermits joint = this.joint;
		if (joint != null && this.entries.stream().map(Entry::request).allMatch(joint::serves)) {
			this.entries = joint.giveBack(this.entries);
			return;
		}
		for (int i = this.entries.size() - 1; i >= 0; i--) {
			Entry entry = this.entries.get(i);
			if (entry.taken() > 0) {
				entry.request().limiter().giveBack(entry.request().key(), entry.taken(), entry.decision());
			}
		}
		this.entries = this.entries.stream().map((entry) -> returned(entry.request())).toList();
	}

	private static Entry returned(PermitRequest request) {
		return new Entry(request.asLook(), request.limiter().decide(request.key(), 0));
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
	 * @return the rejection, or {@code null} if all policies agreed
	 */
	public @Nullable Entry rejection() {
		return this.rejection;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	public long delayNanos() {
		return (this.readyAtNanos != Long.MIN_VALUE) ? Math.max(0, this.readyAtNanos - this.clock.nanos()) : 0;
	}

	/**
	 * Whether the request has a place to wait that nobody has taken over.
	 * @return {@code true} until it waits or is over
	 */
	public boolean hasPlace() {
		return this.hasPlace;
	}

	/**
	 * Hands the request's place over to whoever makes it wait.
	 * @return gives the place back, however often it is run; does nothing if there is
	 * none
	 */
	public Runnable takePlace() {
		WaitingRoom room = this.room;
		if (room == null || !this.hasPlace) {
			return () -> {
			};
		}
		this.hasPlace = false;
		return new WaitingRoom.Place(room);
	}

	/**
	 * Gives the place back, if there is one that nobody has taken over.
	 */
	public void leave() {
		takePlace().run();
	}

	/**
	 * What one policy was asked and said.
	 *
	 * @param request the question; of no permits after everything was given back
	 * @param decision the answer; after another policy's rejection, the standing after
	 * everything was given back
	 */
	public record Entry(PermitRequest request, RateLimitDecision decision) {

		long taken() {
			return this.decision.allowed() ? this.request.permits() : 0;
		}

	}

}
