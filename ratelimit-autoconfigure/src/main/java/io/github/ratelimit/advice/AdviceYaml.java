package io.github.ratelimit.advice;

import java.time.Duration;

import io.github.ratelimit.RateLimitPolicy;

/**
 * A limit as a configuration file has it.
 */
final class AdviceYaml {

	private AdviceYaml() {
	}

	static String of(RateLimitPolicy policy, long limit, Duration window, long burst) {
		StringBuilder yaml = new StringBuilder("ratelimit:\n  policies:\n    ");
		yaml.append(quoted(isPlain(policy.name()) ? policy.name() : "[" + policy.name() + "]")).append(":\n");
		yaml.append("      mode: shadow # rejects nobody until it is removed\n");
		if (policy.key() != null) {
			yaml.append("      key: ").append(quoted(policy.key())).append('\n');
		}
		yaml.append("      limit: ").append(limit).append('\n');
		yaml.append("      window: ").append(window(window)).append('\n');
		return yaml.append("      burst: ").append(burst).append('\n').toString();
	}

	private static boolean isPlain(String name) {
		return name.chars().allMatch((c) -> c == '-' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9');
	}

	/* In quotes everything is text. */
	private static String quoted(String text) {
		StringBuilder quoted = new StringBuilder("\"");
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			switch (c) {
				case '"', '\\' -> quoted.append('\\').append(c);
				case '\n' -> quoted.append("\\n");
				case '\t' -> quoted.append("\\t");
				default -> quoted.append(c);
			}
		}
		return quoted.append('"').toString();
	}

	private static String window(Duration window) {
		long micros = window.toNanos() / 1000;
		return (micros % 86_400_000_000L == 0) ? micros / 86_400_000_000L + "d"
				: (micros % 3_600_000_000L == 0) ? micros / 3_600_000_000L + "h"
						: (micros % 60_000_000 == 0) ? micros / 60_000_000 + "m"
								: (micros % 1_000_000 == 0) ? micros / 1_000_000 + "s"
										: (micros % 1000 == 0) ? micros / 1000 + "ms" : micros + "us";
	}

}
