package io.github.ratelimit.policy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * What instances share, with a time of its own, and a wire that can be cut.
 */
final class FakeSharedOverrides implements SharedOverrides {

	volatile Runnable beforeWrite = () -> {
	};

	volatile Runnable afterWrite = () -> {
	};

	private final Map<String, Entry> entries = new HashMap<>();

	private final RateLimitClock clock;

	private long version;

	volatile boolean gone;

	/* Whether it can be written to, but not be read. */
	volatile boolean unreadable;

	/* What each reading ends with, if anything. */
	volatile @Nullable Error failure;

	volatile int failures;

	FakeSharedOverrides(RateLimitClock clock) {
		this.clock = clock;
	}

	@Override
	public synchronized Snapshot read(long knownVersion) {
		long now = begin(this.unreadable);
		return new Snapshot(this.version, now, (knownVersion == this.version) ? null : Map.copyOf(this.entries));
	}

	@Override
	public Written write(String name, @Nullable String text, @Nullable Duration lasts, long expectedVersion, int most) {
		this.beforeWrite.run();
		Written written = store(name, text, lasts, expectedVersion, most);
		if (written.outcome() == Outcome.DONE) {
			this.afterWrite.run();
		}
		return written;
	}

	private synchronized Written store(String name, @Nullable String text, @Nullable Duration lasts,
			long expectedVersion, int most) {
		begin(false);
		Entry replaced = this.entries.get(name);
		long before = (replaced != null) ? replaced.version() : 0;
		if (expectedVersion != ANY_VERSION && expectedVersion != before) {
			return new Written(Outcome.CONFLICT, this.version, before);
		}
		if (text == null) {
			this.entries.remove(name);
		}
		else if (replaced == null && this.entries.size() >= most) {
			return new Written(Outcome.FULL, this.version, before);
		}
		this.version++;
		if (text != null) {
			this.entries.put(name,
					new Entry(text, this.version, (lasts != null) ? this.clock.nanos() + lasts.toNanos() : 0));
		}
		return new Written(Outcome.DONE, this.version, before);
	}

	private long begin(boolean fails) {
		if (this.gone || fails) {
			throw new IllegalStateException("The wire is cut");
		}
		Error failure = this.failure;
		if (failure != null) {
			this.failures++;
			throw failure;
		}
		long now = this.clock.nanos();
		if (this.entries.values().removeIf((entry) -> entry.endNanos() != 0 && now >= entry.endNanos())) {
			this.version++;
		}
		return now;
	}

}
