package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Lets 200 callers decide while something goes wrong, and records every answer. It knows
 * nothing of Redis, so that any store can be put to the same.
 */
final class FaultDriver {

	private static final int CALLERS = 200;

	private static final int CONTROLS = 2;

	/* Enough to have asked for a key of each of three groups. */
	private static final int WELL = 3;

	/* How long decisions usually take is seen before the fault. */
	private static final Duration BEFORE = Duration.ofMillis(150);

	/* Callers that are not back by then are given up. */
	private static final Duration MAX_DURATION = Duration.ofSeconds(12);

	private final List<FaultCaller> callers;

	private final List<FaultControl> controls;

	private final Duration deadline;

	private final LongSupplier now;

	/**
	 * Creates a driver.
	 * @param questions what to ask, by all in turn
	 * @param deadline until when each is to be answered
	 * @param now the real time, in nanoseconds
	 */
	FaultDriver(List<FaultQuestion> questions, Duration deadline, LongSupplier now) {
		this.now = now;
		this.callers = IntStream.range(0, CALLERS)
			.mapToObj((number) -> new FaultCaller(questions, number, now))
			.toList();
		this.controls = Stream.generate(() -> new FaultControl(now)).limit(CONTROLS).toList();
		this.deadline = deadline;
	}

	/**
	 * Asks until all are answered by the servers, and on while the fault lasts, and until
	 * all are answered by the servers again, or far too long has passed.
	 * @param fault what goes wrong
	 * @param hold how long
	 * @param after how long to ask on afterwards at least
	 * @return all answers
	 */
	FaultReport run(Fault fault, Duration hold, Duration after) {
		this.controls.forEach(Thread::start);
		this.callers.forEach(Thread::start);
		try {
			if (!awaitWell()) {
				throw new AssertionError("The servers do not decide, although nothing is wrong yet");
			}
			long settled = this.now.getAsLong();
			pause(BEFORE);
			long begun = this.now.getAsLong();
			fault.begin().run();
			pause(hold);
			fault.end().run();
			long lifted = this.now.getAsLong();
			await(fault.isOver());
			long over = this.now.getAsLong();
			pause(after);
			awaitWell();
			stop();
			return new FaultReport(this.callers.stream().flatMap((caller) -> caller.answers().stream()).toList(),
					this.deadline, this.controls, settled, begun, lifted, over);
		}
		finally {
			stop();
		}
	}

	private boolean awaitWell() {
		int[] before = this.callers.stream().mapToInt(FaultCaller::answered).toArray();
		return await(() -> IntStream.range(0, CALLERS).allMatch((number) -> {
			FaultCaller caller = this.callers.get(number);
			return caller.answered() > before[number] + WELL && caller.wellInARow() >= WELL;
		}));
	}

	private boolean await(BooleanSupplier condition) {
		long end = this.now.getAsLong() + MAX_DURATION.toNanos();
		while (!condition.getAsBoolean()) {
			if (this.now.getAsLong() > end) {
				return false;
			}
			LockSupport.parkNanos(5_000_000);
		}
		return true;
	}

	private void pause(Duration duration) {
		long end = this.now.getAsLong() + duration.toNanos();
		while (this.now.getAsLong() < end) {
			LockSupport.parkNanos(end - this.now.getAsLong());
		}
	}

	private void stop() {
		this.callers.forEach(FaultCaller::end);
		this.controls.forEach(FaultControl::end);
		try {
			for (Thread each : Stream.concat(this.callers.stream(), this.controls.stream()).toList()) {
				each.join(MAX_DURATION.toMillis());
				if (each.isAlive()) {
					throw new AssertionError("It does not return: " + List.of(each.getStackTrace()));
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
