package io.github.ratelimit.test.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * A session with a store of which an outcome may be forced: then each policy is asked by
 * itself.
 */
record ForcedSession(RateLimitSession session) implements RateLimitSession {

	@Override
	public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
		return isForced(questions) ? decideSeparately(questions)
				: this.session.decide(questions.stream().map(ForcedSession::ofStore).toList());
	}

	@Override
	public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
		return isForced(questions) ? CompletableFuture.supplyAsync(() -> decideSeparately(questions))
				: this.session.decideAsync(questions.stream().map(ForcedSession::ofStore).toList());
	}

	@Override
	public boolean isBlocking() {
		return this.session.isBlocking();
	}

	private static boolean isForced(List<Question> questions) {
		return questions.stream()
			.anyMatch((question) -> question.permits() > 0 && question.states() instanceof ForcedStates states
					&& states.isForced());
	}

	private static List<@Nullable RateLimitDecision> decideSeparately(List<Question> questions) {
		List<@Nullable RateLimitDecision> decisions = new ArrayList<>(Collections.nCopies(questions.size(), null));
		for (int i = 0; i < questions.size(); i++) {
			Question question = questions.get(i);
			RateLimitDecision decision = question.withoutDelay()
					? question.states().decideWithoutDelay(question.key(), question.permits())
					: question.states().decide(question.key(), question.permits());
			decisions.set(i, decision);
			if (!decision.allowed()) {
				takeBack(questions, decisions, i);
				break;
			}
		}
		return decisions;
	}

	private static void takeBack(List<Question> questions, List<@Nullable RateLimitDecision> decisions, int rejected) {
		for (int i = rejected - 1; i >= 0; i--) {
			Question question = questions.get(i);
			RateLimitDecision given = decisions.get(i);
			if (given != null) {
				question.states().refund(question.key(), question.permits(), given);
				decisions.set(i, question.states().decide(question.key(), 0));
			}
		}
	}

	private static Question ofStore(Question question) {
		return (question.states() instanceof ForcedStates forced)
				? new Question(forced.states, question.key(), question.permits(), question.withoutDelay()) : question;
	}

	@Override
	public void refund(List<Given> given) {
		List<Given> ofStore = ofStore(given);
		if (!ofStore.isEmpty()) {
			this.session.refund(ofStore);
		}
	}

	@Override
	public CompletionStage<Void> refundAsync(List<Given> given) {
		List<Given> ofStore = ofStore(given);
		return ofStore.isEmpty() ? CompletableFuture.completedStage(null) : this.session.refundAsync(ofStore);
	}

	private static List<Given> ofStore(List<Given> given) {
		return given.stream()
			.filter((each) -> !(each.states() instanceof ForcedStates forced && forced.hasMade(each.decision())))
			.map(ForcedSession::ofStore)
			.toList();
	}

	private static Given ofStore(Given given) {
		return (given.states() instanceof ForcedStates forced)
				? new Given(forced.states, given.key(), given.permits(), given.decision()) : given;
	}

	@Override
	public RateLimitSession call() {
		return new ForcedSession(this.session.call());
	}

}
