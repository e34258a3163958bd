package io.github.ratelimit.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.github.ratelimit.remote.StoreCallException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
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

	/*
	 * Seeds are asked for in pauses only: the client's own way is slow, and logs each
	 * failure.
	 */
	private static final int SEEDS_EVERY = 10;

	private static final long SEEDS_SECONDS = 5;

	private final Map<String, LettuceNode> nodes = new ConcurrentHashMap<>();

	private final AtomicBoolean suspecting = new AtomicBoolean();

	private final LettuceConnectionFactory factory;

	private volatile @Nullable ClusterView view;

	private @Nullable CompletableFuture<Void> loading;

	private int unanswered;

	LettuceCluster(LettuceConnectionFactory factory) {
		this.factory = factory;
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
	 * Loads once for all callers meanwhile, and in the background, because the client has
	 * longer time-outs than a decision.
	 */
	private synchronized CompletableFuture<Void> load() {
		if (this.scheduler.isShutdown()) {
			return CompletableFuture.failedFuture(new RedisException("the store is closed"));
		}
		if (this.loading == null || this.loading.isCompletedExceptionally()) {
			this.loading = CompletableFuture.runAsync(this::begin, (task) -> noteLook(this.scheduler.submit(task)));
		}
		return this.loading;
	}

	private void begin() {
		ClusterView view = new ClusterView();
		add(view, seeds(), null);
		accept(view);
		owners().forEach(LettuceNode::connect);
	}

	/*
	 * Returns the cluster as the application's client knows it. The client may have to
	 * ask for it.
	 */
	private Collection<RedisClusterNode> seeds() {
		return List.copyOf(cluster().getPartitions());
	}

	private RedisClusterClient cluster() {
		return (RedisClusterClient) this.factory.getRequiredNativeClient();
	}

	/*
	 * Connects by a client of its own, which shares the threads of the application's, and
	 * has nothing to end but the connection.
	 */
	StatefulRedisConnection<byte[], byte[]> connect(String address) {
		RedisClusterClient application = cluster();
		RedisClient client = RedisClient.create(application.getResources());
		client.setOptions(application.getOptions().mutate().autoReconnect(false).build());
		return client.connect(ByteArrayCodec.INSTANCE, uri(address));
	}

	/*
	 * Has the application's settings. Lettuce notes none with the address of a node that
	 * a server has named.
	 */
	RedisURI uri(String address) {
		LettuceClientConfiguration settings = this.factory.getClientConfiguration();
		RedisClusterConfiguration login = Objects.requireNonNull(this.factory.getClusterConfiguration());
		char[] noPassword = (login.getUsername() != null) ? new char[0] : null;
		char[] password = login.getPassword().toOptional().orElse(noPassword);
		RedisURI uri = RedisURI.builder()
			.withHost(host(address))
			.withPort(Integer.parseInt(address.substring(host(address).length() + 1)))
			.withAuthentication(settings.getRedisCredentialsProviderFactory()
				.map((providers) -> providers.createCredentialsProvider(login))
				.orElse(new StaticCredentialsProvider(login.getUsername(), password)))
			.withSsl(settings.isUseSsl())
			.withVerifyPeer(settings.getVerifyMode())
			.withStartTls(settings.isStartTls())
			.withTimeout(settings.getCommandTimeout())
			.build();
		uri.setClientName(this.factory.getClientName());
		return uri;
	}

	@Override
	@Nullable LettuceNode known(byte[] key) {
		ClusterView view = this.view;
		return (view != null) ? this.nodes.get(view.owner(key)) : null;
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
		String host = host(address);
		if (host.isEmpty() || host.equals("?")) {
			return node(host(node.name) + address.substring(host.length()));
		}
		return node(address);
	}

	private LettuceNode node(String address) {
		return this.nodes.computeIfAbsent(address,
				(name) -> new LettuceNode(name, () -> connect(name), this.scheduler));
	}

	private static String host(String address) {
		return address.substring(0, address.lastIndexOf(':'));
	}

	@Override
	void suspect() {
		if (this.view != null && this.suspecting.compareAndSet(false, true)) {
			this.scheduler.execute(this::refresh);
		}
	}

	/*
	 * Asks again and again, until all servers that have slots answer: a replica may be
	 * about to replace one that does not.
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
			Runnable next = well ? () -> this.suspecting.set(false) : this::refresh;
			this.scheduler.schedule(next, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
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
		answers.forEach((address, answer) -> add(view, ClusterPartitionParser.parse(answer), address));
		if (isEmpty(view)) {
			addSeeds(view);
		}
		else {
			this.unanswered = 0;
		}

		if (isEmpty(view)) {
			return false;
		}
		accept(view);
		return well && owners().equals(owners);
	}

	private void addSeeds(ClusterView view) {
		int unanswered = this.unanswered;
		this.unanswered++;
		if (unanswered % SEEDS_EVERY == 0) {
			cluster().refreshPartitionsAsync().toCompletableFuture().orTimeout(SEEDS_SECONDS, TimeUnit.SECONDS).join();
			add(view, seeds(), null);
		}
	}

	/*
	 * Whether no server has any slot, as one says that was taken out of its cluster.
	 */
	private static boolean isEmpty(ClusterView view) {
		return view.owners().equals(Set.of(""));
	}

	/**
	 * Adds what a server says to a view.
	 * @param nodes all servers that it knows
	 * @param own its own address, which it may not know, or {@code null} for no server's
	 */
	static void add(ClusterView view, Collection<RedisClusterNode> nodes, @Nullable String own) {
		for (RedisClusterNode node : nodes) {
			String address = address(node, own);
			if (address != null) {
				view.add(address);
				if (node.is(NodeFlag.UPSTREAM)) {
					node.forEachSlot((slot) -> view.claim(slot, address, node.getConfigEpoch()));
				}
			}
		}
	}

	private static @Nullable String address(RedisClusterNode node, @Nullable String own) {
		RedisURI uri = node.getUri();
		if (node.is(NodeFlag.NOADDR) || node.is(NodeFlag.HANDSHAKE)) {
			return null;
		}
		if (uri == null) {
			return node.is(NodeFlag.MYSELF) ? own : null;
		}
		if (uri.getPort() == 0) {
			return null;
		}
		return uri.getHost() + ":" + uri.getPort();
	}

	/*
	 * Asks all at once, so that a server that does not answer costs no more than one
	 * time-out.
	 */
	private Map<String, String> ask(Collection<LettuceNode> asked) {
		Map<String, String> answers = new ConcurrentHashMap<>();
		CompletableFuture.allOf(asked.stream().map((node) -> ask(node, answers)).toArray(CompletableFuture[]::new))
			.join();
		return answers;
	}

	private static CompletableFuture<Void> ask(LettuceNode node, Map<String, String> answers) {
		return node.connect()
			.thenCompose((connected) -> connected.commands.clusterNodes())
			.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.thenAccept((answer) -> answers.put(node.name, answer))
			.exceptionally((failure) -> {
				// The others know.
				node.giveUp();
				return null;
			});
	}

	private synchronized void accept(ClusterView view) {
		if (this.scheduler.isShutdown()) {
			return;
		}
		view.addresses().forEach(this::node);
		this.view = view;
		this.nodes.entrySet().removeIf((each) -> {
			boolean former = !view.addresses().contains(each.getKey());
			if (former) {
				each.getValue().leave();
			}
			return former;
		});
	}

	private Set<LettuceNode> owners() {
		return nodes().stream().map(this.nodes::get).filter(Objects::nonNull).collect(Collectors.toSet());
	}

	@Override
	public Set<String> nodes() {
		ClusterView view = this.view;
		return (view != null) ? view.owners() : Set.of();
	}

	@Override
	public void close() {
		synchronized (this) {
			super.close();
		}
		LettuceNode.close(this.nodes.values());
	}

}
