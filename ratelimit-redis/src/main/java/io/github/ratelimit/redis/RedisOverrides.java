package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what was changed while the instances run in two keys of one hash slot. They have
 * no expiry, so that a server whose memory is full forgets them only where its
 * {@code maxmemory-policy} is one for all keys: then what was last known stays in force
 * in the instances that run.
 */
final class RedisOverrides implements SharedOverrides {

	private static final String BEGINNING = "0";

	private static final String NO_END = "-1";

	/*
	 * The first reading, which is made while the application starts, waits so long. A
	 * process that has just begun takes longer to connect than a server to answer.
	 */
	private static final Duration CONNECTING = Duration.ofSeconds(2);

	private static final Outcome[] OUTCOMES = Outcome.values();

	private final ScriptRunner runner;

	private final Duration timeout;

	private final AtomicBoolean begun = new AtomicBoolean();

	private final byte[][] keys;

	private final ScriptCall.Script read;

	private final ScriptCall.Script write;

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
				RedisKeys.bytes(prefix + ":{overrides}") };
		ScriptAssembler scripts = new ScriptAssembler(List.of(), "overrides.lua");
		this.read = scripts.assemble("read");
		this.write = scripts.assemble("write");
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
		boolean first = this.begun.compareAndSet(false, true);
		Duration patience = (first && this.timeout.compareTo(CONNECTING) < 0) ? CONNECTING : this.timeout;
		Map<String, Entry> entries = new LinkedHashMap<>();
		String from = BEGINNING;
		long version = -1;
		long now;
		do {
			ByteBuffer answer = call(this.read, Stream.of(Long.toString(knownVersion), from), patience);
			if (answer.remaining() == Double.BYTES) {
				return new Snapshot(knownVersion, LimitScript.nanos(LimitScript.number(answer)), null);
			}

			long present = LimitScript.number(answer);
			if (from.equals(BEGINNING)) {
				version = present;
			}
			now = LimitScript.nanos(LimitScript.number(answer));
			from = text(answer, answer.getInt());
			readEntries(answer, entries);
		}
		while (!from.equals(BEGINNING));

		return new Snapshot(version, now, entries);
	}

	private static void readEntries(ByteBuffer answer, Map<String, Entry> entries) {
		while (answer.hasRemaining()) {
			int nameLength = answer.getInt();
			int length = answer.getInt();
			String name = text(answer, nameLength);
			long written = LimitScript.number(answer);
			long end = LimitScript.nanos(LimitScript.number(answer));
			entries.put(name, new Entry(text(answer, length - 2 * Double.BYTES), written, end));
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
		return new Written(OUTCOMES[answer.get()], LimitScript.number(answer));
	}

	private ByteBuffer call(ScriptCall.Script script, Stream<String> arguments, Duration patience) {
		NonBlockingThread.refuse("Redis");
		byte[][] sent = arguments.map(RedisKeys::bytes).toArray(byte[][]::new);
		return ScriptCall.of(this.runner, script, this.keys, sent, LimitScript::buffer)
			.start(Deadline.after(patience))
			.await();
	}

	private static String text(ByteBuffer answer, int length) {
		byte[] bytes = new byte[length];
		answer.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
