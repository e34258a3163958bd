package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.policy.EffectivePolicy;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The attempt to take what one location asks for from several policies: from all of them,
 * or from none. What is in shadow is only asked.
 */
final class PermitAttempt {

	private final Acquisition acquisition;

	/* What the location asks of policies that are not in shadow. */
	private final List<PermitRequest> asked;

	/* The part of it that nothing has paid for, of policies that are enforced. */
	private final List<PermitRequest> enforced;

	/*
	 * The part of it that nothing has paid for, of policies that inform. They are asked
	 * once all others allow, each by itself: they reject nothing.
	 */
	private final List<PermitRequest> informing;

	/* A policy that could delay the request for longer does not. */
	private final long longestWaitNanos;

	/* What an operator refuses. Then nothing else is asked. */
	private final @Nullable PermitRequest refused;

	private final Predicate<AcquisitionEntry> fallback;

	/* Whether a policy has rejected, and a fallback answers. */
	private boolean answered;

	private PermitAttempt(Acquisition acquisition, PermitRequest refused, Predicate<AcquisitionEntry> fallback) {
		this.acquisition = acquisition;
		this.asked = List.of();
		this.enforced = List.of(refused);
		this.informing = List.of();
		this.longestWaitNanos = 0;
		this.refused = refused;
		this.fallback = fallback;
	}

	private PermitAttempt(Acquisition acquisition, List<PermitRequest> asked, List<PermitRequest> enforced,
			List<PermitRequest> informing, long longestWaitNanos, Predicate<AcquisitionEntry> fallback) {
		this.acquisition = acquisition;
		this.asked = asked;
		this.enforced = enforced;
		this.informing = informing;
		this.longestWaitNanos = longestWaitNanos;
		this.refused = null;
		this.fallback = fallback;
	}

	/**
	 * Begins to take permits: works out what the store is to be asked, and asks what is
	 * in shadow. If an operator refuses one of them, nothing is asked.
	 * <p>
	 * The slot comes first: a position in a queue, once taken, cannot always be refunded.
	 * Without a slot, no policy delays the request.
	 * @return what has begun, and must be {@link #end ended}
	 */
	static PermitAttempt begin(Acquisition acquisition, List<PermitRequest> requests, boolean needsSlot,
			Predicate<AcquisitionEntry> fallback) {
		List<PermitRequest> distinct = Ledger.distinct(requests);
		PermitRequest refused = findRefused(distinct);
		if (refused != null) {
			return new PermitAttempt(acquisition, refused, fallback);
		}

		for (PermitRequest request : distinct) {
			if (request.effectivePolicy().isShadowed()) {
				askInShadow(acquisition, request);
			}
		}

		List<PermitRequest> asked = new ArrayList<>(distinct.size());
		List<PermitRequest> enforced = new ArrayList<>(distinct.size());
		List<PermitRequest> informing = new ArrayList<>(0);
		for (PermitRequest request : distinct) {
			EffectivePolicy policy = request.effectivePolicy();
			if (policy.takesPermits()) {
				asked.add(request);
				List<PermitRequest> ofMode = policy.isInforming() ? informing : enforced;
				addUnpaid(acquisition, request, ofMode);
			}
		}

		boolean mayWait = !needsSlot || acquisition.ensureSlot(enforced);
		long longestWaitNanos = mayWait ? acquisition.longestWaitNanos() : 0;
		return new PermitAttempt(acquisition, asked, enforced, informing, longestWaitNanos, fallback);
	}

	/* A denial counts before a ban. */
	private static @Nullable PermitRequest findRefused(List<PermitRequest> requests) {
		PermitRequest banned = null;
		for (PermitRequest request : requests) {
			EffectivePolicy policy = request.effectivePolicy();
			if (policy.isDenying()) {
				return request;
			}
			if (banned == null && policy.isRefusing()) {
				banned = request;
			}
		}
		return banned;
	}

	/*
	 * A look is asked unless it is covered, although it leaves nothing to pay.
	 */
	private static void addUnpaid(Acquisition acquisition, PermitRequest request, List<PermitRequest> unpaid) {
		long rest = acquisition.unpaid(request);
		boolean isLook = request.permits() == 0;
		if (rest > 0 || (isLook && rest == 0)) {
			unpaid.add(request.of(rest));
		}
	}

	private static void askInShadow(Acquisition acquisition, PermitRequest request) {
		long owed = acquisition.owed(request, true);
		if (owed > 0) {
			PermitRequest rest = request.of(owed);
			acquisition.ledger().addPaid(rest, true);
			askOrReserveInShadow(acquisition, rest);
		}

		// a request charges also what it has paid before, and a call only what it pays
		Charge charge = request.charge();
		if (charge != null && (owed > 0 || acquisition.chargesWhatIsCovered())) {
			acquisition.charge(request, charge, true);
		}
		acquisition.noteInShadow(request);
	}

