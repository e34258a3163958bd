package io.github.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A name, a key, and one or more limits that are decided together: all agree, or nothing
 * is taken.
 * <p>
 * Immutable and valid: an invalid name, an invalid key or the lack of a limit is rejected
 * when the policy is built.
 *
 * @since 0.1.0
 * @see #of(String, RateLimit...)
 * @see #builder(String)
 */
public final class RateLimitPolicy {

	private static final int LONGEST_NAME = 128;

	/* Servers and Spring Security reject paths with these, however they are encoded. */
	private static final String UNREACHABLE = "/\\;%";

	private final String name;

	private final @Nullable String key;

	private final List<RateLimit> limits;

	private RateLimitPolicy(String name, @Nullable String key, List<RateLimit> limits) {
		this.name = name;
		this.key = key;
		this.limits = limits;
	}

	/**
	 * Creates a policy with the default key.
	 * @param name the policy's name
	 * @param limits its limits
	 * @return the policy
	 * @throws InvalidRateLimitException if the name is invalid or there is no limit
	 */
	public static RateLimitPolicy of(String name, RateLimit... limits) {
		return builder(name).limits(List.of(limits)).build();
	}

	/**
	 * Starts to describe a policy.
	 * @param name what the policy is called in headers, metrics and the endpoint:
	 * printable ASCII, at most 128 characters, without slashes, backslashes, semicolons
	 * and percent signs, and neither {@code .} nor {@code ..}
	 * @return a builder that needs at least one limit
	 */
	public static Builder builder(String name) {
		return new Builder(name);
	}

	/**
	 * Whether a text can name a policy.
	 * @param name the text
	 * @return {@code true} if a policy can have that name
	 */
	public static boolean isName(String name) {
		return !name.isBlank() && name.length() <= LONGEST_NAME && !name.equals(".") && !name.equals("..")
				&& name.chars().allMatch((c) -> c >= ' ' && c <= '~' && UNREACHABLE.indexOf(c) < 0);
	}

	/**
	 * The policy's name.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The expression for the key that is limited.
	 * @return the expression, or {@code null} for the application's default
	 */
	public @Nullable String key() {
		return this.key;
	}

	/**
	 * The limits that are decided together.
	 * @return the limits in their order, at least one
	 */
	public List<RateLimit> limits() {
		return this.limits;
	}

	/**
	 * The most permits that can pass in one instant. A request of more can never pass.
	 * @return the smallest of the limits' capacities
	 */
	public long capacity() {
		return this.limits.stream().mapToLong(RateLimit::capacity).min().orElseThrow();
	}

	/**
	 * Whether an allowed request may have to wait first.
	 * @return {@code true} if one of the limits delays
	 */
	public boolean delays() {
		return this.limits.stream().anyMatch(RateLimit::delays);
	}

	/**
	 * The longest that an allowed request may have to wait.
	 * @return the longest of the limits' delays
	 */
	public Duration longestDelay() {
		return this.limits.stream().map(RateLimit::longestDelay).max(Comparator.naturalOrder()).orElseThrow();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || other instanceof RateLimitPolicy that && this.name.equals(that.name)
				&& Objects.equals(this.key, that.key) && this.limits.equals(that.limits);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.name, this.key, this.limits);
	}

	@Override
	public String toString() {
		return this.name + ((this.key != null) ? " by " + this.key : "") + ": " + this.limits;
	}

	/**
	 * Describes a policy step by step.
	 */
	public static final class Builder {

		private final String name;

		private final List<RateLimit> limits = new ArrayList<>();

		private @Nullable String key;

		Builder(String name) {
			this.name = name;
		}

		/**
		 * Sets the expression for the key that is limited.
		 * @param key the expression, such as {@code clientAddress}, or {@code null} for
		 * the application's default
		 * @return this builder
		 */
		public Builder key(@Nullable String key) {
			this.key = key;
			return this;
		}

		/**
		 * Adds a limit.
		 * @param limit the limit
		 * @return this builder
		 */
		public Builder limit(RateLimit limit) {
			this.limits.add(limit);
			return this;
		}

		/**
		 * Adds limits.
		 * @param limits the limits
		 * @return this builder
		 */
		public Builder limits(Collection<RateLimit> limits) {
			this.limits.addAll(limits);
			return this;
		}

		/**
		 * Builds the policy.
		 * @return the policy
		 * @throws InvalidRateLimitException if the name or the key is invalid, or there
		 * is no limit
		 */
		public RateLimitPolicy build() {
			checkName();
			checkKey();
			if (this.limits.isEmpty()) {
				throw new InvalidRateLimitException("limits", this.limits,
						"has no entry, so that the policy would do nothing",
						"Give the policy '" + this.name + "' at least one limit.");
			}
			return new RateLimitPolicy(this.name, this.key, List.copyOf(this.limits));
		}

		private void checkName() {
			if (!isName(this.name)) {
				throw new InvalidRateLimitException("name", '"' + this.name + '"',
						"cannot name a policy, because it is sent in headers and asked for in the path of the endpoint",
						"Use 1 to " + LONGEST_NAME
								+ " printable ASCII characters, such as login, other than / \\ ; and %, "
								+ "and not . or .. alone.");
			}
		}

		private void checkKey() {
			if (this.key != null && this.key.isBlank()) {
				throw new InvalidRateLimitException("key", '"' + this.key + '"', "is blank",
						"Remove it for the default key, or write an expression such as clientAddress.");
			}
		}

	}

}
