package io.github.ratelimit.redis;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.github.ratelimit.RateLimitClock;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce look up again, at most once a second, which of the servers that the
 * application has named is the master. Only a new connection does, and a pool of the
 * application's would hand out the old one.
 */
final class LettuceRoles implements BooleanSupplier {

	private static final String CONFIGURATION = "configuration";

	private static final RateLimitClock CLOCK = RateLimitClock.system();

	private static final long PAUSE_NANOS = 1_000_000_000;

	private final AtomicLong next = new AtomicLong(CLOCK.nanos());

	private final LettuceConnectionFactory factory;

	LettuceRoles(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * Whether the application has named a master and its replicas. Lettuce's client does
	 * not know where the master is then, only its connections do. The factory keeps to
	 * itself how it was configured.
	 */
	static boolean areGiven(LettuceConnectionFactory factory) {
		DirectFieldAccessor fields = new DirectFieldAccessor(factory);
		return fields.isReadableProperty(CONFIGURATION)
				&& fields.getPropertyValue(CONFIGURATION) instanceof RedisStaticMasterReplicaConfiguration;
	}

	/**
	 * Looks up the roles, unless that was done a moment ago.
	 * @return whether a new connection may lead elsewhere
	 */
	@Override
	public boolean getAsBoolean() {
		long now = CLOCK.nanos();
		long due = this.next.get();
		if (now >= due && this.next.compareAndSet(due, now + PAUSE_NANOS)) {
			this.factory.resetConnection();
		}
		return true;
	}

}
