package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one request acquires on its way, from any number of policies: all of
 * them, or none. If a policy rejects, what the earlier ones gave is refunded, unless a
 * request that has failed to log in, or was served, has used it up.
 * <p>
 * It belongs to one request and to one thread at a time. How long the request must wait
 * is kept in its {@link RequestWait}, what it and its calls have paid in its
 * {@link Ledger}, and what is charged by its outcome in its settlement. Most requests
 * have none of them.
 *
 * @since 0.1.0
 */
public class Acquisition extends SettledAcquisition {

	/** No fallback answers any rejection. */
	public static final Predicate<AcquisitionEntry> WITHOUT_FALLBACK = (rejection) -> false;

	private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

	final WaitingRoom room;

	/* It is never changed, but replaced: nearly always it has one entry. */
	private List<AcquisitionEntry> entries = List.of();

	/* It is there once a call is made or something is asked in shadow. */
	private @Nullable Ledger ledger;

	/* Asks several policies, once the request has met them. */
	private @Nullable RateLimitSession session;

	/* It is there once a policy may delay the request. */
	private @Nullable RequestWait wait;

	private @Nullable AcquisitionEntry rejection;

	/* Whether no policy is asked, because the client's address is exempt. */
	private boolean exempt;

	/* What was asked last of all that is asked without waiting. */
	private volatile CompletableFuture<?> last = NOTHING;

	/**
	 * Creates an acquisition that needs a slot to wait. Without a slot, a request that
	 * would have to wait is rejected.
	 * @param room where requests wait
	 */
	public Acquisition(WaitingRoom room) {
		this.room = room;
	}

	/**
	 * Creates the acquisition of a call within a request.
	 */
	Acquisition(Acquisition outer) {
		this.room = outer.room;
		this.ledger = outer.ledger();
		this.exempt = outer.exempt;
	}

	/**
	 * Lets the request and its calls pass from now on, without asking any policy.
	 */
	public final void exempt() {
		this.exempt = true;
	}

	/**
	 * Begins the acquisition of one call within this request. What the request has paid
	 * elsewhere covers the call; what earlier calls from the same location have paid does
	 * not. A rejection refunds what the call took, and leaves the request alone.
	 * @param location where the call is made, such as its method
	 * @return an acquisition without permits
	 */
	public final Acquisition call(Object location) {
		return new CallAcquisition(this, location);
	}

	/**
	 * Whether no policy is asked.
	 * @return {@code true} once {@link #exempt} was called
	 */
	public final boolean isExempt() {
		return this.exempt;
	}

	/**
	 * Takes permits from several policies, or from none. A request that is then to wait
	 * has a slot for it.
	 * @param requests what to take
	 * @return {@code true} if all policies allow
	 * @see #take(List, boolean)
	 */
	public final boolean take(List<PermitRequest> requests) {
		return take(requests, true);
	}

	/**
	 * Takes permits from several policies, or from none. A request that meets a policy in
	 * more than one location pays only once: of a policy and key that has given permits
	 * already, only those beyond are taken. What is in shadow is only asked.
	 * @param requests what to take, in order; of one policy and key the most counts
	 * @param needsSlot whether waiting needs a slot; {@code false} for a call that sleeps
	 * on its own thread
	 * @return {@code true} if all policies allow; {@code false} if one rejects, which is
	 * then the {@link #rejection()}, and everything in this acquisition is refunded that
	 * is not used up
	 */
	public final boolean take(List<PermitRequest> requests, boolean needsSlot) {
		return take(requests, needsSlot, WITHOUT_FALLBACK);
	}

