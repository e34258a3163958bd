package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits for one request from several policies, all or nothing, and reports what
 * becomes of it.
 */
final class JointPermits {

	private JointPermits() {
	}

	/**
	 * Takes from all policies or from none.
	 * @param session asks them
	 * @param requests what to ask of each policy, of each policy and key once
	 * @param longestWaitNanos which delay a policy may have at most to make the request
	 * wait
	 * @return what each policy gave; if one rejects, its rejection alone
	 */
	static List<Acquisition.Entry> take(RateLimitSession session, List<PermitRequest> requests, long longestWaitNanos) {
		List<Acquisition.Entry> entries = ask(session, requests, longestWaitNanos);
		for (Acquisition.Entry entry : entries) {
			if (!entry.decision().allowed()) {
				report(entry, RateLimitOutcome.of(entry.decision()));
				reportOtherBans(entries, entry);
				return List.of(entry);
			}
		}
		entries.forEach((entry) -> report(entry, RateLimitOutcome.of(entry.decision())));
		return entries;
	}

	/*
	 * A policy that was not asked has no entry.
	 */
	private static List<Acquisition.Entry> ask(RateLimitSession session, List<PermitRequest> requests,
			long longestWaitNanos) {
		List<RateLimitSession.Question> questions = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			boolean withoutDelay = request.version().longestDelayNanos() > longestWaitNanos;
			questions.add(request.version().question(request.key(), request.permits(), withoutDelay));
		}
		List<@Nullable RateLimitDecision> decisions = session.decide(questions);
		List<Acquisition.Entry> entries = new ArrayList<>(requests.size());
		for (int i = 0; i < requests.size(); i++) {
			RateLimitDecision decision = decisions.get(i);
			if (decision != null) {
				entries.add(new Acquisition.Entry(requests.get(i), decision));
			}
		}
		return entries;
	}

	/*
	 * Of several rejections only the first is what became of the request, but each may
	 * begin a ban.
	 */
	private static void reportOtherBans(List<Acquisition.Entry> entries, Acquisition.Entry reported) {
		for (Acquisition.Entry entry : entries) {
			if (entry != reported) {
				entry.request().version().reportNewBan(entry.request().key(), entry.decision());
			}
		}
	}

	private static void report(Acquisition.Entry entry, RateLimitOutcome outcome) {
		PermitRequest request = entry.request();
		if (request.permits() > 0) {
			request.version().report(request.key(), request.permits(), entry.decision(), outcome);
		}
	}

	/**
	 * Refunds what was taken.
	 * @param session has taken it
	 * @param entries what was taken, in order
	 * @return how each policy stands then
	 */
	static List<Acquisition.Entry> refund(RateLimitSession session, List<Acquisition.Entry> entries) {
		List<RateLimitSession.Given> given = new ArrayList<>(entries.size());
		for (Acquisition.Entry entry : entries) {
			if (entry.taken() > 0) {
				given.add(entry.request().version().given(entry.request().key(), entry.taken(), entry.decision()));
			}
		}
		if (!given.isEmpty()) {
			session.refund(given);
		}
		for (int i = entries.size() - 1; i >= 0; i--) {
			if (entries.get(i).taken() > 0) {
				report(entries.get(i), RateLimitOutcome.RETURNED);
			}
		}
		return ask(session, Ledger.distinct(entries.stream().map((entry) -> entry.request().asLook()).toList()),
				Long.MAX_VALUE);
	}

	/**
	 * Asks policies one after the other, of a store that does not answer for several at
	 * once.
	 */
	enum SeparateSession implements RateLimitSession {

		INSTANCE;

		/*
		 * A look at all policies first keeps a request that a later policy rejects from
		 * writing to the earlier ones, so that an attacker cannot buy work with it.
		 */
		@Override
		public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
			@Nullable RateLimitDecision[] answers = new RateLimitDecision[questions.size()];
			List<Given> given = new ArrayList<>(answers.length);
			int hopeless = (answers.length > 1) ? firstHopeless(questions) : 0;
			for (int i = 0; i < answers.length; i++) {
				int index = (i == 0) ? hopeless : (i <= hopeless) ? i - 1 : i;
				Question question = questions.get(index);
				RateLimitDecision answer = ask(question, question.permits());
				if (!answer.allowed()) {
					refund(given);
					Arrays.fill(answers, null);
					answers[index] = answer;
					break;
				}
				answers[index] = answer;
				given.add(new Given(question.states(), question.key(), question.permits(), answer));
			}
			return Arrays.asList(answers);
		}

		private static int firstHopeless(List<Question> questions) {
			for (int i = 0; i < questions.size(); i++) {
				Question question = questions.get(i);
				if (ask(question, 0).remaining() < question.permits()) {
					return i;
				}
			}
			return 0;
		}

		private static RateLimitDecision ask(Question question, long permits) {
			return question.withoutDelay() ? question.states().decideWithoutDelay(question.key(), permits)
					: question.states().decide(question.key(), permits);
		}

		/*
		 * The last is refunded first: a place in a queue can be refunded only by the last
		 * in it.
		 */
		@Override
		public void refund(List<Given> given) {
			for (int i = given.size() - 1; i >= 0; i--) {
				Given last = given.get(i);
				if (last.permits() > 0) {
					last.states().refund(last.key(), last.permits(), last.decision());
				}
			}
		}

		@Override
		public RateLimitSession call() {
			return this;
		}

	}

}
