package io.github.ratelimit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.ratelimit.resilience.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * Runs a script again whose numbers were for another time than the server's: it has
 * answered with that alone. A process does so once if its own clock is far from the
 * server's, or if it has not asked for long.
 */
final class TimelyRunner extends ForwardingRunner {

	/* Two would do, unless servers with different times answer. */
	private static final int MOST_TRIES = 5;

	private TimelyRunner(ScriptRunner runner) {
		super(runner);
	}

	static TimelyRunner of(ScriptRunner runner) {
		return (runner instanceof TimelyRunner timely) ? timely : new TimelyRunner(runner);
	}

	private static @Nullable ScriptCall again(ScriptCall call, byte[] answer) {
		return (call.later() != null && answer.length == Double.BYTES)
				? call.later().apply(LimitScript.number(LimitScript.buffer(answer))) : null;
	}

	@Override
	public byte[] run(ScriptCall call, Deadline deadline) {
		return ofTime(call, this.runner.run(call, deadline), deadline);
	}

	private byte[] ofTime(ScriptCall call, byte[] first, Deadline deadline) {
		byte[] answer = first;
		ScriptCall again = again(call, answer);
		for (int tries = 1; again != null; tries++) {
			if (tries == MOST_TRIES) {
				throw RedisFailures.severalTimes();
			}
			answer = this.runner.run(again, deadline);
			again = again(again, answer);
		}
		return answer;
	}

	@Override
	public List<ScriptAnswer> runAll(List<ScriptCall> calls, Deadline deadline) {
		List<ScriptAnswer> answers = new ArrayList<>(this.runner.runAll(calls, deadline));
		for (int i = 0; i < answers.size(); i++) {
			byte[] bytes = answers.get(i).bytes();
			ScriptCall call = calls.get(i);
			if (bytes != null && again(call, bytes) != null) {
				answers.set(i, ScriptAnswer.await(() -> ofTime(call, bytes, deadline)));
			}
		}
		return answers;
	}

	@Override
	public CompletionStage<byte[]> post(ScriptCall call) {
		return ofTime(call, this.runner.post(call), this.runner::post, 1);
	}

	@Override
	public CompletionStage<byte[]> ask(ScriptCall call) {
		return ofTime(call, this.runner.ask(call), this.runner::ask, 1);
	}

	private static CompletionStage<byte[]> ofTime(ScriptCall call, CompletionStage<byte[]> first,
			Function<ScriptCall, CompletionStage<byte[]>> way, int tries) {
		return (call.later() == null) ? first : first.thenCompose((answer) -> {
			ScriptCall again = again(call, answer);
			if (again == null) {
				return CompletableFuture.completedStage(answer);
			}
			return (tries == MOST_TRIES) ? CompletableFuture.failedStage(RedisFailures.severalTimes())
					: ofTime(again, way.apply(again), way, tries + 1);
		});
	}

}
