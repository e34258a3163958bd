package io.github.ratelimit.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The store in which all instances of an application keep what was changed while they
 * run: named texts, each with an end where it has one, and a version that grows with each
 * change. Ends are the store's own time. It may also have what each instance reports of
 * itself.
 * <p>
 * Any method may throw an exception while the store cannot be asked.
 *
 * @since 0.1.0
 */
public interface SharedOverrides {

	/** For a change whatever the version is. */
	long ANY_VERSION = -1;

	/**
	 * Reads all texts, unless nothing has changed.
	 * @param knownVersion the version that was read last, or {@link #ANY_VERSION}
	 * @return what is in force
	 */
	Snapshot read(long knownVersion);

	/**
	 * Writes a text, or removes it.
	 * @param name what it is called
	 * @param text the text, or {@code null} to remove it
	 * @param lasts how long it is in force, or {@code null} for no end
	 * @param expectedVersion the version of the text that is replaced, 0 if there is to
	 * be none, or {@link #ANY_VERSION}
	 * @param most how many names there may be; one more is refused
	 * @return whether it was written, or why it was not
	 */
	Written write(String name, @Nullable String text, @Nullable Duration lasts, long expectedVersion, int most);

	/**
	 * Has a report of this instance published with each reading. The default does not.
	 * @param report gives the report, or {@code null} if there is none yet
	 */
	default void publish(Supplier<@Nullable Report> report) {
	}

	/**
	 * Reads what the instances have published that are not gone.
	 * @return the last report of each; {@code null}, the default, for a store that
	 * publishes nothing
	 */
	default @Nullable List<PublishedReport> reports() {
		return null;
	}

	/**
	 * A report of an instance.
	 *
	 * @param instance the name of the instance
	 * @param text what it reports
	 */
	record Report(String instance, String text) {
	}

	/**
	 * A report that was published.
	 *
	 * @param instance the name of the instance
	 * @param text what it reports
	 * @param age how long ago it was published, by the store's time
	 */
	record PublishedReport(String instance, String text, Duration age) {
	}

	/**
	 * The texts that are in force at a moment.
	 *
	 * @param version the version of all together
	 * @param nowNanos the store's time, nanoseconds since the epoch
	 * @param entries the texts by name, without those that have ended; {@code null} if
	 * the version is the known one
	 */
	record Snapshot(long version, long nowNanos, @Nullable Map<String, Entry> entries) {
	}

	/**
	 * A text that is in force.
	 *
	 * @param text the text
	 * @param version the version with which it was written
	 * @param endNanos the store's time of its end, or 0 if it has none
	 */
	record Entry(String text, long version, long endNanos) {
	}

	/**
	 * The outcome of a change.
	 *
	 * @param outcome what became of it
	 * @param version the version of all together after it
	 * @param before the version that the text had before it, or 0 if there was none
	 */
	record Written(Outcome outcome, long version, long before) {
	}

	/**
	 * The outcomes that a change may have.
	 */
	enum Outcome {

		/** It is in force. */
		DONE,

		/** The text has another version than was expected. */
		CONFLICT,

		/** There are too many names. */
		FULL

	}

}
