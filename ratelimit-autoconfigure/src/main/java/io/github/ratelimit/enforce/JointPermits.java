package io.github.ratelimit.enforce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits for one request from a store that answers for several policies at once.
 */
final class JointPermits {

	private final Supplier<RateLimitSession> sessions;

	private final RateLimitSession session;

	JointPermits(Supplier<RateLimitSession> sessions, RateLimitSession session) {
		this.sessions = sessions;
		this.session = session;
	}

	/**
	 * What a call within the request takes.
	 */
	JointPermits call() {
		return new JointPermits(this.sessions, this.session.call());
	}

	/**
	 * Whether all policies are asked of this store.
	 */
	boolean servesAll(List<PermitRequest> requests) {
		for (PermitRequest request : requests) {
			if (request.limiter().sessions != this.sessions) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Takes from all policies or from none.
	 * @param requests what to ask of each policy; those of one policy and key are one
	 * question
	 * @param atOnce which policies must not make the request wait
	 * @return what each policy gave; if one rejects, its rejection alone
	 */
	List<Acquisition.Entry> take(List<PermitRequest> requests, Predicate<PermitRequest> atOnce) {
		List<Acquisition.Entry> entries = ask(requests, atOnce);
		for (Acquisition.Entry entry : entries) {
			if (!entry.decision().allowed()) {
				report(entry, RateLimitOutcome.of(entry.decision()));
				reportOtherBans(entries, entry.decision());
				return List.of(entry);
			}
		}
		entries.forEach((entry) -> report(entry, RateLimitOutcome.of(entry.decision())));
		return entries;
	}

	/*
	 * A policy that was not asked has no entry.
	 */
	private List<Acquisition.Entry> ask(List<PermitRequest> requests, Predicate<PermitRequest> atOnce) {
		List<RateLimitSession.Question> questions = new ArrayList<>(requests.size());
		int[] numbers = new int[requests.size()];
		PermitRequest[] asked = new PermitRequest[numbers.length];
		for (int i = 0; i < numbers.length; i++) {
			PermitRequest request = inOneVersion(requests, i);
			asked[i] = request;
			numbers[i] = add(questions,
					request.version().question(request.key(), request.permits(), atOnce.test(request)));
		}
		List<@Nullable RateLimitDecision> decisions = this.session.decide(questions);
		List<Acquisition.Entry> entries = new ArrayList<>(numbers.length);
		for (int i = 0; i < numbers.length; i++) {
			RateLimitDecision decision = decisions.get(numbers[i]);
			if (decision != null) {
				entries.add(new Acquisition.Entry(asked[i], decision));
			}
		}
		return entries;
	}

	/*
	 * Between two places that ask of one policy and key the policy may have changed.
	 */
	private static PermitRequest inOneVersion(List<PermitRequest> requests, int index) {
		PermitRequest request = requests.get(index);
		for (int i = 0; i < index; i++) {
			if (requests.get(i).isSameState(request)) {
				return request.in(requests.get(i).version());
			}
		}
		return request;
	}

	private static int add(List<RateLimitSession.Question> questions, RateLimitSession.Question question) {
		for (int i = 0; i < questions.size(); i++) {
			RateLimitSession.Question earlier = questions.get(i);
			if (earlier.states() == question.states() && earlier.key().equals(question.key())) {
				questions.set(i, new RateLimitSession.Question(earlier.states(), earlier.key(),
						sum(earlier.permits(), question.permits()), earlier.atOnce()));
				return i;
			}
		}
		questions.add(question);
		return questions.size() - 1;
	}

	private static long sum(long permits, long more) {
		return (permits <= Long.MAX_VALUE - more) ? permits + more : Long.MAX_VALUE;
	}

	/*
	 * Of several rejections only the first is what became of the request, but each may
	 * begin a ban. Entries of one question have one decision.
	 */
	private static void reportOtherBans(List<Acquisition.Entry> entries, RateLimitDecision reported) {
		for (int i = 0; i < entries.size(); i++) {
			RateLimitDecision decision = entries.get(i).decision();
			if (decision != reported && decision.newBan() > 0
					&& entries.subList(0, i).stream().noneMatch((earlier) -> earlier.decision() == decision)) {
				PermitRequest request = entries.get(i).request();
				request.version().reportNewBan(request.key(), decision);
			}
		}
	}

	private static void report(Acquisition.Entry entry, RateLimitOutcome outcome) {
		PermitRequest request = entry.request();
		if (request.permits() > 0) {
			if (outcome != RateLimitOutcome.RETURNED) {
				request.limiter().observe(request.key(), request.permits());
			}
			request.version().report(request.key(), entry.decision(), outcome);
		}
	}

	/**
	 * Gives back what was taken.
	 * @param entries what was taken, in order
	 * @return how each policy stands then
	 */
	List<Acquisition.Entry> giveBack(List<Acquisition.Entry> entries) {
		List<RateLimitSession.Given> given = new ArrayList<>(entries.size());
		entries.stream().filter((entry) -> entry.taken() > 0).forEach((entry) -> add(given, entry));
		if (!given.isEmpty()) {
			this.session.giveBack(given);
		}
		for (int i = entries.size() - 1; i >= 0; i--) {
			if (entries.get(i).taken() > 0) {
				report(entries.get(i), RateLimitOutcome.RETURNED);
			}
		}
		return entries.isEmpty() ? entries
				: ask(entries.stream().map((entry) -> entry.request().asLook()).toList(), (request) -> false);
	}

	/*
	 * What was one question was one decision, and is given back as such.
	 */
	private static void add(List<RateLimitSession.Given> given, Acquisition.Entry entry) {
		PermitRequest request = entry.request();
		for (int i = 0; i < given.size(); i++) {
			RateLimitSession.Given earlier = given.get(i);
			if (earlier.decision() == entry.decision()) {
				given.set(i, new RateLimitSession.Given(earlier.states(), earlier.key(),
						sum(earlier.permits(), request.permits()), earlier.decision()));
				return;
			}
		}
		given.add(request.version().given(request.key(), request.permits(), entry.decision()));
	}

}