	/**
	 * Takes permits as {@link #take(List, boolean)} does, for a method that may have a
	 * fallback. A request that goes on after a rejection keeps what it has taken before,
	 * and waits for it.
	 * @param requests what to take, in order; of one policy and key the most counts
	 * @param needsSlot whether waiting needs a slot
	 * @param fallback whether a fallback answers a rejection
	 * @return {@code false} if a policy rejects
	 */
	public final boolean take(List<PermitRequest> requests, boolean needsSlot, Predicate<AcquisitionEntry> fallback) {
		this.rejection = null;
		if (requests.size() == 1 && !this.exempt) {
			PermitRequest only = requests.get(0);
			RateLimitDecision decision = needsLedger(only) ? null : only.askPlain();
			if (decision != null) {
				return conclude(only, decision, fallback);
			}
		}
		return begin(requests, needsSlot, fallback).take();
	}

	/**
	 * Begins to take permits.
	 * @return the attempt, which must be {@link PermitAttempt#end ended}
	 */
	final PermitAttempt begin(List<PermitRequest> requests, boolean needsSlot, Predicate<AcquisitionEntry> fallback) {
		this.rejection = null;
		List<PermitRequest> asked = this.exempt ? List.of() : requests;
		return PermitAttempt.begin(this, asked, needsSlot, fallback);
	}

	/**
	 * Whether all policies would let the request pass at this moment. Nothing is taken.
	 * @param requests what would be taken
	 * @return {@code false} if one would reject
	 */
	public final boolean wouldPass(List<PermitRequest> requests) {
		return this.exempt || PermitLook.wouldPass(this, requests);
	}

	/*
	 * Whether something was acquired, or called, that the entry of a plain policy does
	 * not tell of. Nearly always nothing was.
	 */
	private boolean needsLedger(PermitRequest request) {
		for (int i = 0; i < this.entries.size(); i++) {
			if (this.entries.get(i).request().isSameState(request)) {
				return true;
			}
		}
		return this.ledger != null || hasSlot();
	}

	/*
	 * Notes what a plain policy decided. A rejection that no fallback answers refunds
	 * what was given before it.
	 */
	private boolean conclude(PermitRequest request, RateLimitDecision decision, Predicate<AcquisitionEntry> fallback) {
		AcquisitionEntry entry = new AcquisitionEntry(request, decision);
		if (decision.allowed()) {
			add(entry);
			return true;
		}

		if (!reject(entry, fallback)) {
			refundEarlier();
		}
		return false;
	}

	/**
	 * Refunds what was given before a rejection.
	 */
	final void refundEarlier() {
		if (this.entries.size() > 1) {
			refundOfEarlier().run();
		}
	}

	/**
	 * How many permits nothing has paid for yet.
	 */
	final long unpaid(PermitRequest request) {
		return owed(request, false) - covered(request);
	}

	/**
	 * How many permits the location is to pay, whatever the request itself has taken.
	 */
	final long owed(PermitRequest request, boolean inShadow) {
		Ledger ledger = this.ledger;
		return (ledger != null) ? ledger.owed(request, location(), inShadow) : request.permits();
	}

	/**
	 * Where the permits are acquired.
	 * @return the location of a call, or {@code null} for the request itself
	 */
	@Nullable Object location() {
		return null;
	}

	/**
	 * How many permits the request itself has taken, which cover what it asks again.
	 */
	long covered(PermitRequest request) {
		return taken(request);
	}

