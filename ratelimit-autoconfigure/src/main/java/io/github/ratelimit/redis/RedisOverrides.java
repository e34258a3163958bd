package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.ratelimit.NonBlockingThread;
import io.github.ratelimit.remote.Deadline;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * What was changed while the instances run, in two keys of one hash slot. They have no
 * expiry, so that a server whose memory is full forgets them only where its
 * {@code maxmemory-policy} is one for all keys: then what was last known stays in force
 * in the instances that run.
 */
final class RedisOverrides implements SharedOverrides {

	private static final String BEGINNING = "0";

	private static final String NO_END = "-1";

	private static final Outcome[] OUTCOMES = Outcome.values();

	private final ScriptRunner runner;

	private final Duration timeout;

	private final byte[][] keys;

	private final ScriptCall.Script read;

	private final ScriptCall.Script write;

	/**
	 * Creates the place.
	 * @param runner runs the scripts
	 * @param prefix what all keys begin with
	 * @param timeout how long each call waits
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
	 * changed meanwhile has another version, and is found by the next reading.
	 */
	@Override
	public Snapshot read(long knownVersion) {
		Map<String, Entry> entries = new LinkedHashMap<>();
		String from = BEGINNING;
		long version = -1;
		long now;
		do {
			ByteBuffer answer = call(this.read, Stream.of(Long.toString(knownVersion), from));
			if (answer.remaining() == Double.BYTES) {
				return new Snapshot(knownVersion, LimitScript.nanos(LimitScript.number(answer)), null);
			}
			long present = LimitScript.number(answer);
			version = from.equals(BEGINNING) ? present : version;
			now = LimitScript.nanos(LimitScript.number(answer));
			from = text(answer, answer.getInt());
			while (answer.hasRemaining()) {
				int nameLength = answer.getInt();
				int length = answer.getInt();
				String name = text(answer, nameLength);
				long written = LimitScript.number(answer);
				long end = LimitScript.nanos(LimitScript.number(answer));
				entries.put(name, new Entry(text(answer, length - 2 * Double.BYTES), written, end));
			}
		}
		while (!from.equals(BEGINNING));
		return new Snapshot(version, now, entries);
	}

	@Override
	public Written write(String name, @Nullable String text, @Nullable Duration lasts, long expectedVersion, int most) {
		Stream<String> arguments = Stream.of(name, Long.toString(expectedVersion), Integer.toString(most),
				(lasts != null) ? Long.toString(LimitScript.micros(lasts.toNanos())) : NO_END);
		ByteBuffer answer = call(this.write, (text != null) ? Stream.concat(arguments, Stream.of(text)) : arguments);
		return new Written(OUTCOMES[answer.get()], LimitScript.number(answer));
	}

	private ByteBuffer call(ScriptCall.Script script, Stream<String> arguments) {
		NonBlockingThread.refuse("Redis");
		byte[][] sent = arguments.map(RedisKeys::bytes).toArray(byte[][]::new);
		return new ScriptCall<>(this.runner, script, this.keys, () -> sent, LimitScript::buffer)
			.start(Deadline.after(this.timeout))
			.await();
	}

	private static String text(ByteBuffer answer, int length) {
		byte[] bytes = new byte[length];
		answer.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
