package io.github.ratelimit.integration.webflux;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A name that a client sends holds no event loop, whatever its characters are: others
 * would wait.
 */
class LongNameTests {

	private static final int LENGTH = 27_000;

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	@AutoClose
	private static NettyServer server;

	@BeforeAll
	static void start() {
		server = NettyServer.start(Application.class,
				NettyServer.all(NettyServer.policy("folded", 1, "1d", "key=folded(parameter('name'))"),
						NettyServer.policy("lower", 1, "1d", "key=parameter('name').toLowerCase()"),
						new String[] { "/folded -> folded", "/lower -> lower" }));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/folded", "/lower" })
	void holdsNoEventLoop(String path) {
		String stem = "\uD834\uDD65";
		long plain = time(path, "a".repeat(LENGTH));
		long marks = time(path, "a" + "\u302E".repeat(LENGTH / 3) + stem.repeat(LENGTH / 3));
		long sigmas = time(path, "Σ".repeat(LENGTH));
		long most = 50 * Math.max(plain, TimeUnit.MILLISECONDS.toNanos(20));
		assertThat(marks).isLessThan(most);
		assertThat(sigmas).isLessThan(most);
	}

	/* What the event loops have taken of their processors, however busy these are. */
	private static long time(String path, String name) {
		long begin = ofEventLoops();
		server.send("POST", path, "name=" + name, "Content-Type", FORM + ";charset=UTF-8");
		return ofEventLoops() - begin;
	}

	private static long ofEventLoops() {
		return Stream.of(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
			.filter(Objects::nonNull)
			.filter((thread) -> thread.getThreadName().contains("-http-"))
			.mapToLong((thread) -> Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId())))
			.sum();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