	/**
	 * How many permits this acquisition has taken of a policy and key, or was let pass
	 * without.
	 */
	final long taken(PermitRequest request) {
		long taken = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			AcquisitionEntry entry = this.entries.get(i);
			if (entry.request().isSameState(request)) {
				taken += entry.covered();
			}
		}
		return taken;
	}

	/**
	 * Whether a charge holds even if there was nothing left to pay. A call charges only
	 * what it has paid.
	 */
	boolean chargesWhatIsCovered() {
		return true;
	}

	/**
	 * Notes what was asked in shadow.
	 */
	void noteInShadow(PermitRequest request) {
	}

	/**
	 * Notes what was taken: the last location charges the request, even if it had nothing
	 * left to pay.
	 * @param asked what was asked of policies that are enforced
	 * @param paid the part of it that was taken
	 */
	void note(List<PermitRequest> asked, List<PermitRequest> paid) {
		charge(asked);
	}

	/**
	 * Takes a slot, if a policy may delay the request. One that the request has already
	 * counts for that policy, too.
	 * @return {@code false} if there is no slot for it
	 */
	final boolean ensureSlot(List<PermitRequest> requests) {
		if (!PermitRequest.mayDelay(requests)) {
			return true;
		}
		return requestWait().tryEnter(SlotHolder.of(requests, client()));
	}

	/**
	 * Whose slots the request's is one of.
	 * @return the client's address, or {@code null} if there is no client
	 */
	@Nullable String client() {
		return null;
	}

	/* A policy that could delay the request for longer does not delay it. */
	long longestWaitNanos() {
		return Long.MAX_VALUE;
	}

	/**
	 * The session in which the store is asked for the request. All policies have the same
	 * store.
	 */
	final RateLimitSession session(StoreRateLimiter limiter) {
		if (this.session == null) {
			this.session = openSession(limiter);
		}
		return this.session;
	}

	RateLimitSession openSession(StoreRateLimiter limiter) {
		return Objects.requireNonNullElse(limiter.session(), SeparateSession.INSTANCE);
	}

	/**
	 * The ledger of the request and its calls. Calls that begin at once are of the same
	 * request.
	 */
	final synchronized Ledger ledger() {
		if (this.ledger == null) {
			this.ledger = new Ledger();
		}
		return this.ledger;
	}

	/**
	 * Makes the request wait. Of several delays, the one that ends last counts.
	 */
	final void delay(long nanos) {
		requestWait().delay(nanos);
	}

	private RequestWait requestWait() {
		if (this.wait == null) {
			this.wait = new RequestWait(this.room);
		}
		return this.wait;
	}

	/**
	 * Adds what a policy was asked and decided.
	 */
	final void add(AcquisitionEntry entry) {
		noteDecided(entry);
		if (this.entries.isEmpty()) {
			this.entries = List.of(entry);
			return;
		}
		List<AcquisitionEntry> entries = new ArrayList<>(this.entries);
		entries.add(entry);
		replaceEntries(entries);
	}

	/**
	 * Notes what a policy has decided just now, before it is added.
	 */
	void noteDecided(AcquisitionEntry entry) {
	}

	/**
	 * Notes that a policy rejects.
	 * @return {@code true} if a fallback answers; otherwise, what others gave is still to
	 * be refunded
	 */
	final boolean reject(AcquisitionEntry entry, Predicate<AcquisitionEntry> fallback) {
		this.rejection = entry;
		boolean answered = fallback.test(entry);
		if (!answered) {
			forgoDelay();
		}
		add(entry);
		return answered;
	}

	final void replaceEntries(List<AcquisitionEntry> entries) {
		this.entries = Collections.unmodifiableList(entries);
	}

	/**
	 * All entries before the rejection, which is the last. What is used up stays taken.
	 * What an operator has refused has taken nothing, and no store knows it.
	 */
	final Refund refundOfEarlier() {
		int last = this.entries.size() - 1;
		boolean isUsedUp = isUsedUp();
		List<AcquisitionEntry> earlier = new ArrayList<>(last);
		List<AcquisitionEntry> rest = new ArrayList<>(1);
		for (AcquisitionEntry entry : this.entries.subList(0, last)) {
			if (isUsedUp || isGuess(entry.request()) || entry.effectivePolicy().isRefusing()) {
				rest.add(entry);
			}
			else {
				earlier.add(entry);
			}
		}
		rest.add(this.entries.get(last));
		return new Refund(this, earlier, rest);
	}

	/**
	 * Whether what the request has taken by now has served its purpose, so that nothing
	 * of it goes back: who is rejected only then knows already what the limits are to
	 * keep from being found out.
	 */
	boolean isUsedUp() {
		return false;
	}

	/* Whether it is charged as an attempt to log in that may have failed. */
	private boolean isGuess(PermitRequest request) {
		return hasUnknownCredentials() && isChargedByAuthentication(request);
	}

	/**
	 * Whether credentials came with the request, and no user is known by them.
	 */
	boolean hasUnknownCredentials() {
		return false;
	}

	/**
	 * Everything that was taken, has covered no call, is not charged by its outcome and
	 * not used up.
	 */
	final Refund refundOfUncharged() {
		boolean isUsedUp = isUsedUp();
		List<AcquisitionEntry> uncharged = new ArrayList<>();
		List<AcquisitionEntry> rest = new ArrayList<>();
		for (AcquisitionEntry entry : this.entries) {
			if (entry.taken() > 0 && !isUsedUp && !isUsed(entry.request())) {
				uncharged.add(entry);
			}
			else {
				rest.add(entry);
			}
		}
		return new Refund(this, uncharged, rest);
	}

	private boolean isUsed(PermitRequest request) {
		if (isCharged(request)) {
			return true;
		}
		Ledger ledger = this.ledger;
		return ledger != null && ledger.hasCovered(request);
	}

	/**
	 * Gives everything back that is not used up, because something that the request
	 * called was rejected, and the client learns of it. What is charged by its outcome is
	 * left to the settlement, and calls that went before keep what they have used.
	 */
	public final void refundUncharged() {
		refundOfUncharged().run();
	}

	/**
	 * Lets something be asked after all that the request and its calls have asked for
	 * before, so that it counts what these have paid, as on one thread.
	 * @param next completes when that is done
	 * @return completes when it may begin
	 */
	synchronized CompletionStage<?> follow(CompletableFuture<?> next) {
		CompletableFuture<?> before = this.last;
		this.last = next;
		return before;
	}

	/**
	 * Whether all is answered that the request and its calls have asked for without
	 * waiting.
	 */
	boolean isAnswered() {
		return this.last.isDone();
	}

	@Override
	final boolean mayBlock(PermitRequest request) {
		return !request.effectivePolicy().isInProcess() && session(request.limiter()).isBlocking();
	}

	@Override
	final void settleEntries(Settlement settlement, CallOutcome outcome) {
		settlement.settle(this.entries, outcome, this.ledger, location());
	}

	/**
	 * What the policies decided.
	 * @return an entry for each policy that was asked and answered, in order
	 */
	public final List<AcquisitionEntry> entries() {
		return this.entries;
	}

	/**
	 * The entry that ended the request.
	 * @return the rejection, or {@code null} if all policies allowed
	 */
	public final @Nullable AcquisitionEntry rejection() {
		return this.rejection;
	}

	/**
	 * How long the request must still wait.
	 * @return nanoseconds until the last of the delays is over, or 0
	 */
	public final long delayNanos() {
		RequestWait wait = this.wait;
		return (wait != null) ? wait.delayNanos() : 0;
	}

	/**
	 * Notes that the request is not to wait for what it has acquired by now, such as one
	 * that has failed: an error page is not delayed.
	 */
	public final void forgoDelay() {
		RequestWait wait = this.wait;
		if (wait != null) {
			wait.forgoDelay();
		}
	}

	/**
	 * Whether the request has a slot to wait in that nothing has taken over.
	 */
	@Override
	final boolean hasSlot() {
		RequestWait wait = this.wait;
		return wait != null && wait.hasSlot();
	}

	/**
	 * Hands the request's slot over to what makes it wait.
	 * @return releases the slot, however often it is run; does nothing if there is none
	 */
	public final Runnable handOverSlot() {
		RequestWait wait = this.wait;
		return (wait != null) ? wait.handOverSlot() : RequestWait.NO_SLOT;
	}

	/**
	 * Releases the slot, if there is one that nothing has taken over.
	 */
	public final void releaseSlot() {
		RequestWait wait = this.wait;
		if (wait != null) {
			wait.handOverSlot().run();
		}
	}

}
