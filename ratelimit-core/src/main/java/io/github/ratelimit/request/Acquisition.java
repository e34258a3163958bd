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
 * Belongs to one request and to one thread at a time.
 *
 * @since 0.1.0
 */
public class Acquisition {

	static final long NO_DELAY = Long.MIN_VALUE;

	private static final Runnable NO_PLACE = () -> {
	};

	private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

	final WaitingRoom room;

	/* The request that a call is made within. */
	private final @Nullable Acquisition outer;

	/* Where the call is made. */
	private final @Nullable Object place;

	/* Never changed, but replaced: nearly always it has one entry. */
	List<Entry> entries = List.of();

	/* Of the request and its calls, once a call is made or something asked in shadow. */
	private @Nullable Ledger ledger;

	/* Asks several policies, once the request has met them. */
	private @Nullable RateLimitSession session;

	/* The place to wait in, unless it has been handed over. */
	@Nullable Runnable seat;

	long readyAtNanos = NO_DELAY;

	private @Nullable Entry rejection;

	/* What was asked last of all that is asked without waiting. */
	private volatile CompletableFuture<?> last = NOTHING;

	/* Once something is charged by its outcome, which another thread may see end. */
	volatile @Nullable Settlement settlement;

	/**
	 * Creates an acquisition that needs a place to wait. Without a place, a request that
	 * would have to wait is rejected.
	 * @param room where requests wait
	 */
	public Acquisition(WaitingRoom room) {
		this.room = room;
		this.outer = null;
		this.place = null;
	}

	private Acquisition(Acquisition outer, Object place) {
		this.room = outer.room;
		this.outer = outer;
		this.place = place;
		this.ledger = outer.ledger();
	}

	/**
	 * Begins the acquisition of one call within this request. What the request has paid
	 * elsewhere covers the call; what earlier calls from the same place have paid does
	 * not. A rejection refunds what the call took, and leaves the request alone.
	 * @param place where the call is made, such as its method
	 * @return an acquisition without permits
	 */
	public final Acquisition call(Object place) {
		return new Acquisition(this, place);
	}

	/**
	 * Takes permits from several policies, or from none, waiting in a place of its own.
	 * @param requests what to take
	 * @return {@code true} if all policies allow
	 * @see #take(List, boolean)
	 */
	public final boolean take(List<PermitRequest> requests) {
		return take(requests, true);
	}

	/**
	 * Takes permits from several policies, or from none, but only once what a request
	 * meets in more than one place: of a policy and key that has given permits already,
	 * only those beyond are taken. What is in shadow is only asked.
	 * @param requests what to take, in order; of one policy and key the most counts
	 * @param needsPlace whether to wait needs a place; {@code false} for a call that
	 * sleeps on its own thread
	 * @return {@code true} if all policies allow; {@code false} if one rejects, which
	 * {@link #rejection()} then tells, and everything in this acquisition is refunded
	 */
	public final boolean take(List<PermitRequest> requests, boolean needsPlace) {
		this.rejection = null;
		if (requests.size() == 1) {
			PermitRequest only = requests.get(0);
			Entry entry = needsLedger(only) ? null : only.askPlain();
			if (entry != null) {
				return add(entry) || refundEarlier();
			}
		}
		return takeUnpaid(requests, needsPlace);
	}

	/**
	 * Whether all policies would let the request pass at this moment. Nothing is taken.
	 * @param requests what would be taken
	 * @return {@code false} if one would reject
	 */
	public final boolean wouldPass(List<PermitRequest> requests) {
		List<PermitRequest> unpaid = new ArrayList<>(requests.size());
		for (PermitRequest request : Ledger.distinct(requests)) {
			long owed = unpaid(request);
			if (owed > 0 && request.effectivePolicy().isEnforced()) {
				unpaid.add(request.of(owed));
			}
		}
		Asked looks = new Asked(List.of(), unpaid.stream().map((request) -> request.of(0)).toList(), Long.MAX_VALUE);
		List<@Nullable RateLimitDecision> standing = unpaid.isEmpty() ? List.of()
				: session(looks.limiter()).decide(looks.questions());
		for (int i = 0; i < standing.size(); i++) {
			RateLimitDecision decision = standing.get(i);
			if (decision != null && decision.remaining() < unpaid.get(i).permits()) {
				return false;
			}
		}
		return true;
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
		return this.seat != null || this.ledger != null;
	}

