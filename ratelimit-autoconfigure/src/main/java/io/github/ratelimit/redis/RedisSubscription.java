package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.BackgroundThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Calls listeners when a message comes over a channel, on a thread of its own. Subscribes
 * again for as long as it is open; that it cannot is no error.
 */
final class RedisSubscription implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisSubscription.class);

	private static final BackgroundThreads THREADS = new BackgroundThreads("ratelimit-redis-changes");

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private static final Duration CLOSING = Duration.ofMillis(500);

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	/* Has a permit for messages that were not told, or to look whether this is closed. */
	private final Semaphore news = new Semaphore(0);

	private final RedisConnectionFactory factory;

	private final byte[] channel;

	private final Duration closing;

	private @Nullable Thread thread;

	private volatile @Nullable RedisConnection connection;

	/* Whether the client blocks until it is unsubscribed. */
	private volatile boolean blocked;

	private volatile boolean closed;

	private volatile Duration pause = SHORTEST_PAUSE;

	RedisSubscription(RedisConnectionFactory factory, byte[] channel) {
		this(factory, channel, CLOSING);
	}

	RedisSubscription(RedisConnectionFactory factory, byte[] channel, Duration closing) {
		this.factory = factory;
		this.channel = channel;
		this.closing = closing;
	}

	/**
	 * Adds a listener. The first begins to listen.
	 */
	synchronized void add(Runnable listener) {
		this.listeners.add(listener);
		if (this.thread == null && !this.closed) {
			this.thread = THREADS.newThread(this::run);
			this.thread.start();
		}
	}

	private void run() {
		while (!this.closed) {
			try (RedisConnection opened = this.factory.getConnection()) {
				this.connection = opened;
				listen(opened);
			}
			catch (RuntimeException ex) {
				logger.debug("Redis cannot be listened to", ex);
			}
			finally {
				this.connection = null;
			}
			Duration next = this.pause.multipliedBy(2);
			await(this.pause);
			this.pause = (next.compareTo(LONGEST_PAUSE) < 0) ? next : LONGEST_PAUSE;
		}
	}

	/*
	 * Some clients block until they are unsubscribed, others return at once and connect
	 * again by themselves.
	 */
	private void listen(RedisConnection opened) {
		this.blocked = true;
		try {
			opened.subscribe(new Receiver(), this.channel);
		}
		finally {
			this.blocked = false;
		}
		while (!this.closed && isSubscribed(opened)) {
			if (await(LONGEST_PAUSE)) {
				tell();
			}
		}
	}

	private static boolean isSubscribed(RedisConnection opened) {
		Subscription subscription = opened.getSubscription();
		return subscription != null && subscription.isAlive();
	}

	/*
	 * A client's own thread must not wait for what listeners do.
	 */
	private void receive() {
		if (Thread.currentThread() == this.thread) {
			tell();
		}
		else {
			this.news.release();
		}
	}

	private void tell() {
		for (Runnable listener : this.listeners) {
			try {
				listener.run();
			}
			catch (RuntimeException ex) {
				logger.debug("A listener failed", ex);
			}
		}
	}

	private boolean await(Duration longest) {
		if (this.closed) {
			return false;
		}
		try {
			boolean any = this.news.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS);
			this.news.drainPermits();
			return any && !this.closed;
		}
		catch (InterruptedException ex) {
			this.closed = true;
			return false;
		}
	}

	@Override
	public void close() {
		Thread ending = leave();
		this.news.release();
		if (this.blocked) {
			unsubscribe();
		}
		if (ending != null && ending != Thread.currentThread()) {
			end(ending);
		}
	}

	private synchronized @Nullable Thread leave() {
		this.closed = true;
		return this.thread;
	}

	/*
	 * The client may be stopped next, and would never answer a thread that still
	 * connects.
	 */
	private void end(Thread ending) {
		try {
			ending.join(this.closing.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		ending.interrupt();
	}

	private void unsubscribe() {
		RedisConnection opened = this.connection;
		try {
			Subscription subscription = (opened != null) ? opened.getSubscription() : null;
			if (subscription != null) {
				subscription.close();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Redis could not be unsubscribed from", ex);
		}
	}

	/**
	 * Hears messages, and that it hears them: what came before was lost.
	 */
	private final class Receiver implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			receive();
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			RedisSubscription.this.pause = SHORTEST_PAUSE;
			receive();
			if (RedisSubscription.this.closed && Thread.currentThread() == RedisSubscription.this.thread) {
				unsubscribe();
			}
		}

	}

}
