package io.github.ratelimit.remote;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;
import io.github.ratelimit.store.RateLimitStore;
import org.jspecify.annotations.Nullable;

/**
 * A store in this process that stands in for one that is reached over a network: it keeps
 * what it was asked, and fails on command. It has one server, or one for each policy.
 */
final class FakeRemoteStore implements RemoteStore {

	/* The servers that there are. */
	final Set<String> servers = new HashSet<>(Set.of(""));

	/* Those that do not answer. */
	final Set<String> failing = new HashSet<>();

	/* What the next calls of a server fail with. */
	final Map<String, Queue<StoreCallException>> failures = new HashMap<>();

	/* Whether no server answers. */
	volatile boolean fails;

	/* Why they do not. */
	Blame blame = Blame.SERVER;

	/* Whether one call decides on several policies. */
	boolean together;

	/* Whether settlements that nobody waits for wait to be answered. */
	boolean slow;

	/* What settlements fail with before there is an answer to wait for. */
	@Nullable Throwable abrupt;

	/* What callers see of a decision. */
	UnaryOperator<RateLimitDecision> view = UnaryOperator.identity();

	/* What happens once between decisions and their answers. */
	Runnable meanwhile = () -> {
	};

	/* What happens before each refund and reset. */
	Runnable beforeChange = () -> {
	};

	private final List<String> asked = new ArrayList<>();

	private final Queue<Runnable> held = new ArrayDeque<>();

	private final RateLimitStore store;

	private final boolean spread;

	/**
	 * Creates a store.
	 * @param store decides
	 * @param spread whether each policy is on a server that has its name
	 */
	FakeRemoteStore(RateLimitStore store, boolean spread) {
		this.store = store;
		this.spread = spread;
		if (spread) {
			this.servers.clear();
		}
	}

	/**
	 * What the store was asked since the last time.
	 */
	List<String> asked() {
		List<String> since = List.copyOf(this.asked);
		this.asked.clear();
		return since;
	}

	/**
	 * How often the store was called since the last time.
	 */
	int calls() {
		return asked().size();
	}

	void answerAll() {
		while (!this.held.isEmpty()) {
			this.held.remove().run();
		}
	}

	private <T> T call(String server, String what, Supplier<T> answer) {
		this.asked.add(what);
		StoreCallException failure = this.failures.getOrDefault(server, new ArrayDeque<>()).poll();
		if (failure != null) {
			throw failure;
		}
		if (this.fails || this.failing.contains(server)) {
			throw new StoreCallException(server.isEmpty() ? "the cable is cut" : server + " hangs", null, this.blame);
		}
		return answer.get();
	}

	@Override
	public String name() {
		return "grid";
	}

	@Override
	public String displayName() {
		return "The grid";
	}

	@Override
	public String address() {
		return "grid:7000";
	}

	@Override
	public PolicyDecider open(RateLimitPolicy policy) {
		String server = this.spread ? policy.name() : "";
		this.servers.add(server);
		return new States(server, this.store.open(policy));
	}

	@Override
	public boolean hasSeveralServers() {
		return this.spread;
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
	public Check check() {
		return new Check() {

			@Override
			public Set<String> servers() {
				return FakeRemoteStore.this.servers;
			}

			@Override
			public Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline) {
				Map<String, StoreCallException> failures = new HashMap<>();
				for (String server : servers) {
					answer(() -> call(server, "check " + server, () -> true)).whenFailed(failures, server);
				}
				return failures;
			}

		};
	}

	@Override
	public boolean decidesTogether(List<PolicyDecider> states) {
		return this.together;
	}

	@Override
	public List<RateLimitDecision> decideTogether(List<Question> questions, Deadline deadline) {
		List<String> servers = questions.stream().map((question) -> ((States) question.states()).server).toList();
		String asked = servers.stream().filter(this.failing::contains).findFirst().orElse(servers.get(0));
		return call(asked, "decide " + String.join("+", servers), () -> {
			boolean all = questions.stream().allMatch((question) -> look(question).remaining() >= question.permits());
			return questions.stream().map((question) -> {
				RateLimitDecision look = look(question);
				return (all || look.remaining() < question.permits())
						? ((States) question.states()).states.decide(question.key(), question.permits()) : look;
			}).toList();
		});
	}