	private boolean takeUnpaid(List<PermitRequest> requests, boolean needsPlace) {
		Asked asked = begin(requests, needsPlace);
		boolean taken = false;
		try {
			taken = asked.unpaid.isEmpty() || conclude(asked, session(asked.limiter()).decide(asked.questions()))
					|| refundEarlier();
		}
		finally {
			end(asked, taken);
		}
		return taken;
	}

	/**
	 * Begins to take permits: works out what the store is to be asked, and asks what is
	 * in shadow.
	 * <p>
	 * The place comes first: a place in a queue, once taken, cannot always be refunded.
	 * Without one, no policy delays the request.
	 * @return what has begun, and must be {@link #end ended}
	 */
	final Asked begin(List<PermitRequest> requests, boolean needsPlace) {
		this.rejection = null;
		List<PermitRequest> unpaid = new ArrayList<>(requests.size());
		List<PermitRequest> enforced = new ArrayList<>(requests.size());
		for (PermitRequest request : Ledger.distinct(requests)) {
			EffectivePolicy version = request.effectivePolicy();
			if (version.isShadowed()) {
				askInShadow(request, version);
			}
			if (version.isEnforced()) {
				enforced.add(request);
				long owed = unpaid(request);
				if (owed > 0 || owed == request.permits()) {
					unpaid.add(request.of(owed));
				}
			}
		}
		boolean mayWait = !needsPlace || findPlace(unpaid);
		return new Asked(enforced, unpaid, mayWait ? longestWaitNanos() : 0);
	}

	/**
	 * Ends what has begun.
	 * @param taken whether all policies allow; {@code false} also after a failure
	 */
	final void end(Asked asked, boolean taken) {
		if (!taken || delayNanos() == 0) {
			leave();
		}
		if (taken) {
			note(asked.enforced, asked.unpaid);
		}
	}

	/* What nothing has paid for yet. */
	private long unpaid(PermitRequest request) {
		return owed(request, false) - ((this.outer != null) ? this.outer : this).taken(request);
	}

	private long owed(PermitRequest request, boolean inShadow) {
		Ledger ledger = this.ledger;
		return (ledger != null) ? ledger.owed(request, this.place, inShadow) : request.permits();
	}

	private long taken(PermitRequest request) {
		long taken = 0;
		for (int i = 0; i < this.entries.size(); i++) {
			Entry entry = this.entries.get(i);
			taken += entry.request.isSameState(request) ? entry.taken() : 0;
		}
		return taken;
	}

	private void askInShadow(PermitRequest request, EffectivePolicy version) {
		long owed = owed(request, true);
		Charge charge = request.charge();
		if (owed > 0) {
			PermitRequest unasked = request.of(owed);
			ledger().addPaid(unasked, true);
			if (charge == null) {
				version.askInShadow(request.key(), owed);
			}
			else {
				settlement().add(new Settlement.InShadow(unasked, version.reserveInShadow(request.key(), owed)));
			}
		}
		if (charge != null && (owed > 0 || this.place == null)) {
			charge(request, charge, true);
		}
		if (this.place != null) {
			ledger().addCost(request, this.place, true);
		}
	}

	private boolean findPlace(List<PermitRequest> requests) {
		if (this.seat != null || !PermitRequest.mayDelay(requests)) {
			return true;
		}
		this.seat = this.room.enter();
		return this.seat != null;
	}

