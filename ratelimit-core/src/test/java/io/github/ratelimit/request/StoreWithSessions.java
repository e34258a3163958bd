package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * A store that decides for several policies in one step, as one behind a network does,
 * and that keeps what it was asked.
 */
public final class StoreWithSessions implements RateLimitStore {

	/* What was asked, each list in one step. */
	final List<List<RateLimitSession.Question>> asked = new ArrayList<>();

	/* What was refunded, each list in one step. */
	final List<List<RateLimitSession.Given>> given = new ArrayList<>();

	/* Which sessions were opened: {@code request}, or {@code call} within one. */
	final List<String> opened = new ArrayList<>();

	private final RateLimitStore states;

	public StoreWithSessions(RateLimitStore states) {
		this.states = states;
	}

	@Override
	public String name() {
		return "joint";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		return this.states.open(policy);
	}

	@Override
	public Supplier<RateLimitSession> sessions() {
		return () -> open("request");
	}

	private RateLimitSession open(String kind) {
		this.opened.add(kind);
		return new Session();
	}

	private final class Session implements RateLimitSession {

		@Override
		public List<@Nullable RateLimitDecision> decide(List<Question> questions) {
			StoreWithSessions.this.asked.add(List.copyOf(questions));
			for (int i = 0; i < questions.size(); i++) {
				Question question = questions.get(i);
				if (question.decider().decide(question.key(), 0).remaining() < question.permits()) {
					List<@Nullable RateLimitDecision> decisions = new ArrayList<>(
							Collections.nCopies(questions.size(), null));
					decisions.set(i, answer(question));
					return decisions;
				}
			}
			return new ArrayList<>(questions.stream().map(this::answer).toList());
		}

		private RateLimitDecision answer(Question question) {
			return question.withoutDelay() ? question.decider().decideWithoutDelay(question.key(), question.permits())
					: question.decider().decide(question.key(), question.permits());
		}

		@Override
		public void refund(List<Given> given) {
			StoreWithSessions.this.given.add(List.copyOf(given));
			for (int i = given.size() - 1; i >= 0; i--) {
				Given last = given.get(i);
				last.decider().refund(last.key(), last.permits(), last.decision());
			}
		}

		@Override
		public RateLimitSession call() {
			return open("call");
		}

	}

}
