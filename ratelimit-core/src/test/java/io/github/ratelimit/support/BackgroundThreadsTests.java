package io.github.ratelimit.support;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads in the background hold nothing back.
 */
class BackgroundThreadsTests {

	@Test
	void threadsEndWithTheProcessAndDoNotHoldTheApplicationsClassLoader() throws Exception {
		Thread starter = Thread.currentThread();
		ClassLoader before = starter.getContextClassLoader();
		try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
			starter.setContextClassLoader(application);
			Thread thread = new BackgroundThreads("ratelimit-test").newThread(() -> {
			});
			assertThat(thread.getName()).isEqualTo("ratelimit-test");
			assertThat(thread.isDaemon()).isTrue();
			assertThat(thread.getContextClassLoader()).isNotSameAs(application);
		}
		finally {
			starter.setContextClassLoader(before);
		}
	}

	@Test
	void threadsDoNotInheritWhatBelongsToTheRequestThatHappensToStartThem() throws InterruptedException {
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		AtomicReference<String> seen = new AtomicReference<>("nothing");
		user.set("ada");
		try {
			Thread thread = new BackgroundThreads("ratelimit-test").newThread(() -> seen.set(user.get()));
			thread.start();
			thread.join();
		}
		finally {
			user.remove();
		}
		assertThat(seen).hasNullValue();
	}

}