	/* A policy that could delay the request for longer does not delay it. */
	long longestWaitNanos() {
		return Long.MAX_VALUE;
	}

	/**
	 * Notes what the policies said. If one rejects, what they gave {@link #earlier} is
	 * still to be refunded.
	 * @return whether all policies allow
	 */
	final boolean conclude(Asked asked, List<@Nullable RateLimitDecision> decisions) {
		List<Entry> entries = asked.entries(decisions);
		for (Entry entry : entries) {
			if (!entry.decision.allowed()) {
				entry.report(entry.decision.outcome());
				reportOtherBans(entries, entry);
				return add(entry);
			}
		}
		for (Entry entry : entries) {
			entry.report(entry.decision.outcome());
			add(entry);
			long delay = entry.decision.delayNanos();
			if (delay > 0) {
				this.readyAtNanos = Math.max(this.readyAtNanos, this.room.clock.nanos() + delay);
			}
		}
		return true;
	}

	/*
	 * Of several rejections only the first is what became of the request, but each may
	 * begin a ban.
	 */
	private static void reportOtherBans(List<Entry> entries, Entry reported) {
		for (Entry entry : entries) {
			if (entry != reported) {
				entry.effectivePolicy().reportNewBan(entry.request.key(), entry.decision);
			}
		}
	}

	/*
	 * The last place charges the request, even if it had nothing left to pay; a call
	 * charges what it has paid.
	 */
	private void note(List<PermitRequest> asked, List<PermitRequest> paid) {
		if (this.place != null) {
			paid.forEach((request) -> ledger().addPaid(request, false));
			asked.forEach((request) -> ledger().addCost(request, this.place, false));
		}
		for (PermitRequest request : (this.place != null) ? paid : asked) {
			if (request.charge() != null) {
				charge(request, request.charge(), false);
			}
		}
	}

