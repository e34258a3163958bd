package io.github.ratelimit.integration.documentation.recipes.plan;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Which customer has which plan. Public, as what expressions call has to be.
 */
@Component("plans")
public class Plans {

	private final Map<String, String> planByKey = Map.of("key-of-acme", "pro", "key-of-tiny", "free");

	public @Nullable String customerOf(@Nullable String apiKey) {
		return (of(apiKey) != null) ? apiKey : null;
	}

	public @Nullable String of(@Nullable String apiKey) {
		return (apiKey != null) ? this.planByKey.get(apiKey) : null;
	}

}
