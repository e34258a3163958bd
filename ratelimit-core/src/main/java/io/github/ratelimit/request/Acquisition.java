package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one request acquires on its way, from any number of policies: all of
 * them, or none. If a policy rejects, what the earlier ones gave is refunded.
 * <p>
 * It belongs to one request and to one thread at a time. How long the request must wait
 * is kept in its {@link RequestWait}, what it and its calls have paid in its
 * {@link Ledger}, and what is charged by its outcome in its {@link Settlement}. Most
 * requests have none of them.
 *
 * @since 0.1.0
 */
public class Acquisition {

	private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

	final WaitingRoom room;

	/* It is never changed, but replaced: nearly always it has one entry. */
	private List<Entry> entries = List.of();

	/* It is there once a call is made or something is asked in shadow. */
	private @Nullable Ledger ledger;

	/* Asks several policies, once the request has met them. */
	private @Nullable RateLimitSession session;

	/* It is there once a policy may delay the request. */
	private @Nullable RequestWait wait;

	private @Nullable Entry rejection;

	/* What was asked last of all that is asked without waiting. */
	private volatile CompletableFuture<?> last = NOTHING;

	/*
	 * It is there once something is charged by its outcome, which another thread may see
	 * end.
	 */
	private volatile @Nullable Settlement settlement;

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
	 * Takes permits from several policies, or from none, waiting in a slot of its own.
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
	 * then the {@link #rejection()}, and everything in this acquisition is refunded
	 */
	public final boolean take(List<PermitRequest> requests, boolean needsSlot) {
		this.rejection = null;
		if (requests.size() == 1) {
			PermitRequest only = requests.get(0);
			RateLimitDecision decision = needsLedger(only) ? null : only.askPlain();
			if (decision != null) {
				return addOrRefund(new Entry(only, decision));
			}
		}
		return begin(requests, needsSlot).take();
	}

	/**
	 * Begins to take permits.
	 * @return the attempt, which must be {@link PermitAttempt#end ended}
	 */
	final PermitAttempt begin(List<PermitRequest> requests, boolean needsSlot) {
		this.rejection = null;
		return PermitAttempt.begin(this, requests, needsSlot);
	}

	/**
	 * Whether all policies would let the request pass at this moment. Nothing is taken.
	 * @param requests what would be taken
	 * @return {@code false} if one would reject
	 */
	public final boolean wouldPass(List<PermitRequest> requests) {
		return PermitAttempt.wouldPass(this, requests);
	}

	/*
	 * Nearly no request of one plain policy does.
	 */
	private boolean needsLedger(PermitRequest request) {
		for (int i = 0; i < this.entries.size(); i++) {
			if (this.entries.get(i).request.isSameState(request)) {
				return true;
			}
		}
		return this.ledger != null || hasSlot();
	}

	private boolean addOrRefund(Entry entry) {
		if (entry.decision.allowed()) {
			add(entry);
			return true;
		}
		reject(entry);
		refundEarlier();
		return false;
	}

	/**
	 * Refunds what was given before a rejection.
	 */
	final void refundEarlier() {
		if (this.entries.size() > 1) {
			earlier().run();
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
	 * How many permits this acquisition has taken of a policy and key.
	 */
	final long taken(PermitRequest request) {
		long taken = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			Entry entry = this.entries.get(i);
			if (entry.request.isSameState(request)) {
				taken += entry.taken();
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
	 * Lets the outcome of all that has a charge decide what is paid.
	 */
	final void charge(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			Charge charge = request.charge();
			if (charge != null) {
				charge(request, charge, false);
			}
		}
	}

	/**
	 * Lets the outcome decide what is paid.
	 */
	final void charge(PermitRequest request, Charge charge, boolean inShadow) {
		noteRequest();
		settlement().charge(request, charge, inShadow);
	}

	/**
	 * Notes what is to be known of the request when it is over, because something is
	 * charged by its outcome.
	 */
	void noteRequest() {
	}

	/**
	 * Takes a slot, if a policy may delay the request and it has none yet.
	 * @return {@code false} if there is no slot for it
	 */
	final boolean ensureSlot(List<PermitRequest> requests) {
		if (hasSlot() || !PermitRequest.mayDelay(requests)) {
			return true;
		}
		return requestWait().enter();
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
	 * Settles the request or call once it is over.
	 */
	final Settlement settlement() {
		if (this.settlement == null) {
			this.settlement = new Settlement();
		}
		return this.settlement;
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
	final void add(Entry entry) {
		if (this.entries.isEmpty()) {
			this.entries = List.of(entry);
			return;
		}
		List<Entry> entries = new ArrayList<>(this.entries);
		entries.add(entry);
		replaceEntries(entries);
	}

	/**
	 * Notes that a policy rejects. What others gave is still to be refunded.
	 */
	final void reject(Entry entry) {
		this.rejection = entry;
		forgoDelay();
		add(entry);
	}

	final void replaceEntries(List<Entry> entries) {
		this.entries = Collections.unmodifiableList(entries);
	}

	/**
	 * All entries before the rejection, which is the last.
	 */
	final Refund earlier() {
		int last = this.entries.size() - 1;
		return new Refund(this, this.entries.subList(0, last), this.entries.subList(last, last + 1));
	}

	/**
	 * Everything that was taken, has covered no call and is not charged by its outcome.
	 */
	final Refund uncharged() {
		List<Entry> uncharged = new ArrayList<>();
		List<Entry> rest = new ArrayList<>();
		for (Entry entry : this.entries) {
			if (entry.taken() > 0 && !isUsed(entry.request)) {
				uncharged.add(entry);
			}
			else {
				rest.add(entry);
			}
		}
		return new Refund(this, uncharged, rest);
	}

	private boolean isUsed(PermitRequest request) {
		Settlement settlement = this.settlement;
		if (settlement != null && settlement.charges(request)) {
			return true;
		}
		Ledger ledger = this.ledger;
		return ledger != null && ledger.hasCovered(request);
	}

	/**
	 * Gives everything back, because something that the request called was rejected, and
	 * the client learns of it. What is charged by its outcome is left to the settlement,
	 * and calls that went before keep what they have used.
	 */
	public final void refundUncharged() {
		uncharged().run();
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

	/**
	 * Whether settling may take its time, because of a charge or of the store.
	 */
	final boolean mayBlockToSettle() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.mayBlock(this::mayBlock);
	}

	private boolean mayBlock(PermitRequest request) {
		return !request.effectivePolicy().isInProcess() && session(request.limiter()).isBlocking();
	}

	/**
	 * Whether something is to be settled when all is over.
	 * @return {@code false} if no policy is charged by outcome
	 */
	public final boolean isCharged() {
		Settlement settlement = this.settlement;
		return settlement != null && !settlement.hasBegun();
	}

	/**
	 * Whether something was or is to be settled, or a slot to wait in is to be freed.
	 */
	final boolean hasSettlementOrSlot() {
		return this.settlement != null || hasSlot();
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	protected final boolean isChargedByPrincipal() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.readsPrincipal();
	}

	/**
	 * Notes that the call is over for which permits were acquired, and settles them
	 * unless the call is part of a request that is not over yet. A call that fails
	 * because the client has gone that it writes to, or reads from, was not over: that is
	 * no failure, but its caller has left.
	 * @param result what the call returned, or will have returned
	 * @param exception what it failed with, if it did
	 */
	public void endCall(@Nullable Object result, @Nullable Throwable exception) {
		boolean left = exception != null && (isLeft() || ClientDisconnects.areCauseOf(exception));
		settle(new CallOutcome(null, result, left ? null : exception, hasFailedAuthentication(exception != null),
				left));
	}

	/**
	 * Notes that the call's caller has left before it was over.
	 * @param result what had passed to the caller last, if anything had
	 * @param exception what the call is taken to have failed with, if it is
	 */
	public void cancelCall(@Nullable Object result, @Nullable Throwable exception) {
		settle(new CallOutcome(null, result, exception, hasFailedAuthentication(exception != null), true));
	}

	/**
	 * Whether a charge is to see each element of what the call returns.
	 * @return {@code true} if each is to be {@link #count counted}
	 */
	public final boolean countsElements() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.countsElements();
	}

	/**
	 * Counts an element that is about to pass to the caller, one at a time.
	 * @param element the element
	 */
	public final void count(@Nullable Object element) {
		Settlement settlement = this.settlement;
		if (settlement != null) {
			settlement.count(element);
		}
	}

	/**
	 * Whether it is known that the client has gone for which all is done.
	 */
	boolean isLeft() {
		return false;
	}

	/**
	 * Whether an attempt to log in has failed.
	 * @param refused what to answer where no attempt was noticed
	 * @return {@code null} outside of an HTTP request
	 */
	@Nullable Boolean hasFailedAuthentication(boolean refused) {
		return null;
	}

	/**
	 * Settles what was acquired. Does nothing if that was done before.
	 * @param outcome how all has ended
	 */
	protected final void settle(CallOutcome outcome) {
		Settlement settlement = this.settlement;
		if (settlement != null && settlement.tryBegin()) {
			settlement.settle(this.entries, outcome, this.ledger, location());
		}
	}

	/**
	 * What the policies decided.
	 * @return an entry for each policy that was asked and answered, in order
	 */
	public final List<Entry> entries() {
		return this.entries;
	}

	/**
	 * The entry that ended the request.
	 * @return the rejection, or {@code null} if all policies allowed
	 */
	public final @Nullable Entry rejection() {
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
	final boolean hasSlot() {
		RequestWait wait = this.wait;
		return wait != null && wait.hasSlot();
	}

	/**
	 * Hands the request's slot over to what makes it wait.
	 * @return frees the slot, however often it is run; does nothing if there is none
	 */
	public final Runnable takeSlot() {
		RequestWait wait = this.wait;
		return (wait != null) ? wait.takeSlot() : RequestWait.NO_SLOT;
	}

	/**
	 * Frees the slot, if there is one that nothing has taken over.
	 */
	public final void leave() {
		RequestWait wait = this.wait;
		if (wait != null) {
			wait.takeSlot().run();
		}
	}

	/**
	 * What one policy was asked and decided.
	 *
	 * @param request the question; of no permits after everything was refunded
	 * @param decision the answer; after another policy's rejection, what was left after
	 * everything was refunded
	 */
	public record Entry(PermitRequest request, RateLimitDecision decision) implements Settlement.Given {

		/**
		 * Creates the entries of what policies were asked. One that was not asked in the
		 * end has none.
		 */
		static List<Entry> of(List<PermitRequest> requests, List<@Nullable RateLimitDecision> decisions) {
			List<Entry> entries = new ArrayList<>(requests.size());
			for (int i = 0; i < requests.size(); i++) {
				RateLimitDecision decision = decisions.get(i);
				if (decision != null) {
					entries.add(new Entry(requests.get(i), decision));
				}
			}
			return entries;
		}

		/**
		 * What the client of a rejection that was thrown is to know.
		 * @param registry knows the policy's limiter
		 * @param rejection what was thrown
		 * @return the rejection, as if no permits had been asked for; none of a policy
		 * that is not known
		 */
		public static List<Entry> ofRejection(RateLimiterRegistry registry, RateLimitExceededException rejection) {
			RateLimiter limiter = registry.find(rejection.policy().name());
			if (limiter == null) {
				return List.of();
			}
			EffectivePolicy rejecting = StoreRateLimiter.of(limiter).rejecting(rejection.policy());
			return List.of(new Entry(new PermitRequest(rejecting, "", 0), rejection.decision()));
		}

		/**
		 * The policy.
		 * @return the policy that was asked
		 */
		public RateLimitPolicy policy() {
			return this.request.effectivePolicy().policy();
		}

		/**
		 * The numbers of the policy that have decided.
		 * @return the policy with these numbers
		 */
		public EffectivePolicy effectivePolicy() {
			return this.request.effectivePolicy();
		}

		/**
		 * Whether this, rather than an earlier entry, is what to report of a policy.
		 */
		boolean replaces(Entry earlier) {
			return this.request.key().equals(earlier.request.key())
					|| this.decision.remaining() < earlier.decision.remaining();
		}

		/**
		 * Reports what became of the request, unless it was only a look.
		 */
		void report(RateLimitOutcome outcome) {
			this.request.report(this.decision, outcome);
		}

		@Override
		public long taken() {
			return this.decision.allowed() ? this.request.permits() : 0;
		}

		@Override
		public void settle(long taken, long used) {
			this.request.settle(taken, used, this.decision);
		}

	}

}