	private void charge(PermitRequest request, Charge charge, boolean inShadow) {
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
	 * Asks the store for the request. All policies have the same store.
	 */
	final RateLimitSession session(StoreRateLimiter limiter) {
		if (this.session == null) {
			this.session = (this.outer != null) ? this.outer.session(limiter).call()
					: Objects.requireNonNullElse(limiter.session(), SeparateSession.INSTANCE);
		}
		return this.session;
	}

	/* Calls that begin at once are of the same request. */
	private synchronized Ledger ledger() {
		if (this.ledger == null) {
			this.ledger = new Ledger();
		}
		return this.ledger;
	}

	private Settlement settlement() {
		if (this.settlement == null) {
			this.settlement = new Settlement();
		}
		return this.settlement;
	}

	private boolean add(Entry entry) {
		boolean allowed = entry.decision.allowed();
		if (!allowed) {
			this.rejection = entry;
			forgoDelay();
		}
		if (this.entries.isEmpty()) {
			this.entries = List.of(entry);
		}
		else {
			List<Entry> entries = new ArrayList<>(this.entries);
			entries.add(entry);
			this.entries = Collections.unmodifiableList(entries);
		}
		return allowed;
	}

	private boolean refundEarlier() {
		if (this.entries.size() > 1) {
			refund(earlier());
		}
		return false;
	}

	private void refund(Refund refund) {
		if (!refund.entries.isEmpty()) {
			RateLimitSession session = session(refund.limiter());
			List<RateLimitSession.Given> given = refund.given();
			if (!given.isEmpty()) {
				session.refund(given);
			}
			Asked standing = refund.reported();
			conclude(refund, standing.entries(session.decide(standing.questions())));
		}
	}

	/**
	 * Everything that was said before the rejection, which is said last.
	 */
	final Refund earlier() {
		int last = this.entries.size() - 1;
		return new Refund(this.entries.subList(0, last), this.entries.subList(last, last + 1));
	}

	/**
	 * Everything that was taken, has covered no call and is not charged by its outcome.
	 */
	final Refund uncharged() {
		List<Entry> uncharged = new ArrayList<>();
		List<Entry> rest = new ArrayList<>();
		Settlement settlement = this.settlement;
		Ledger ledger = this.ledger;
		for (Entry entry : this.entries) {
			boolean used = settlement != null && settlement.charges(entry.request)
					|| ledger != null && ledger.hasCovered(entry.request);
			((entry.taken() > 0 && !used) ? uncharged : rest).add(entry);
		}
		return new Refund(uncharged, rest);
	}

	/**
	 * Notes that entries were refunded.
	 * @param standing how each of their policies stands now
	 */
	final void conclude(Refund refund, List<Entry> standing) {
		List<Entry> entries = new ArrayList<>(standing);
		entries.addAll(refund.rest);
		this.entries = Collections.unmodifiableList(entries);
	}

	/**
	 * Gives everything back, because something that the request called was rejected, and
	 * the client is told so. What is charged by its outcome is left to the settlement,
	 * and calls that went before keep what they have used.
	 */
	public final void refundUncharged() {
		refund(uncharged());
	}

	/**
	 * Lets something be asked after all that the request and its calls have asked for
	 * before, so that it counts what these have paid, as on one thread.
	 * @param next completes when that is done
	 * @return completes when it may begin
	 */
	final CompletionStage<?> follow(CompletableFuture<?> next) {
		if (this.outer != null) {
			return this.outer.follow(next);
		}
		synchronized (this) {
			CompletableFuture<?> before = this.last;
			this.last = next;
			return before;
		}
	}

	/**
	 * Whether all is answered that the request and its calls have asked for without
	 * waiting.
	 */
	final boolean isAnswered() {
		return (this.outer != null) ? this.outer.isAnswered() : this.last.isDone();
	}

	/**
	 * Whether it may take its time to settle, because of a charge or of the store.
	 */
	final boolean mayBlockToSettle() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement
			.mayBlock((request) -> !request.effectivePolicy().isInProcess() && session(request.limiter()).isBlocking());
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
	 * Whether a charge reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	protected final boolean isChargedByPrincipal() {
		Settlement settlement = this.settlement;
		return settlement != null && settlement.readsPrincipal();
	}

	/**
	 * Notes that the call is over for which permits were acquired, and settles them
	 * unless the call is part of a request that is not over yet.
	 * @param result what the call returned, or will have returned
	 * @param exception what it failed with, if it did
	 */
	public void endCall(@Nullable Object result, @Nullable Throwable exception) {
		settle(new CallOutcome(null, result, exception,
				(this.outer != null) ? this.outer.hasFailedAuthentication(exception != null) : null));
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
		if (settlement != null && settlement.begin()) {
			settlement.settle(this.entries, outcome, this.ledger, this.place);
		}
	}

	/**
	 * What the policies said.
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
		return (this.readyAtNanos != NO_DELAY) ? Math.max(0, this.readyAtNanos - this.room.clock.nanos()) : 0;
	}

	/**
	 * Notes that the request is not to wait for what it has acquired by now, such as one
	 * that has failed: an error page is not delayed.
	 */
	public final void forgoDelay() {
		this.readyAtNanos = NO_DELAY;
	}

	/**
	 * Hands the request's place over to what makes it wait.
	 * @return gives the place back, however often it is run; does nothing if there is
	 * none
	 */
	public final Runnable takeSlot() {
		Runnable seat = this.seat;
		this.seat = null;
		return (seat != null) ? seat : NO_PLACE;
	}

	/**
	 * Gives the place back, if there is one that nothing has taken over.
	 */
	public final void leave() {
		takeSlot().run();
	}

	/**
	 * What the store is asked at one place.
	 *
	 * @param enforced what the place asks of policies that are enforced
	 * @param unpaid the part of it that nothing has paid for
	 * @param longestWaitNanos a policy that could delay the request for longer does not
	 */
	record Asked(List<PermitRequest> enforced, List<PermitRequest> unpaid, long longestWaitNanos) {

		StoreRateLimiter limiter() {
			return this.unpaid.get(0).limiter();
		}

		List<RateLimitSession.Question> questions() {
			List<RateLimitSession.Question> questions = new ArrayList<>(this.unpaid.size());
			for (PermitRequest request : this.unpaid) {
				questions.add(request.question(this.longestWaitNanos));
			}
			return questions;
		}

		/* A policy that was not asked has no entry. */
		List<Entry> entries(List<@Nullable RateLimitDecision> decisions) {
			List<Entry> entries = new ArrayList<>(this.unpaid.size());
			for (int i = 0; i < this.unpaid.size(); i++) {
				RateLimitDecision decision = decisions.get(i);
				if (decision != null) {
					entries.add(new Entry(this.unpaid.get(i), decision));
				}
			}
			return entries;
		}

	}

	/**
	 * What goes back.
	 *
	 * @param entries what was said of it
	 * @param rest what else was said
	 */
	record Refund(List<Entry> entries, List<Entry> rest) {

		StoreRateLimiter limiter() {
			return this.entries.get(0).request.limiter();
		}

		List<RateLimitSession.Given> given() {
			List<RateLimitSession.Given> given = new ArrayList<>(this.entries.size());
			for (Entry entry : this.entries) {
				if (entry.taken() > 0) {
					given.add(entry.effectivePolicy().given(entry.request.key(), entry.taken(), entry.decision));
				}
			}
			return given;
		}

		/**
		 * Reports what was refunded, the last first.
		 * @return what to ask next: how each policy stands then
		 */
		Asked reported() {
			List<PermitRequest> looks = new ArrayList<>(this.entries.size());
			for (Entry entry : this.entries) {
				looks.add(entry.request.of(0));
			}
			for (int i = this.entries.size() - 1; i >= 0; i--) {
				if (this.entries.get(i).taken() > 0) {
					this.entries.get(i).report(RateLimitOutcome.RETURNED);
				}
			}
			return new Asked(List.of(), Ledger.distinct(looks), Long.MAX_VALUE);
		}

	}

	/**
	 * What one policy was asked and said.
	 *
	 * @param request the question; of no permits after everything was refunded
	 * @param decision the answer; after another policy's rejection, the standing after
	 * everything was refunded
	 */
	public record Entry(PermitRequest request, RateLimitDecision decision) implements Settlement.Given {

		/**
		 * What the client of a rejection that was thrown is to know.
		 * @param registry knows the policy's limiter
		 * @param rejection what was thrown
		 * @return the rejection, as if no permits had been asked for; none of a policy
		 * that is not known
		 */
		public static List<Entry> ofRejection(RateLimiterRegistry registry, RateLimitExceededException rejection) {
			RateLimiter limiter = registry.find(rejection.policy().name());
			return (limiter == null) ? List.of()
					: List.of(new Entry(
							new PermitRequest(StoreRateLimiter.of(limiter).rejecting(rejection.policy()), "", 0),
							rejection.decision()));
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
		 * @return the version
		 */
		public EffectivePolicy effectivePolicy() {
			return this.request.effectivePolicy();
		}

		/**
		 * Whether this is what to tell of a policy, rather than an earlier entry.
		 */
		boolean counts(Entry earlier) {
			return this.request.key().equals(earlier.request.key())
					|| this.decision.remaining() < earlier.decision.remaining();
		}

		private void report(RateLimitOutcome outcome) {
			if (this.request.permits() > 0) {
				effectivePolicy().report(this.request.key(), this.request.permits(), this.decision, outcome);
			}
		}

		@Override
		public long taken() {
			return this.decision.allowed() ? this.request.permits() : 0;
		}

		@Override
		public void settle(long used) {
			this.request.effectivePolicy().settle(this.request.key(), taken(), used, this.decision);
		}

	}

}
