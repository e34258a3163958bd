package io.github.ratelimit.benchmarks.http.load;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * A connection that is kept alive, with one request on its way at a time.
 */
final class Connection implements AutoCloseable {

	private static final int LONGEST = 16 * 1024;

	private final SocketChannel channel;

	private final ByteBuffer request;

	private final ByteBuffer received = ByteBuffer.allocateDirect(LONGEST);

	private final ResponseReader reader;

	private long sentAt;

	Connection(InetSocketAddress server, Selector selector, byte[] request, int status) throws IOException {
		this.channel = SocketChannel.open(server);
		this.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
		this.channel.configureBlocking(false);
		this.channel.register(selector, SelectionKey.OP_READ, this);
		this.request = ByteBuffer.allocateDirect(request.length).put(request);
		this.reader = new ResponseReader(status);
	}

	void send() {
		this.sentAt = System.nanoTime();
		this.request.flip();
		try {
			while (this.request.hasRemaining()) {
				this.channel.write(this.request);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	long sentAt() {
		return this.sentAt;
	}

	/**
	 * Receives what is there.
	 * @return {@code true} if the response is complete
	 */
	boolean receive() {
		try {
			if (this.channel.read(this.received) < 0) {
				throw new EOFException("The server has closed the connection");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		if (!this.reader.isComplete(this.received)) {
			return false;
		}
		this.received.clear();
		return true;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
