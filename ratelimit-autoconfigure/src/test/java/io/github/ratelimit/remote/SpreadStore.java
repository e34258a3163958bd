package io.github.ratelimit.remote;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.RateLimitStore;

/**
 * A store in this process that stands in for one whose policies are on a server each, of
 * which any fails on command, and that keeps what it was asked.
 */
final class SpreadStore implements OneByOneStore {

	/* The servers that do not answer. */
	final Set<String> failing = new HashSet<>();

	/* Why they do not. */
	StoreCallException.Blame blame = StoreCallException.Blame.SERVER;

	/* Whether one call decides on several policies. */
	boolean together;

	/* What happens between the looks and the decisions, once. */
	Runnable meanwhile = () -> {
	};

	/* What happens while permits are refunded. */
	Runnable whenRefunded = () -> {
	};

	private final List<String> asked = new ArrayList<>();

	private final Set<String> servers = new HashSet<>();

	private final RateLimitStore store;

	SpreadStore(RateLimitStore store) {
		this.store = store;
	}

	/**
	 * What the store was asked since the last time.
	 */
	List<String> asked() {
		List<String> since = List.copyOf(this.asked);
		this.asked.clear();
		return since;
	}

	private <T> T call(String server, String what, Supplier<T> answer) {
		this.asked.add(what);
		if (this.failing.contains(server)) {
			throw new StoreCallException(server + " hangs", null, this.blame);
		}
		return answer.get();
	}

	@Override
	public String name() {
		return "spread";
	}

	@Override
	public String displayName() {
		return "The store";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		this.servers.add(policy.name());
		return new States(policy.name(), this.store.open(policy));
	}

	@Override
	public boolean hasSeveralServers() {
		return true;
	}

	@Override
	public String server(PolicyDecider states, String key) {
		return ((States) states).server;
	}

	@Override
	public Set<String> servers() {
		return this.servers;
	}

	@Override
	public boolean decidesTogether(List<PolicyDecider> states) {
		return this.together;
	}

	@Override
	public List<RateLimitDecision> decideTogether(List<Question> questions, Deadline deadline) {
		List<States> states = questions.stream().map((question) -> (States) question.states()).toList();
		String servers = String.join("+", states.stream().map((each) -> each.server).toList());
		return call(this.failing.isEmpty() ? "" : this.failing.iterator().next(), "decide " + servers, () -> {
			boolean all = questions.stream()
				.allMatch((question) -> ((States) question.states()).states.decide(question.key(), 0)
					.remaining() >= question.permits());
			return questions.stream().map((question) -> {
				PolicyDecider each = ((States) question.states()).states;
				RateLimitDecision look = each.decide(question.key(), 0);
				return (all || look.remaining() < question.permits()) ? each.decide(question.key(), question.permits())
						: look;
			}).toList();
		});
	}

	@Override
	public List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline) {
		List<Supplier<RateLimitDecision>> answers = OneByOneStore.super.decideEach(questions, deadline);
		Runnable meanwhile = this.meanwhile;
		this.meanwhile = () -> {
		};
		meanwhile.run();
		return answers;
	}

	@Override
	public List<Supplier<?>> refundEach(List<Given> given, Deadline deadline) {
		this.asked.add("at once:");
		return OneByOneStore.super.refundEach(given, deadline);
	}

	@Override
	public void refundLater(Given given) {
		this.asked.add("later:");
		OneByOneStore.super.refundLater(given);
	}

	@Override
	public Check check() {
		return new Check() {

			@Override
			public Set<String> servers() {
				return SpreadStore.this.servers;
			}

			@Override
			public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
				throw new UnsupportedOperationException();
			}

		};
	}

	private final class States implements PolicyDecider {

		private final String server;

		private final PolicyDecider states;

		States(String server, PolicyDecider states) {
			this.server = server;
			this.states = states;
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return call(this.server, ((permits > 0) ? "take " + permits + " of " : "look at ") + this.server,
					() -> this.states.decide(key, permits));
		}

		@Override
		public RateLimitDecision decideWithoutDelay(String key, long permits) {
			return call(this.server, "take " + permits + " of " + this.server + " at once",
					() -> this.states.decideWithoutDelay(key, permits));
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			SpreadStore.this.whenRefunded.run();
			call(this.server, "refund " + permits + " to " + this.server, () -> {
				this.states.refund(key, permits, given);
				return true;
			});
		}

		@Override
		public void reset(String key) {
			this.states.reset(key);
		}

	}

}
