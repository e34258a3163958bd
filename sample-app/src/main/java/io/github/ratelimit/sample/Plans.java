package io.github.ratelimit.sample;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Which customer has which plan. Public, as what expressions call has to be.
 */
@Component("plans")
public class Plans {

	private final Map<String, String> planByKey = Map.of("tiny", "free", "acme", "pro");

	/**
	 * Returns who is limited.
	 * @param apiKey the customer's API key
	 * @return the API key, or {@code null} if there is no such key, so that the address
	 * is limited, and nobody gains by inventing keys
	 */
	public @Nullable String customerOf(@Nullable String apiKey) {
		return (of(apiKey) != null) ? apiKey : null;
	}

	/**
	 * Returns the plan of a customer.
	 * @param apiKey the customer's API key
	 * @return the plan's name, or {@code null} if there is no such key
	 */
	public @Nullable String of(@Nullable String apiKey) {
		return (apiKey != null) ? this.planByKey.get(apiKey) : null;
	}

}
