package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.SharedOverrides;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what was changed while the instances run in two keys of one hash slot. They have
 * no expiry, so that a server whose memory is full forgets them only where its
 * {@code maxmemory-policy} is one for all keys. Instances that run keep what was last
 * known in force as long as the server has not forgotten the version, too. The reports of
 * the instances are in a third key of that slot, which expires, so that one is published
 * by the call that reads what was changed.
 */
final class RedisOverrides implements SharedOverrides {

	private static final Log logger = LogFactory.getLog(RedisOverrides.class);

	/* The cursor from which all are read, and which comes back with the last of them. */
	private static final String START = "0";

	private static final String NO_END = "-1";

	/*
	 * The first reading, which is made while the application starts, waits so long. A
	 * process that has just begun takes longer to connect than a server to answer.
	 */
	private static final Duration CONNECTING = Duration.ofSeconds(2);

	/* So many reports are published between two looks for those that are to go. */
	private static final int REPORTS_BETWEEN_LOOKS = 60;

	private final ScriptRunner runner;

	private final Duration timeout;

	private final AtomicBoolean begun = new AtomicBoolean();

	private final byte[][] keys;

	private final ScriptCall.Script read;

	private final ScriptCall.Script write;

	private final ScriptCall.Script reports;

	private volatile Supplier<@Nullable Report> report = () -> null;

	private final AtomicInteger published = new AtomicInteger();

	private final AtomicBoolean failed = new AtomicBoolean();

