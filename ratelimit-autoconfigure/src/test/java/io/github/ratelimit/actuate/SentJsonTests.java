package io.github.ratelimit.actuate;

import java.lang.reflect.RecordComponent;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * What is read of an object that was sent.
 */
class SentJsonTests {

	@Test
	void limitHasEachMemberAsItIsSent() {
		assertThat(read("""
				{ "limits": [
				  { "limit": null, "burst": 7 },
				  { "algorithm": "a", "limit": 1, "window": "w", "zone": "z", "from": "04-06", "burst": 2, "delay": 3.5,
				    "nodelay": true, "countRejected": "false" } ] }""")).containsOnly(entry("limits[0].burst", "7"),
				entry("limits[1].algorithm", "a"), entry("limits[1].limit", "1"), entry("limits[1].window", "w"),
				entry("limits[1].zone", "z"), entry("limits[1].from", "04-06"), entry("limits[1].burst", "2"),
				entry("limits[1].delay", "3.5"), entry("limits[1].nodelay", "true"),
				entry("limits[1].count-rejected", "false"));
	}

	@Test
	void eachNumberOfAPropertyCanBeSent() throws Exception {
		Class<?> limit = Class.forName("io.github.ratelimit.autoconfigure.RateLimitProperties$Limit");
		for (RecordComponent number : limit.getRecordComponents()) {
			assertThat(read("{ \"limits\": [ { \"%s\": 1 } ] }".formatted(number.getName()))).containsValue("1");
		}
	}

	@Test
	void overrideHasEachMemberAsItIsSent() {
		assertThat(read("""
				{ "mode": "shadow", "for": 2, "reason": " ", "count-rejected": true }""")).containsOnly(
				entry("mode", "shadow"), entry("for", "2"), entry("reason", " "), entry("count-rejected", "true"));
	}

	private static Map<String, String> read(String json) {
		return SentJson.ofOverride(json).create((sent) -> sent);
	}

}