	private static RateLimitDecision look(Question question) {
		return ((States) question.states()).states.decide(question.key(), 0);
	}

	@Override
	public List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline) {
		List<Supplier<RateLimitDecision>> answers = new ArrayList<>();
		for (Question question : questions) {
			answers.add(answer(() -> question.withoutDelay()
					? question.states().decideWithoutDelay(question.key(), question.permits())
					: question.states().decide(question.key(), question.permits())));
		}
		Runnable meanwhile = this.meanwhile;
		this.meanwhile = () -> {
		};
		meanwhile.run();
		return answers;
	}

	@Override
	public List<Supplier<?>> refundEach(List<Given> given, Deadline deadline) {
		this.asked.add("at once:");
		List<Supplier<?>> answers = new ArrayList<>();
		given.forEach((each) -> answers.add(refund(each)));
		return answers;
	}

	@Override
	public void refundLater(Given given) {
		this.asked.add("later:");
		refund(given);
	}

	private static Answer<?> refund(Given given) {
		return answer(() -> {
			given.states().refund(given.key(), given.permits(), given.decision());
			return true;
		});
	}

	private static <T> Answer<T> answer(Supplier<T> call) {
		try {
			return new Answer<>(call.get(), null);
		}
		catch (StoreCallException ex) {
			return new Answer<>(null, ex);
		}
	}

	private record Answer<T>(@Nullable T value, @Nullable StoreCallException failure) implements Supplier<T> {

		@Override
		public T get() {
			if (this.failure != null) {
				throw this.failure;
			}
			return this.value;
		}

		void whenFailed(Map<String, StoreCallException> failures, String server) {
			if (this.failure != null) {
				failures.put(server, this.failure);
			}
		}

	}

	private final class States implements PolicyDecider {

		private final String server;

		private final PolicyDecider states;

		States(String server, PolicyDecider states) {
			this.server = server;
			this.states = states;
		}

		private void change(String what, Runnable change) {
			call(this.server, what + this.server, () -> {
				change.run();
				return true;
			});
		}

		@Override
		public RateLimitDecision decide(String key, long permits) {
			return FakeRemoteStore.this.view
				.apply(call(this.server, ((permits > 0) ? "take " + permits + " of " : "look at ") + this.server,
						() -> this.states.decide(key, permits)));
		}

		@Override
		public RateLimitDecision decideWithoutDelay(String key, long permits) {
			return FakeRemoteStore.this.view
				.apply(call(this.server, "take " + permits + " of " + this.server + " at once",
						() -> this.states.decideWithoutDelay(key, permits)));
		}

		@Override
		public @Nullable PolicyDecider under(RateLimitPolicy policy) {
			return FakeRemoteStore.this.spread ? null : new States(this.server, this.states.under(policy));
		}

		@Override
		public boolean bans() {
			return this.states.bans();
		}

		@Override
		public void refund(String key, long permits, RateLimitDecision given) {
			FakeRemoteStore.this.beforeChange.run();
			change("refund " + permits + " to ", () -> this.states.refund(key, permits, given));
		}

		@Override
		public void settle(String key, long reserved, long used, RateLimitDecision given) {
			change("settle " + used + " of ", () -> this.states.settle(key, reserved, used, given));
		}

		@Override
		public CompletionStage<Void> settleAsync(String key, long reserved, long used, RateLimitDecision given) {
			if (FakeRemoteStore.this.abrupt instanceof Error error) {
				throw error;
			}
			if (FakeRemoteStore.this.abrupt instanceof RuntimeException exception) {
				throw exception;
			}
			CompletableFuture<Void> answer = new CompletableFuture<>();
			FakeRemoteStore.this.held.add(() -> {
				try {
					settle(key, reserved, used, given);
					answer.complete(null);
				}
				catch (StoreCallException ex) {
					answer.completeExceptionally(ex);
				}
			});
			if (!FakeRemoteStore.this.slow) {
				answerAll();
			}
			return answer;
		}

		@Override
		public void reset(String key) {
			FakeRemoteStore.this.beforeChange.run();
			change("reset ", () -> this.states.reset(key));
		}

	}

}
