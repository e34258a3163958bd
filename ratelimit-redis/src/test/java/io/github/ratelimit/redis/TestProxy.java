package io.github.ratelimit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The way to a server, that can be slow, lead nowhere, or end.
 */
final class TestProxy implements AutoCloseable {

	private static final int MAX_CONNECTIONS = 64;

	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, 1 + 2 * MAX_CONNECTIONS, 1, TimeUnit.SECONDS,
			new SynchronousQueue<>());

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final ServerSocket server;

	private final int target;

	private volatile long delayNanos;

	private volatile boolean cut;

	TestProxy(TestRedis target) {
		this.target = target.port();
		try {
			this.server = new ServerSocket(0, MAX_CONNECTIONS, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.threads.execute(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				connect(this.server.accept());
			}
			catch (IOException ex) {
				// the client comes again, if it is not the end
			}
		}
	}

	private void connect(Socket client) throws IOException {
		this.sockets.add(client);
		try {
			Socket upstream = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.add(upstream);
			client.setTcpNoDelay(true);
			upstream.setTcpNoDelay(true);
			this.threads.execute(() -> forward(client, upstream));
			this.threads.execute(() -> forward(upstream, client));
		}
		catch (IOException | RejectedExecutionException ex) {
			end(client);
		}
	}

	private void forward(Socket from, Socket to) {
		byte[] bytes = new byte[1 << 16];
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			int length = in.read(bytes);
			while (length >= 0) {
				hold();
				out.write(bytes, 0, length);
				length = in.read(bytes);
			}
		}
		catch (IOException ex) {
			// one of both has ended it
		}
		this.sockets.remove(from);
		this.sockets.remove(to);
	}

	private void hold() {
		long end = System.nanoTime() + this.delayNanos;
		while (System.nanoTime() < end || (this.cut && !this.server.isClosed())) {
			LockSupport.parkNanos(Math.max(1_000_000, end - System.nanoTime()));
		}
	}

	/**
	 * Makes everything take longer, in each direction.
	 */
	void slow(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	/**
	 * Lets nothing through, and keeps it.
	 */
	void cut() {
		this.cut = true;
	}

	void mend() {
		this.cut = false;
	}

	/**
	 * Resets all connections, but for those that are made because of it.
	 */
	void reset() {
		List.copyOf(this.sockets).forEach(TestProxy::end);
	}

	private static void end(Socket socket) {
		try (socket) {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// it has ended by itself
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		reset();
		this.threads.shutdownNow();
	}

}
