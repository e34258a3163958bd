package io.github.ratelimit.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.github.ratelimit.remote.Deadline;
import org.junit.jupiter.api.Test;

import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * An error on a thread that nobody watches, such as a class that is missing, ends the
 * call at once: whoever waits for it does not wait until the deadline.
 */
class CallErrorTests {

	private static final NoClassDefFoundError ERROR = new NoClassDefFoundError("for this test");

	private static final Deadline DEADLINE = Deadline.after(Duration.ofHours(1));

	private static final byte[] MOMENT = ByteBuffer.allocate(Double.BYTES)
		.order(ByteOrder.LITTLE_ENDIAN)
		.putDouble(1)
		.array();

	private final LettuceScriptRunner servers = mock();

	private final ScriptCall<String> call = new ScriptCall<>(this.servers, ScriptCall.Script.of("", ""), new byte[1]) {

		@Override
		byte[][] arguments() {
			return new byte[0][];
		}

		@Override
		boolean takeMoment(long now) {
			throw ERROR;
		}

		@Override
		String read(byte[] answer) {
			return "read";
		}

	};

	private static void assertEnded(CompletableFuture<byte[]> call) {
		assertThat(call).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCause(ERROR);
	}

	@Test
	void errorWhileAnAnswerIsTakenEndsTheCall() {
		LettuceCall<String> sent = new LettuceCall<>(this.servers, this.call, DEADLINE);
		sent.accept(MOMENT, null);
		assertEnded(sent);
	}

	@Test
	void errorOnceTheServerIsFoundEndsTheCall() {
		LettuceNode node = mock();
		given(node.current()).willThrow(ERROR);
		given(this.servers.find(any())).willReturn(CompletableFuture.completedFuture(node));
		assertEnded(new LettuceCall<>(this.servers, this.call, DEADLINE).send());
	}

	@Test
	void errorWhileTheMasterIsLookedUpEndsTheCall() {
		RedisConnectionFactory factory = mock();
		RedisConnection connection = mock();
		RedisScriptingCommands scripts = mock();
		given(factory.getConnection()).willReturn(connection);
		given(connection.scriptingCommands()).willReturn(scripts);
		given(scripts.evalSha(anyString(), any(ReturnType.class), anyInt(), any(byte[][].class)))
			.willThrow(new InvalidDataAccessApiUsageException("READONLY You can't write against a read only replica."));
		try (BlockingScriptRunner runner = new BlockingScriptRunner(factory, false, () -> {
			throw ERROR;
		}, "")) {
			assertEnded(runner.start(this.call, DEADLINE));
		}
	}

}
