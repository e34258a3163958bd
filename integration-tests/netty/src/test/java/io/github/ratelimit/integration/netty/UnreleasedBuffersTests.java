package io.github.ratelimit.integration.netty;

import java.io.IOException;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.testserver.Handlers;
import io.github.ratelimit.testserver.TestServer;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that requests which never reach a handler leave no buffer behind: neither that of
 * a body which nobody reads, nor that of an answer.
 * <p>
 * Netty tells of a buffer once the collector has found it. One that is forgotten after
 * all requests shows when those before it have been looked for.
 */
class UnreleasedBuffersTests {

	private final Queue<String> unreleased = new ConcurrentLinkedQueue<>();

	private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

	@BeforeEach
	void watchAllBuffers() {
		ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
		ByteBufUtil.setLeakListener((type, records) -> this.unreleased.add(records));
	}

	@AfterEach
	void watchAsBefore() {
		ResourceLeakDetector.setLevel(this.level);
		ByteBufUtil.setLeakListener(null);
	}

	@Test
	void noRequestThatIsRejectedLeavesABufferBehind() throws IOException {
		try (TestServer server = TestServer.start(Handlers.class, "rule: 1 per 1h", "/ruled -> rule",
				"name: 1 per 1h; key=parameter('name')", "/page/* -> name",
				"slow: 1 per 1h; algorithm=leaky-bucket; burst=1", "/users/* -> slow",
				"ratelimit.deny.addresses=198.51.100.9", "ratelimit.client-address.trusted-proxies=127.0.0.0/8,::1")) {
			for (String path : new String[] { "/ruled", "/annotated", "/argument?name=a" }) {
				server.get(path).is(200);
				server.get(path).is(429);
				server.get(path, "Accept", "text/html").is(429);
				server.send("HEAD", path, "").is(429);
			}
			reject(server);
			leaveUnfinished(server);
			leaveWhileWaiting(server);
		}

		forgetOne();
		TestServer.await(this::isOneFound);
		assertThat(this.unreleased).allMatch(UnreleasedBuffersTests::isForgottenHere);
	}

	/* Bodies that nobody reads, those that a key reads, and an address that is denied. */
	private void reject(TestServer server) {
		String body = "{\"a\":\"" + "b".repeat(50_000) + "\"}";
		server.send("POST", "/body", "{}", "Content-Type", "application/json").is(200);
		server.send("POST", "/body", body, "Content-Type", "application/json").is(429);
		server.send("POST", "/ruled", body, "Content-Type", "application/json").is(429);
		server.form("/page/a", "name=ada").is(200);
		server.form("/page/a", "name=ada&rest=" + "b".repeat(50_000)).is(429);
		server.send("POST", "/free", body, "X-Forwarded-For", "198.51.100.9").is(403);
	}

	private void leaveUnfinished(TestServer server) throws IOException {
		for (String path : new String[] { "/ruled", "/body", "/page/b" }) {
			try (Socket socket = server.begin("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n"
					+ "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nname=ada&rest=b")) {
				socket.getOutputStream().write(new byte[20_000]);
				socket.setSoLinger(true, 0);
			}
		}
	}

	private void leaveWhileWaiting(TestServer server) throws IOException {
		server.get("/users/1").is(200);
		try (Socket socket = server.begin("GET /users/1 HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
			server.awaitDelayed("slow", 1);
			socket.setSoLinger(true, 0);
		}
		TestServer.await(() -> server.bean(WaitingRoom.class).waiting() == 0);
	}

	private static void forgetOne() {
		ByteBufAllocator.DEFAULT.directBuffer(1);
	}

	private boolean isOneFound() {
		System.gc();
		ByteBufAllocator.DEFAULT.directBuffer(1).release();
		return this.unreleased.stream().anyMatch(UnreleasedBuffersTests::isForgottenHere);
	}

	private static boolean isForgottenHere(String records) {
		return records.contains(UnreleasedBuffersTests.class.getSimpleName() + ".forgetOne");
	}

}