	/**
	 * Creates the overrides.
	 * @param runner runs the scripts
	 * @param prefix what all keys begin with
	 * @param timeout how long each call waits, but those of the first reading
	 */
	RedisOverrides(ScriptRunner runner, String prefix, Duration timeout) {
		this.runner = runner;
		this.timeout = timeout;
		this.keys = new byte[][] { RedisKeys.bytes(prefix + ":{overrides}:version"),
				RedisKeys.bytes(prefix + ":{overrides}"), RedisKeys.bytes(prefix + ":{overrides}:instances") };
		ScriptAssembler scripts = new ScriptAssembler(List.of(), "overrides.lua");
		this.read = scripts.assemble("read");
		this.write = scripts.assemble("write");
		this.reports = scripts.assemble("reports");
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Reads some at a time, so that no call takes long, however many there are. What is
	 * changed meanwhile has another version, and is found by the next reading. The first
	 * reading waits for the connection, so that no decision has to.
	 */
	@Override
	public Snapshot read(long knownVersion) {
		Duration patience = beginReading();
		ByteBuffer answer = readFrom(START, knownVersion, report(), patience);
		if (isUnchanged(answer)) {
			long now = LimitScript.readNumber(answer);
			return new Snapshot(knownVersion, LimitScript.nanos(now), null);
		}

		Map<String, Entry> entries = new LinkedHashMap<>();
		Page page = readPage(answer, entries);
		// of the first page, so that what is changed meanwhile is read the next time
		long version = page.version();
		while (!page.isLast()) {
			page = readPage(readFrom(page.next(), knownVersion, Stream.of(), patience), entries);
		}
		return new Snapshot(version, page.nowNanos(), entries);
	}

	/*
	 * Returns how long each call of a reading waits.
	 */
	private Duration beginReading() {
		boolean first = this.begun.compareAndSet(false, true);
		if (first && this.timeout.compareTo(CONNECTING) < 0) {
			return CONNECTING;
		}
		return this.timeout;
	}

	/*
	 * Where the version is the known one, the script answers with the time alone.
	 */
	private static boolean isUnchanged(ByteBuffer answer) {
		return answer.remaining() == Double.BYTES;
	}

	private ByteBuffer readFrom(String cursor, long knownVersion, Stream<String> report, Duration patience) {
		return call(this.read, Stream.concat(Stream.of(Long.toString(knownVersion), cursor), report), patience);
	}

	/* The arguments that publish a report, if there is one. */
	private Stream<String> report() {
		Report report = reported();
		if (report == null) {
			return Stream.of();
		}
		String looks = (this.published.getAndIncrement() % REPORTS_BETWEEN_LOOKS == 0) ? "1" : "0";
		return Stream.of(report.instance(), report.text(), looks);
	}

	/*
	 * What fails to report must not keep the instance from following what others have
	 * changed.
	 */
	private @Nullable Report reported() {
		try {
			return this.report.get();
		}
		catch (RuntimeException ex) {
			if (this.failed.compareAndSet(false, true)) {
				logger.warn("This instance cannot tell the others what it has counted", ex);
			}
			return null;
		}
	}

	private static Page readPage(ByteBuffer answer, Map<String, Entry> entries) {
		long version = LimitScript.readNumber(answer);
		long now = LimitScript.readNumber(answer);
		int length = answer.getInt();
		String next = readText(answer, length);
		readEntries(answer, entries);
		return new Page(version, LimitScript.nanos(now), next);
	}

	private static void readEntries(ByteBuffer answer, Map<String, Entry> entries) {
		while (answer.hasRemaining()) {
			int nameLength = answer.getInt();
			int length = answer.getInt();
			String name = readText(answer, nameLength);
			long written = LimitScript.readNumber(answer);
			long end = LimitScript.readNumber(answer);
			String text = readText(answer, length - 2 * Double.BYTES);
			entries.put(name, new Entry(text, written, LimitScript.nanos(end)));
		}
	}

	@Override
	public Written write(String name, @Nullable String text, @Nullable Duration lasts, long expectedVersion, int most) {
		String end = (lasts != null) ? Long.toString(LimitScript.micros(lasts.toNanos())) : NO_END;
		Stream<String> arguments = Stream.of(name, Long.toString(expectedVersion), Integer.toString(most), end);
		if (text != null) {
			arguments = Stream.concat(arguments, Stream.of(text));
		}
		ByteBuffer answer = call(this.write, arguments, this.timeout);
		Outcome outcome = outcome(answer.get());
		long version = LimitScript.readNumber(answer);
		long before = LimitScript.readNumber(answer);
		return new Written(outcome, version, before);
	}

	private static Outcome outcome(int said) {
		return switch (said) {
			case 0 -> Outcome.DONE;
			case 1 -> Outcome.CONFLICT;
			case 2 -> Outcome.FULL;
			default -> throw new IllegalStateException("The script has answered " + said);
		};
	}

	@Override
	public void publish(Supplier<@Nullable Report> report) {
		this.report = report;
	}

	@Override
	public List<PublishedReport> reports() {
		ByteBuffer answer = call(this.reports, Stream.of(), this.timeout);
		List<PublishedReport> reports = new ArrayList<>();
		while (answer.hasRemaining()) {
			int nameLength = answer.getInt();
			int length = answer.getInt();
			long age = LimitScript.readNumber(answer);
			String instance = readText(answer, nameLength);
			String text = readText(answer, length);
			reports.add(new PublishedReport(instance, text, Duration.ofNanos(LimitScript.nanos(Math.max(0, age)))));
		}
		return reports;
	}

	private ByteBuffer call(ScriptCall.Script script, Stream<String> arguments, Duration patience) {
		NonBlockingThread.refuse("Redis");
		byte[][] sent = arguments.map(RedisKeys::bytes).toArray(byte[][]::new);
		return ScriptCall.of(this.runner, script, this.keys, sent, LimitScript::buffer)
			.start(Deadline.after(patience))
			.await();
	}

	private static String readText(ByteBuffer answer, int length) {
		byte[] bytes = new byte[length];
		answer.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * What one call has read, without its entries.
	 *
	 * @param version the version of all together
	 * @param nowNanos the server's time
	 * @param next the cursor from which the next call reads
	 */
	private record Page(long version, long nowNanos, String next) {

		boolean isLast() {
			return this.next.equals(START);
		}

	}

}
