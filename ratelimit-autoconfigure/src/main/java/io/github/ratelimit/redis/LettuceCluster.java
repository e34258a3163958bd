package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.github.ratelimit.BackgroundThreads;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The servers of a cluster, each with a connection of its own, so that a failure of one
 * concerns no other.
 * <p>
 * Which of them has a slot is asked of the cluster again when a call fails or is sent
 * elsewhere, at most once a second, in the background: the application's client would by
 * itself never ask again, and its own way of asking waits for the servers that are dead.
 */
final class LettuceCluster extends LettuceScriptRunner {

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-redis-connect");

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private static final long PAUSE_MILLIS = 1000;

	/*
	 * In pauses: the client's own way is slow, and logs each failure.
	 */
	private static final int SEEDS_EVERY = 10;

	private final Map<String, LettuceNode> nodes = new ConcurrentHashMap<>();

	private final AtomicBoolean suspecting = new AtomicBoolean();

	private final LettuceClusterClient client;

	private volatile @Nullable LettuceNode @Nullable [] slots;

	private @Nullable CompletableFuture<Void> loading;

	private @Nullable Thread loader;

	private int unanswered;

	private volatile boolean closed;

	LettuceCluster(LettuceConnectionFactory factory) {
		this.client = new LettuceClusterClient(factory);
	}

	@Override
	public boolean isCluster() {
		return true;
	}

	@Override
	public void connect() {
		load();
	}

	/*
	 * Once for all callers meanwhile, and on a thread of its own, because the client has
	 * longer time-outs than a decision.
	 */
	private synchronized CompletableFuture<Void> load() {
		if (this.loading == null || this.loading.isCompletedExceptionally()) {
			this.loading = CompletableFuture.runAsync(() -> {
				accept(new ClusterView().add(this.client.seeds(), null));
				owners().forEach(LettuceNode::connect);
			}, this::begin);
		}
		return this.loading;
	}

	private synchronized void begin(Runnable task) {
		this.loader = THREADS.newThread(task);
		this.loader.start();
	}

	@Override
	@Nullable LettuceNode known(byte[] key) {
		@Nullable LettuceNode[] known = this.slots;
		return (known != null) ? known[SlotHash.getSlot(key)] : null;
	}

	@Override
	CompletionStage<LettuceNode> find(byte[] key) {
		return load().thenApply((loaded) -> {
			LettuceNode node = known(key);
			if (node == null) {
				suspect();
				throw new StoreCallException("no server is known to have the key's hash slot", null,
						StoreCallException.Blame.SERVER);
			}
			return node;
		});
	}

	@Override
	LettuceNode redirected(LettuceNode node, String address) {
		int colon = address.lastIndexOf(':');
		String host = address.substring(0, colon);
		boolean same = host.isEmpty() || host.equals("?");
		return node((same ? host(node.name()) : host) + address.substring(colon));
	}

	private LettuceNode node(String address) {
		return this.nodes.computeIfAbsent(address,
				(name) -> new LettuceNode(name, () -> this.client.connect(host(name), port(name)), this.scheduler));
	}

	private static String host(String address) {
		return address.substring(0, address.lastIndexOf(':'));
	}

	private static int port(String address) {
		return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
	}

	@Override
	void suspect() {
		if (this.slots != null && !this.closed && this.suspecting.compareAndSet(false, true)) {
			this.scheduler.execute(this::refresh);
		}
	}

	/*
	 * Again and again, until all servers that have slots answer: a replica may be about
	 * to take the place of one that does not.
	 */
	private void refresh() {
		boolean well = false;
		try {
			well = ask();
		}
		catch (RuntimeException ex) {
			// It is asked again.
		}
		finally {
			if (well) {
				this.scheduler.schedule(() -> this.suspecting.set(false), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			}
			else {
				this.scheduler.schedule(this::refresh, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			}
		}
	}

	private boolean ask() {
		Set<LettuceNode> owners = owners();
		Map<String, String> answers = ask(owners);
		boolean well = answers.size() == owners.size();
		if (answers.isEmpty()) {
			answers = ask(this.nodes.values().stream().filter((node) -> !owners.contains(node)).toList());
		}
		ClusterView view = new ClusterView();
		answers.forEach((address, answer) -> view.add(ClusterPartitionParser.parse(answer), address));
		if (!view.isEmpty()) {
			this.unanswered = 0;
		}
		else if (this.unanswered++ % SEEDS_EVERY == 0) {
			view.add(this.client.refreshedSeeds(), null);
		}
		if (view.isEmpty()) {
			return false;
		}
		accept(view);
		return well && owners().equals(owners);
	}

	/*
	 * All at once, so that a server that does not answer costs no more than one time-out.
	 */
	private Map<String, String> ask(Collection<LettuceNode> asked) {
		Deadline deadline = Deadline.after(TIMEOUT);
		Map<LettuceNode, CompletableFuture<String>> calls = new LinkedHashMap<>();
		asked.forEach((node) -> calls.put(node,
				node.connect().thenCompose((connected) -> connected.commands().clusterNodes())));
		Map<String, String> answers = new LinkedHashMap<>();
		calls.forEach((node, call) -> {
			try {
				answers.put(node.name(), call.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS));
			}
			catch (ExecutionException | TimeoutException ex) {
				// The others know.
				node.giveUp();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		return answers;
	}

	private synchronized void accept(ClusterView view) {
		if (this.closed) {
			return;
		}
		@Nullable LettuceNode[] bySlot = new LettuceNode[SlotHash.SLOT_COUNT];
		for (int slot = 0; slot < bySlot.length; slot++) {
			String owner = view.owner(slot);
			bySlot[slot] = (owner != null) ? node(owner) : null;
		}
		view.addresses().forEach(this::node);
		this.slots = bySlot;
		this.nodes.entrySet().removeIf((each) -> {
			boolean former = !view.addresses().contains(each.getKey());
			if (former) {
				each.getValue().leave();
			}
			return former;
		});
	}

	private Set<LettuceNode> owners() {
		Set<LettuceNode> owners = new LinkedHashSet<>();
		@Nullable LettuceNode[] known = this.slots;
		for (int slot = 0; known != null && slot < known.length; slot++) {
			LettuceNode owner = known[slot];
			if (owner != null) {
				owners.add(owner);
			}
		}
		return owners;
	}

	@Override
	public Set<String> nodes() {
		@Nullable LettuceNode[] known = this.slots;
		return (known != null)
				? Arrays.stream(known).map((node) -> (node != null) ? node.name() : "").collect(Collectors.toSet())
				: Set.of();
	}

	@Override
	public void close() {
		super.close();
		synchronized (this) {
			this.closed = true;
			if (this.loader != null) {
				this.loader.interrupt();
			}
		}
		LettuceNode.close(this.nodes.values());
		this.client.close();
	}

}
