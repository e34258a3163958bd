package io.github.ratelimit.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.test.model.RandomCases;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is stored where, whatever clients call themselves.
 */
class RedisKeysTests {

	private static final String[] PIECES = { "", ":", "::", "{", "}", "}:log1", ":log2", "{}", "sha256-", "a", "b",
			"192.0.2.1", "2001:db8::1", " ", "\n", "\u0000", "\u007f", "\u00e9", "\ufffd", "?", "\ud800", "\udfff",
			"\ud83d\ude00", "x".repeat(127), "x".repeat(128), "x".repeat(129), "y".repeat(10_000) };

	@Test
	void keysSayWhatTheyAreOf() {
		assertThat(names("shop", "login", "2001:db8::1", 2)).containsExactly("shop:{login:2001:db8::1}",
				"shop:{login:2001:db8::1}:log1", "shop:{login:2001:db8::1}:log2");
		assertThat(Stream.of(new RedisKeys("shop", "login", 1).of("bob", RedisKeys.BAN, RedisKeys.SHADOW_BAN))
			.map((name) -> new String(name, StandardCharsets.US_ASCII))).containsExactly("shop:{login:bob}",
					"shop:{login:bob}:log1", "shop:{login:bob}:ban", "shop:{login:bob}:shadow-ban");
	}

	@Test
	void differentPoliciesAndKeysNeverMeet() {
		RandomCases.check(200, (random) -> {
			Map<String, List<String>> owners = new HashMap<>();
			List<String> texts = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				List<String> owner = List.of(text(random, texts), text(random, texts));
				for (String name : names("test", owner.get(0), owner.get(1), 2)) {
					assertThat(owners.putIfAbsent(name, owner)).as(name).isIn(null, owner);
					texts.add(name);
					texts.add(name.substring(name.indexOf('{') + 1, name.lastIndexOf('}')));
					texts.add(name.substring(name.lastIndexOf(':', name.lastIndexOf('}')) + 1, name.lastIndexOf('}')));
				}
			}
		});
	}

	/*
	 * An attacker knows how the names of others are made.
	 */
	private static String text(Random random, List<String> texts) {
		if (!texts.isEmpty() && random.nextInt(4) == 0) {
			return texts.get(random.nextInt(texts.size()));
		}
		StringBuilder text = new StringBuilder();
		for (int i = random.nextInt(4); i > 0; i--) {
			text.append(PIECES[random.nextInt(PIECES.length)]);
		}
		return text.toString();
	}

	@Test
	void allStateOfAKeyIsInOneHashSlot() {
		RandomCases.check(2000, (random) -> {
			String key = text(random, List.of());
			byte[][] keys = new RedisKeys("test", text(random, List.of()), 1, 2, 3).of(key, RedisKeys.BAN,
					RedisKeys.SHADOW_BAN);
			assertThat(Arrays.stream(keys).map(SlotHash::getSlot).distinct()).as(key).hasSize(1);
		});
	}

	@Test
	void namesAreShortPrintableAscii() {
		RandomCases.check(500, (random) -> {
			String text = text(random, List.of());
			assertThat(names("test", text, text, 1)).allSatisfy((name) -> {
				assertThat(name).matches("[!-~]*");
				assertThat(name.length()).isLessThan(300);
			});
		});
	}

	private static List<String> names(String prefix, String policy, String key, int logs) {
		return Arrays.stream(new RedisKeys(prefix, policy, IntStream.rangeClosed(1, logs).toArray()).of(key))
			.map((name) -> new String(name, StandardCharsets.UTF_8))
			.toList();
	}

}
