package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;

/**
 * A store over a network that asks one server after the other.
 */
interface OneByOneStore extends RemoteStore {

	@Override
	default List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline) {
		return questions.stream()
			.map((question) -> answer(() -> question.withoutDelay()
					? question.states().decideWithoutDelay(question.key(), question.permits())
					: question.states().decide(question.key(), question.permits())))
			.toList();
	}

	@Override
	default List<Supplier<?>> refundEach(List<Given> given, Deadline deadline) {
		List<Supplier<?>> answers = new ArrayList<>();
		given.forEach((each) -> answers.add(refund(each)));
		return answers;
	}

	@Override
	default void refundLater(Given given) {
		refund(given);
	}

	private static Supplier<?> refund(Given given) {
		return answer(() -> {
			given.states().refund(given.key(), given.permits(), given.decision());
			return true;
		});
	}

	private static <T> Supplier<T> answer(Supplier<T> call) {
		try {
			T answer = call.get();
			return () -> answer;
		}
		catch (StoreCallException ex) {
			return () -> {
				throw ex;
			};
		}
	}

}
