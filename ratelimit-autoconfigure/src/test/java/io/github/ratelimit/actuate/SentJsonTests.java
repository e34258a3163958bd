package io.github.ratelimit.actuate;

import java.util.List;

import io.github.ratelimit.actuate.OverrideReader.SentLimit;
import io.github.ratelimit.actuate.OverrideReader.SentOverride;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is read of an object that was sent.
 */
class SentJsonTests {

	private static final SentLimit NONE = new SentLimit(null, null, null, null, null, null, null, null, null);

	@Test
	void limitHasEachMemberAsItIsSent() {
		SentOverride sent = read("""
				{ "limits": [
				  { "limit": null, "burst": 7 },
				  { "algorithm": "a", "limit": 1, "window": "w", "zone": "z", "from": "04-06", "burst": 2, "delay": 3.5,
				    "nodelay": true, "countRejected": "false" } ] }""");
		assertThat(sent.single()).isEqualTo(NONE);
		assertThat(sent.limits()).containsExactly(new SentLimit(null, null, null, null, null, "7", null, null, null),
				new SentLimit("a", "1", "w", "z", "04-06", "2", "3.5", "true", "false"));
	}

	@Test
	void overrideHasEachMemberAsItIsSent() {
		SentOverride sent = read("""
				{ "mode": "shadow", "for": 2, "reason": " ", "count-rejected": true }""");
		assertThat(sent).isEqualTo(new SentOverride(
				new SentLimit(null, null, null, null, null, null, null, null, "true"), List.of(), "shadow", "2", " "));
	}

	private static SentOverride read(String json) {
		return SentJson.ofOverride(json).create((sent) -> sent);
	}

}
