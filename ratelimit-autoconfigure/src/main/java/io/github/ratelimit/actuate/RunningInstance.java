package io.github.ratelimit.actuate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

import io.github.ratelimit.RateLimitClock;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.Environment;

/**
 * This instance of the application. Its name is the property {@code ratelimit.instance},
 * or else its host and the port of its server, or its process where it has no server.
 */
final class RunningInstance implements ApplicationListener<ContextRefreshedEvent> {

	private final Environment environment;

	private final RateLimitClock clock;

	private final Instant startedAt;

	private volatile boolean listening;

	private volatile @Nullable String name;

	/**
	 * Creates the instance, which starts now.
	 * @param environment has the property, and the port once the server listens
	 * @param clock this process' time
	 */
	RunningInstance(Environment environment, RateLimitClock clock) {
		this.environment = environment;
		this.clock = clock;
		this.startedAt = moment();
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Contexts below the application's tell it of themselves, too, perhaps before its
	 * server listens.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext().getEnvironment() == this.environment) {
			this.listening = true;
		}
	}

	/**
	 * Whether the name is final, because a server would listen by now.
	 */
	boolean isNamed() {
		return this.listening;
	}

	String name() {
		String known = this.name;
		if (known != null) {
			return known;
		}
		String found = findName();
		if (this.listening) {
			this.name = found;
		}
		return found;
	}

	private String findName() {
		String given = this.environment.getProperty("ratelimit.instance");
		if (given != null && !given.isBlank()) {
			return given.strip();
		}
		String port = this.environment.getProperty("local.server.port");
		if (port != null) {
			return host() + ":" + port;
		}
		return host() + ", process " + ProcessHandle.current().pid();
	}

	/* The environment of most systems has it, and others may have to ask a server. */
	private String host() {
		String given = this.environment.getProperty("HOSTNAME");
		if (given != null && !given.isBlank()) {
			return given.strip();
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

	Instant startedAt() {
		return this.startedAt;
	}

	Instant moment() {
		return Instant.EPOCH.plusNanos(this.clock.nanos());
	}

}
