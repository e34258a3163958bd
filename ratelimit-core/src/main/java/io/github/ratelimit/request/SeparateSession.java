package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * Asks policies one after the other, of a store that does not answer for several at once.
 */
enum SeparateSession implements RateLimitSession {

	INSTANCE;

	/*
	 * A look at all policies first keeps a request that a later policy rejects from
	 * writing to the earlier ones, so that an attacker cannot buy work with it.
	 */
	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		List<Given> given = new ArrayList<>(questions.size());
		List<@Nullable RateLimitDecision> answers;
		try {
			answers = decide(questions, given);
		}
		catch (RuntimeException | Error ex) {
			refundAfter(ex, given);
			throw ex;
		}

		boolean rejected = given.size() < questions.size();
		if (rejected) {
			refund(given);
		}
		return answers;
	}

	private void refundAfter(Throwable failure, List<Given> given) {
		try {
			refund(given);
		}
		catch (RuntimeException | Error ex) {
			// a store may throw the same one always
			if (ex != failure) {
				failure.addSuppressed(ex);
			}
		}
	}

	/*
	 * Adds what each has given, until one rejects or fails.
	 */
	private List<@Nullable RateLimitDecision> decide(List<Question> questions, List<Given> given) {
		@Nullable RateLimitDecision[] answers = new RateLimitDecision[questions.size()];
		int first = firstHopeless(questions);
		for (int turn = 0; turn < answers.length; turn++) {
			int index = index(turn, first);
			Question question = questions.get(index);
			RateLimitDecision answer = ask(question, question.permits());

			if (!answer.allowed()) {
				Arrays.fill(answers, null);
				answers[index] = answer;
				break;
			}

			answers[index] = answer;
			given.add(new Given(question.decider(), question.key(), question.permits(), answer));
		}
		return Arrays.asList(answers);
	}

	/* A question goes first, and the others follow in their order. */
	private static int index(int turn, int first) {
		if (turn == 0) {
			return first;
		}
		return (turn <= first) ? turn - 1 : turn;
	}

	/* A single question is asked without a look. */
	private static int firstHopeless(List<Question> questions) {
		if (questions.size() < 2) {
			return 0;
		}
		for (int i = 0; i < questions.size(); i++) {
			Question question = questions.get(i);
			if (question.lacksPermits(ask(question, 0))) {
				return i;
			}
		}
		return 0;
	}

	private static RateLimitDecision ask(Question question, long permits) {
		if (question.withoutDelay()) {
			return question.decider().decideWithoutDelay(question.key(), permits);
		}
		return question.decider().decide(question.key(), permits);
	}

	/*
	 * The last is refunded first: a position in a queue can be refunded only by the last
	 * in it.
	 */
	@Override
	public void refund(List<Given> given) {
		for (int i = given.size() - 1; i >= 0; i--) {
			Given last = given.get(i);
			if (last.permits() > 0) {
				last.decider().refund(last.key(), last.permits(), last.decision());
			}
		}
	}

	@Override
	public RateLimitSession call() {
		return this;
	}

}
