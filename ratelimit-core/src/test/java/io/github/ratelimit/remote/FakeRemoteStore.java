package io.github.ratelimit.remote;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.remote.StoreCallException.Blame;
import io.github.ratelimit.store.LateCharge;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitDecisions;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.SharedOverrides;
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

	/* What the instances share. */
	@Nullable SharedOverrides overrides;

	boolean closed;

	/* Whether no server answers. */
	volatile boolean fails;

	/* Why they do not. */
	Blame blame = Blame.SERVER;

	/* Whether one call decides on several policies. */
	boolean together;

	/* Whether calls that nobody waits for wait to be answered. */
	boolean slow;

	/* What callers see of a decision. */
	UnaryOperator<RateLimitDecision> view = UnaryOperator.identity();

	/* How its states are asked. */
	UnaryOperator<RemoteDecider> way = UnaryOperator.identity();

	/* What happens once between decisions and their answers. */
	Runnable meanwhile = () -> {
	};

	/* What happens before each refund and reset. */
	Runnable beforeChange = () -> {
	};

	private final List<String> asked = new ArrayList<>();

	private final Map<String, PolicyDecider> opened = new HashMap<>();

	private final Queue<Runnable> held = new ArrayDeque<>();

	private final RateLimitStore store;

	private final boolean spread;

	/* How often somebody has waited. */
	private int waits;

	/* Whether calls were sent, and nobody has waited yet. */
	private boolean sending;

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

	/**
	 * How often somebody has waited for answers since the last time.
	 */
	int waits() {
		int since = this.waits;
		this.waits = 0;
		return since;
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
	public @Nullable SharedOverrides sharedOverrides() {
		return this.overrides;
	}

	@Override
	public void close() {
		this.closed = true;
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
	public RemoteDecider open(RateLimitPolicy policy) {
		String server = this.spread ? policy.name() : "";
		this.servers.add(server);
		return this.way.apply(new FakeDecider(server, Objects.requireNonNull(
				this.opened.computeIfAbsent(policy.name(), (name) -> this.store.open(policy)).under(policy))));
	}

	@Override
	public Set<String> servers() {
		return this.servers;
	}

	@Override
	public Map<String, Call<?>> checks() {
		return this.servers.stream()
			.collect(Collectors.toMap(Function.identity(),
					(server) -> new FakeCall<>(server, "check " + server, () -> true) {

						@Override
						void beginToWait() {
							runMeanwhile();
						}

					}));
	}

	@Override
	public @Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> decisions) {
		List<Decision> asked = decisions.stream().map(Decision.class::cast).toList();
		List<String> servers = asked.stream().map((each) -> each.server).toList();
		String server = servers.stream().filter(this.failing::contains).findFirst().orElse(servers.get(0));
		return !this.together ? null : new FakeCall<>(server, "decide " + String.join("+", servers), () -> {
			boolean all = asked.stream().allMatch(Decision::passes);
			return asked.stream().map((each) -> (all || !each.passes()) ? each.answer.get() : each.look()).toList();
		});
	}

	private class FakeCall<T> implements Call<T> {

		final String server;

		final String what;

		final Supplier<T> answer;

		FakeCall(String server, String what, Supplier<T> answer) {
			this.server = server;
			this.what = what;
			this.answer = answer;
		}

		@Override
		public Answer<T> start(Deadline deadline) {
			boolean posted = isPosted(deadline);
			CompletableFuture<T> answered = new CompletableFuture<>();
			if (posted) {
				FakeRemoteStore.this.held.add(() -> make("later: " + this.what, answered));
				if (!FakeRemoteStore.this.slow) {
					answerAll();
				}
			}
			else {
				FakeRemoteStore.this.sending = true;
				make(this.what, answered);
			}
			return new Answer<>() {

				@Override
				public T await() {
					noteWait();
					try {
						return answered.join();
					}
					catch (CompletionException ex) {
						throw (StoreCallException) ex.getCause();
					}
				}

				/* By another thread, as from a network. */
				@Override
				public <U> CompletionStage<U> later(Supplier<U> next) {
					if (!posted) {
						noteWait();
					}
					return answered.handleAsync((answer, failure) -> next.get(),
							posted ? Runnable::run : (task) -> new Thread(task).start());
				}

				@Override
				public void whenOver(Runnable next) {
					answered.whenComplete((answer, failure) -> next.run());
				}

			};
		}

		private void noteWait() {
			boolean first = FakeRemoteStore.this.sending;
			FakeRemoteStore.this.sending = false;
			if (first) {
				FakeRemoteStore.this.waits++;
				beginToWait();
			}
		}

		static boolean isPosted(Deadline deadline) {
			return deadline.timeout() == PostedCalls.MAX_WAIT;
		}

		void make(String what, CompletableFuture<T> answered) {
			try {
				answered.complete(call(this.server, what, this.answer));
			}
			catch (StoreCallException ex) {
				answered.completeExceptionally(ex);
			}
		}

		void beginToWait() {
		}

	}

	private final class Decision extends FakeCall<RateLimitDecision> {

		private final PolicyDecider states;

		private final String key;

		private final long permits;

		Decision(String server, String what, PolicyDecider states, String key, long permits, boolean withoutDelay) {
			super(server, what, () -> FakeRemoteStore.this.view
				.apply(withoutDelay ? states.decideWithoutDelay(key, permits) : states.decide(key, permits)));
			this.states = states;
			this.key = key;
			this.permits = permits;
		}

		RateLimitDecision look() {
			return this.states.decide(this.key, 0);
		}

		boolean passes() {
			return look().remaining() >= this.permits;
		}

		@Override
		void beginToWait() {
			runMeanwhile();
		}

	}

	private void runMeanwhile() {
		Runnable running = this.meanwhile;
		this.meanwhile = () -> {
		};
		running.run();
	}

	private final class Change<T extends @Nullable Object> extends FakeCall<T> {

		Change(String server, String what, Supplier<T> change) {
			super(server, what, change);
		}

		@Override
		public Answer<T> start(Deadline deadline) {
			if (!FakeRemoteStore.this.sending && this.what.startsWith("refund") && !isPosted(deadline)) {
				FakeRemoteStore.this.asked.add("at once:");
			}
			return super.start(deadline);
		}

		@Override
		void make(String what, CompletableFuture<T> answered) {
			FakeRemoteStore.this.beforeChange.run();
			super.make(what, answered);
		}

	}

	final class FakeDecider implements RemoteDecider {

		private final String server;

		final PolicyDecider states;

		FakeDecider(String server, PolicyDecider states) {
			this.server = server;
			this.states = states;
		}

		private Change<Void> change(String what, Runnable change) {
			return new Change<>(this.server, what + this.server, () -> {
				change.run();
				return null;
			});
		}

		@Override
		public String server(String key) {
			return this.server;
		}

		@Override
		public Decision decide(String key, long permits, boolean withoutDelay) {
			String what = (permits > 0 || withoutDelay) ? "take " + permits + " of " : "look at ";
			return new Decision(this.server, what + this.server + (withoutDelay ? " at once" : ""), this.states, key,
					permits, withoutDelay);
		}

		@Override
		public boolean joins() {
			return true;
		}

		@Override
		public Call<List<RateLimitDecision>> decideAll(String key, long[] permits, boolean withoutDelay) {
			return new FakeCall<>(this.server, "take " + Arrays.toString(permits) + " of " + this.server,
					() -> LongStream.of(permits)
						.mapToObj((each) -> decide(key, each, withoutDelay).answer.get())
						.toList());
		}

		@Override
		public Change<Void> refund(String key, long permits, RateLimitDecision given) {
			return change("refund " + permits + " to ", () -> this.states.refund(key, permits, given));
		}

		@Override
		public Change<@Nullable LateCharge> charge(String key, long permits) {
			return new Change<>(this.server, "charge " + permits + " of " + this.server,
					() -> this.states.settle(key, 0, permits, RateLimitDecisions.allowed(0, 0, 0, 0, 0)));
		}

		@Override
		public Change<Void> reset(String key) {
			return change("reset ", () -> this.states.reset(key));
		}

	}

}
