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
	private final List<PermitRequest> unpaid;

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
		this.unpaid = List.of(refused);
		this.informing = List.of();
		this.longestWaitNanos = 0;
		this.refused = refused;
		this.fallback = fallback;
	}

	private PermitAttempt(Acquisition acquisition, List<PermitRequest> asked, List<PermitRequest> unpaid,
			List<PermitRequest> informing, long longestWaitNanos, Predicate<AcquisitionEntry> fallback) {
		this.acquisition = acquisition;
		this.asked = asked;
		this.unpaid = unpaid;
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
		List<PermitRequest> unpaid = new ArrayList<>(requests.size());
		List<PermitRequest> asked = new ArrayList<>(requests.size());
		List<PermitRequest> informing = new ArrayList<>(0);
		List<PermitRequest> shadowed = List.of();
		for (PermitRequest request : Ledger.distinct(requests)) {
			EffectivePolicy policy = request.effectivePolicy();
			if (policy.isShadowed()) {
				shadowed = with(shadowed, request);
			}
			if (!policy.takesPermits()) {
				if (policy.isRefusing()) {
					return new PermitAttempt(acquisition, request, fallback);
				}
				continue;
			}

			asked.add(request);
			long owed = acquisition.unpaid(request);
			boolean isUnpaid = owed > 0 || owed == request.permits();
			if (isUnpaid && policy.isInforming()) {
				informing.add(request.of(owed));
			}
			else if (isUnpaid) {
				unpaid.add(request.of(owed));
			}
		}

		for (int i = 0; i < shadowed.size(); i++) {
			askInShadow(acquisition, shadowed.get(i));
		}
		boolean mayWait = !needsSlot || acquisition.ensureSlot(unpaid);
		long longestWaitNanos = mayWait ? acquisition.longestWaitNanos() : 0;
		return new PermitAttempt(acquisition, asked, unpaid, informing, longestWaitNanos, fallback);
	}

	private static List<PermitRequest> with(List<PermitRequest> requests, PermitRequest more) {
		List<PermitRequest> all = new ArrayList<>(requests);
		all.add(more);
		return all;
	}

	private static void askInShadow(Acquisition acquisition, PermitRequest request) {
		EffectivePolicy policy = request.effectivePolicy();
		long owed = acquisition.owed(request, true);
		Charge charge = request.charge();
		if (owed > 0) {
			PermitRequest unasked = request.of(owed);
			acquisition.ledger().addPaid(unasked, true);
			if (charge == null) {
				policy.askInShadow(request.key(), owed);
			}
			else {
				acquisition.settlement()
					.add(new Settlement.InShadow(unasked, policy.reserveInShadow(request.key(), owed)));
			}
		}

		if (charge != null && (owed > 0 || acquisition.chargesWhatIsCovered())) {
			acquisition.charge(request, charge, true);
		}
		acquisition.noteInShadow(request);
	}

	/**
	 * Whether all policies would let the request pass at this moment. Nothing is taken.
	 * @param requests what would be taken
	 * @return {@code false} if one would reject
	 */
	static boolean wouldPass(Acquisition acquisition, List<PermitRequest> requests) {
		List<PermitRequest> unpaid = new ArrayList<>(requests.size());
		for (PermitRequest request : Ledger.distinct(requests)) {
			if (request.effectivePolicy().isRefusing()) {
				return false;
			}
			long owed = acquisition.unpaid(request);
			if (owed > 0 && request.effectivePolicy().isEnforced()) {
				unpaid.add(request.of(owed));
			}
		}
		if (unpaid.isEmpty()) {
			return true;
		}

		List<PermitRequest> looks = unpaid.stream().map((request) -> request.of(0)).toList();
		List<@Nullable RateLimitDecision> left = acquisition.session(looks.get(0).limiter())
			.decide(PermitRequest.looks(looks));
		for (int i = 0; i < left.size(); i++) {
			RateLimitDecision decision = left.get(i);
			if (decision != null && !wouldPass(unpaid.get(i), decision)) {
				return false;
			}
		}
		return true;
	}

	/* Whoever may wait passes later. */
	private static boolean wouldPass(PermitRequest request, RateLimitDecision left) {
		if (left.remaining() >= request.permits()) {
			return true;
		}
		long maxWait = request.effectivePolicy().policy().maxWait().toNanos();
		return maxWait > 0 && !left.banned() && left.nextPermitAfterNanos() <= maxWait;
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
			inform(request, session.decide(List.of(request)));
		}
		return true;
	}

	private boolean decideTogether() {
		List<@Nullable RateLimitDecision> decisions = refusal();
		if (decisions == null) {
			decisions = this.acquisition.session(this.unpaid.get(0).limiter()).decide(questions());
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
	 * Whether all is paid already, so that the store need not be asked.
	 */
	boolean isPaid() {
		return this.unpaid.isEmpty();
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
	void inform(PermitRequest request, List<@Nullable RateLimitDecision> decided) {
		RateLimitDecision said = Objects.requireNonNull(decided.get(0));
		RateLimitDecision decision = request.effectivePolicy().informed(said);
		request.report(decision, decision.outcome());
		this.acquisition.add(new AcquisitionEntry(request, decision));
	}

	/**
	 * What the store is to be asked.
	 */
	List<RateLimitSession.Question> questions() {
		return PermitRequest.questions(this.unpaid, this.longestWaitNanos);
	}

	/**
	 * Notes what the policies decided. If one rejects and no fallback answers, what they
	 * gave {@link Acquisition#earlier} is still to be refunded.
	 * @return whether all policies allow
	 */
	boolean conclude(List<@Nullable RateLimitDecision> decisions) {
		List<AcquisitionEntry> entries = AcquisitionEntry.of(this.unpaid, decisions);
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
			return this.unpaid;
		}
		return Stream.concat(this.unpaid.stream(), this.informing.stream()).toList();
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