	private static void askOrReserveInShadow(Acquisition acquisition, PermitRequest request) {
		EffectivePolicy policy = request.effectivePolicy();
		if (request.charge() == null) {
			policy.askInShadow(request.key(), request.permits());
			return;
		}
		acquisition.settlement()
			.add(new Settlement.InShadow(request, policy.reserveInShadow(request.key(), request.permits())));
	}

	/**
	 * Takes the permits on the caller's thread, and ends.
	 * @return whether all policies allow
	 */
	boolean take() {
		boolean taken = false;
		try {
			taken = decide();
		}
		finally {
			end(taken);
		}
		return taken;
	}

	private boolean decide() {
		if (!isPaid() && !decideTogether()) {
			return false;
		}

		for (PermitRequest request : this.informing) {
			RateLimitSession session = this.acquisition.session(request.limiter());
			concludeInforming(request, session.decide(List.of(request)));
		}
		return true;
	}

	private boolean decideTogether() {
		List<@Nullable RateLimitDecision> decisions = refusal();
		if (decisions == null) {
			decisions = this.acquisition.session(this.enforced.get(0).limiter()).decide(questions());
		}
		boolean allowed = conclude(decisions);
		if (!allowed && !isAnswered()) {
			this.acquisition.refundEarlier();
		}
		return allowed;
	}

	/**
	 * What an operator has decided in place of the store, which need not be asked.
	 * @return a rejection, or {@code null} if the store is to decide
	 */
	@Nullable List<@Nullable RateLimitDecision> refusal() {
		PermitRequest refused = this.refused;
		if (refused == null) {
			return null;
		}
		return Collections.singletonList(refused.decider().decide(refused.key(), refused.permits()));
	}

	/**
	 * Whether a policy has rejected and a fallback answers, so that nothing is refunded.
	 */
	boolean isAnswered() {
		return this.answered;
	}

	/**
	 * Whether all is paid already that is enforced, so that the store need not be asked.
	 */
	boolean isPaid() {
		return this.enforced.isEmpty();
	}

	/**
	 * What is asked of each policy that informs, once all others allow.
	 */
	List<PermitRequest> informing() {
		return this.informing;
	}

	/**
	 * Notes what a policy that informs decided.
	 */
	void concludeInforming(PermitRequest request, List<@Nullable RateLimitDecision> decided) {
		RateLimitDecision said = Objects.requireNonNull(decided.get(0));
		RateLimitDecision decision = request.effectivePolicy().informed(said);
		request.report(decision, decision.outcome());
		this.acquisition.add(new AcquisitionEntry(request, decision));
	}

	/**
	 * What the store is to be asked of policies that are enforced.
	 */
	List<RateLimitSession.Question> questions() {
		return PermitRequest.questions(this.enforced, this.longestWaitNanos);
	}

	/**
	 * Notes what the policies decided. If one rejects and no fallback answers, what they
	 * gave before is still to be refunded.
	 * @return whether all policies allow
	 */
	boolean conclude(List<@Nullable RateLimitDecision> decisions) {
		List<AcquisitionEntry> entries = AcquisitionEntry.of(this.enforced, decisions);
		for (AcquisitionEntry entry : entries) {
			if (!entry.decision().allowed()) {
				reject(entry, entries);
				return false;
			}
		}

		for (AcquisitionEntry entry : entries) {
			RateLimitDecision decision = entry.decision();
			entry.report(decision.outcome());
			this.acquisition.add(entry);
			long delay = decision.delayNanos();
			if (delay > 0) {
				this.acquisition.delay(delay);
			}
		}
		return true;
	}

	/*
	 * Of several rejections only the first is what became of the request, but each may
	 * begin a ban.
	 */
	private void reject(AcquisitionEntry rejection, List<AcquisitionEntry> entries) {
		rejection.report(rejection.decision().outcome());
		for (AcquisitionEntry entry : entries) {
			if (entry != rejection) {
				entry.effectivePolicy().reportNewBan(entry.request().key(), entry.decision());
			}
		}
		this.answered = this.acquisition.reject(rejection, this.fallback);
	}

	private List<PermitRequest> paid() {
		if (this.informing.isEmpty()) {
			return this.enforced;
		}
		return Stream.concat(this.enforced.stream(), this.informing.stream()).toList();
	}

	/**
	 * Ends the attempt.
	 * @param taken whether all policies allow; {@code false} also after a failure
	 */
	void end(boolean taken) {
		boolean goesOn = taken || this.answered;
		if (!goesOn || this.acquisition.delayNanos() == 0) {
			this.acquisition.releaseSlot();
		}
		if (taken) {
			this.acquisition.note(this.asked, paid());
		}
	}

}
