package io.github.ratelimit.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimitClock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What README and the tour of the sample show is what happens.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class ReadmeTests {

	@LocalServerPort
	private int port;

	@Test
	void everyTranscriptShowsWhatHappens() throws IOException, InterruptedException {
		List<Transcript> transcripts = new ArrayList<>(Transcript.of(Path.of("..", "README.md")));
		transcripts.addAll(Transcript.of(Path.of("..", "docs", "sample.md")));
		assertThat(transcripts).hasSizeGreaterThan(12);
		Curl curl = new Curl(this.port);
		for (Transcript transcript : transcripts) {
			List<String> happened = curl.run(transcript.words()).stream().map(ReadmeTests::comparable).toList();
			assertThat(happened).as(transcript.command())
				.containsAll(transcript.shown()
					.stream()
					.filter((line) -> !line.equals("..."))
					.map(ReadmeTests::comparable)
					.toList());
		}
	}

	/*
	 * Headers' names have no case.
	 */
	private static String comparable(String line) {
		int colon = line.indexOf(": ");
		return (colon > 0 && !line.startsWith("{"))
				? line.substring(0, colon).toLowerCase(Locale.ROOT) + line.substring(colon) : line.strip();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class StoppedClock {

		@Bean
		RateLimitClock stoppedClock() {
			long noon = TimeUnit.SECONDS.toNanos(Instant.parse("2026-11-21T12:00:00Z").getEpochSecond());
			return () -> noon;
		}

	}

}
