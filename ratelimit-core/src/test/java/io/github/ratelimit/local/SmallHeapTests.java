package io.github.ratelimit.local;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What clients may make the states grow to does not end a process with little memory.
 */
@Tag("slow")
class SmallHeapTests {

	@ParameterizedTest
	@ValueSource(strings = { "-XX:+UseG1GC", "-XX:+UseSerialGC" })
	void twoThousandClientsThatFillLargeLogsAreServedWithinAHeapOf160Megabytes(String collector) throws Exception {
		JavaProcess flood = JavaProcess.run(LogFlood.class, "-Xmx160m", collector);
		assertThat(flood.exit()).as(flood.text()).isZero();
		assertThat(flood.text()).startsWith("allowed ").doesNotContain("OutOfMemoryError");
	}

}
