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
		if (isForced(questions)) {
			return decideSeparately(questions);
		}
		return this.session.decide(questions.stream().map(ForcedSession::ofStore).toList());
	}

	@Override
	public CompletionStage<List<@Nullable RateLimitDecision>> decideAsync(List<Question> questions) {
		if (isForced(questions)) {
			return CompletableFuture.supplyAsync(() -> decideSeparately(questions));
		}
		return this.session.decideAsync(questions.stream().map(ForcedSession::ofStore).toList());
	}

	@Override
	public boolean isBlocking() {
		return this.session.isBlocking();
	}

	private static boolean isForced(List<Question> questions) {
		return questions.stream()
			.anyMatch((question) -> question.permits() > 0 && question.decider() instanceof ForcedDecider forced
					&& forced.isForced());
	}

	private static List<@Nullable RateLimitDecision> decideSeparately(List<Question> questions) {
		List<@Nullable RateLimitDecision> decisions = new ArrayList<>(Collections.nCopies(questions.size(), null));
		for (int i = 0; i < questions.size(); i++) {
			Question question = questions.get(i);
			RateLimitDecision decision = decide(question);
			decisions.set(i, decision);

			if (!decision.allowed()) {
				takeBack(questions, decisions, i);
				break;
			}
		}
		return decisions;
	}

	private static RateLimitDecision decide(Question question) {
		if (question.withoutDelay()) {
			return question.decider().decideWithoutDelay(question.key(), question.permits());
		}
		return question.decider().decide(question.key(), question.permits());
	}

	private static void takeBack(List<Question> questions, List<@Nullable RateLimitDecision> decisions, int rejected) {
		for (int i = rejected - 1; i >= 0; i--) {
			Question question = questions.get(i);
			RateLimitDecision given = decisions.get(i);
			if (given != null) {
				question.decider().refund(question.key(), question.permits(), given);
				decisions.set(i, question.decider().decide(question.key(), 0));
			}
		}
	}

	private static Question ofStore(Question question) {
		if (question.decider() instanceof ForcedDecider forced) {
			return Question.of(forced.decider, question.key(), question.permits(), question.withoutDelay());
		}
		return question;
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
		if (ofStore.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		return this.session.refundAsync(ofStore);
	}

	private static List<Given> ofStore(List<Given> given) {
		return given.stream()
			.filter((each) -> !(each.decider() instanceof ForcedDecider forced && forced.hasMade(each.decision())))
			.map(ForcedSession::ofStore)
			.toList();
	}

	private static Given ofStore(Given given) {
		if (given.decider() instanceof ForcedDecider forced) {
			return new Given(forced.decider, given.key(), given.permits(), given.decision());
		}
		return given;
	}

	@Override
	public RateLimitSession call() {
		return new ForcedSession(this.session.call());
	}

}
