package io.github.ratelimit.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answers to callers before a fault, during it and afterwards.
 */
final class FaultReport {

	private static final Log logger = LogFactory.getLog(FaultReport.class);

	static final Duration TOLERANCE = Duration.ofMillis(20);

	private final List<FaultAnswer> all;

	/* Without those of a store that had yet to connect. */
	private final List<FaultAnswer> answers;

	private final Duration deadline;

	private final List<FaultControl> controls;

	private final long begun;

	private final long lifted;

	private final long over;

	/**
	 * Creates a report.
	 * @param all all answers
	 * @param deadline until when each was to be answered
	 * @param controls waited at the same time
	 * @param settled when all were first answered by the servers, in nanoseconds
	 * @param begun when the fault began
	 * @param lifted when it was lifted
	 * @param over when the last answer came from a server that was not in charge
	 */
	FaultReport(List<FaultAnswer> all, Duration deadline, List<FaultControl> controls, long settled, long begun,
			long lifted, long over) {
		this.all = all;
		this.answers = all.stream().filter((answer) -> answer.begin() >= settled).toList();
		this.deadline = deadline;
		this.controls = controls;
		this.begun = begun;
		this.lifted = lifted;
		this.over = over;
	}

	/**
	 * Writes a line to the test's log.
	 */
	FaultReport log(String name) {
		logger.info(name + ": " + this);
		return this;
	}

	void checkNoException() {
		assertThat(this.all.stream().map(FaultAnswer::failure).filter(Objects::nonNull)).as(toString()).isEmpty();
	}

	/**
	 * Checks that no caller waited longer than until the deadline, but for what the
	 * machine itself made others wait in the meantime.
	 */
	void checkDeadline() {
		long most = this.deadline.plus(TOLERANCE).toNanos() + lateNanos();
		assertThat(this.answers.stream()
			.filter((answer) -> answer.nanos() > most)
			.map((answer) -> millis(answer.nanos()) + " ms at " + millis(answer.end() - this.begun) + " ms, "
					+ millis(answer.runDelay()) + " ms of it without a processor"))
			.as("beyond " + this.deadline + ", " + this)
			.isEmpty();
	}

	/*
	 * A call may be held up when it begins to wait, when it ends, and twice by another
	 * that has what it needs. With hundreds of threads for a few processors, not each of
	 * them is as late as those that measure at the same moment, so that the longest that
	 * a caller has waited for a processor is added.
	 */
	private long lateNanos() {
		long controls = this.controls.stream().mapToLong(FaultControl::longestNanos).max().orElse(0);
		long callers = this.all.stream().mapToLong(FaultAnswer::runDelay).max().orElse(0);
		return 4 * controls + callers;
	}

	/**
	 * Checks that the fault was one.
	 */
	void checkNoticed() {
		assertThat(this.answers.stream().filter(FaultAnswer::fallback)).as(toString()).isNotEmpty();
	}

	/**
	 * Checks that the servers made every decision.
	 */
	void checkNotNoticed() {
		checkDecidedByServers((answer) -> true);
	}

	/**
	 * Checks that the servers made every decision that was asked for some time after the
	 * fault began.
	 */
	void checkDecidedByServers(Duration afterBegin, Predicate<FaultQuestion> questions) {
		long from = this.begun + afterBegin.toNanos();
		checkDecidedByServers((answer) -> answer.begin() >= from && questions.test(answer.question()));
	}

	private void checkDecidedByServers(Predicate<FaultAnswer> which) {
		List<FaultAnswer> asked = this.answers.stream().filter(which).toList();
		assertThat(asked).isNotEmpty();
		assertThat(asked.stream().filter(FaultAnswer::fallback).count())
			.as("of " + asked.size() + " not decided by the servers, " + this)
			.isLessThanOrEqualTo(heldUp(asked.size()));
	}

	/*
	 * A machine that holds our threads up for half of the time-out may hold a server up
	 * for the other half. Then calls time out, and those that come before the server is
	 * tried again are not sent.
	 */
	private long heldUp(int asked) {
		return (2 * lateNanos() >= this.deadline.toNanos()) ? asked / 50 : 0;
	}

	/**
	 * Checks that the servers make every decision from some time after the fault was
	 * lifted, but for what the machine itself made others wait in the meantime: the
	 * servers must agree, and then we must find them, and each may be held up.
	 */
	void checkBackWithin(Duration most) {
		long late = 2 * lateNanos();
		assertThat(backAfterNanos()).as(toString()).isLessThan(most.toNanos() + late);
	}

	private long backAfterNanos() {
		long last = this.answers.stream()
			.filter(FaultAnswer::fallback)
			.mapToLong(FaultAnswer::end)
			.max()
			.orElse(this.over);
		return Math.max(0, Math.max(last, this.over) - this.lifted);
	}

	/**
	 * Checks that decisions take about as long as before the fault, from some time after
	 * it began.
	 */
	void checkAsFastAsBefore(Duration afterBegin, Predicate<FaultQuestion> questions) {
		long from = this.begun + afterBegin.toNanos();
		long before = percentile((answer) -> answer.end() < this.begun && questions.test(answer.question()));
		long late = lateNanos();
		assertThat(percentile((answer) -> answer.begin() >= from && questions.test(answer.question())))
			.as("99 % were answered within " + millis(before) + " ms before, " + this)
			.isLessThan(2 * before + TOLERANCE.toNanos() + late);
	}

	private long percentile(Predicate<FaultAnswer> which) {
		long[] nanos = this.answers.stream().filter(which).mapToLong(FaultAnswer::nanos).sorted().toArray();
		assertThat(nanos).isNotEmpty();
		return nanos[nanos.length * 99 / 100];
	}

	/**
	 * Checks that no more was given than there is: by the servers a limit, and one more
	 * whenever they lost what they knew, and by whatever decided in their place one more
	 * in all. Where the servers have made every decision and lost nothing, no caller was
	 * given less either.
	 * @param losses how often the servers forgot what was taken
	 */
	void checkGiven(int losses) {
		Map<FaultQuestion, List<FaultAnswer>> asked = this.all.stream()
			.collect(Collectors.groupingBy(FaultAnswer::question));
		boolean noticed = this.all.stream().anyMatch(FaultAnswer::fallback);
		asked.forEach((question, answers) -> {
			long byServers = answers.stream().filter((answer) -> answer.allowed() && !answer.fallback()).count();
			long byFallback = answers.stream().filter((answer) -> answer.allowed() && answer.fallback()).count();
			assertThat(byServers).as(question.key() + ", " + this).isLessThanOrEqualTo(question.limit() * (1 + losses));
			assertThat(byFallback).as(question.key() + ", " + this).isLessThanOrEqualTo(question.limit());
			if (!noticed && losses == 0) {
				assertThat(byServers).as(question.key()).isEqualTo(Math.min(answers.size(), question.limit()));
			}
		});
	}

	private static long millis(long nanos) {
		return nanos / 1_000_000;
	}

	@Override
	public String toString() {
		return this.answers.size() + " answers, " + this.answers.stream().filter(FaultAnswer::fallback).count()
				+ " not by the servers, " + this.answers.stream().filter((answer) -> answer.failure() != null).count()
				+ " exceptions, longest " + millis(this.answers.stream().mapToLong(FaultAnswer::nanos).max().orElse(0))
				+ " ms, up to " + millis(lateNanos()) + " ms of it the machine's, fault of "
				+ millis(this.lifted - this.begun) + " ms, back " + millis(backAfterNanos()) + " ms after it";
	}

}
