package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import org.jspecify.annotations.Nullable;
import org.mockito.stubbing.Answer;

/**
 * A store over a network that asks one server after the other.
 */
interface OneByOneStore extends RemoteStore {

	@Override
	default List<Answer> decideEach(List<Question> questions, Deadline deadline) {
		List<Answer> answers = new ArrayList<>(questions.size());
		for (Question question : questions) {
			try {
				answers.add(Answer.of(question.withoutDelay()
						? question.states().decideWithoutDelay(question.key(), question.permits())
						: question.states().decide(question.key(), question.permits())));
			}
			catch (StoreCallException ex) {
				answers.add(Answer.of(ex));
			}
		}
		return answers;
	}

	@Override
	default List<@Nullable StoreCallException> refundEach(List<Given> given, Deadline deadline) {
		List<@Nullable StoreCallException> failures = new ArrayList<>(given.size());
		for (Given each : given) {
			try {
				each.states().refund(each.key(), each.permits(), each.decision());
				failures.add(null);
			}
			catch (StoreCallException ex) {
				failures.add(ex);
			}
		}
		return failures;
	}

	@Override
	default void refundLater(Given given) {
		try {
			given.states().refund(given.key(), given.permits(), given.decision());
		}
		catch (StoreCallException ex) {
			// The permits stay taken.
		}
	}

}
