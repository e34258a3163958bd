package io.github.ratelimit;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A policy was named that does not exist.
 */
public class UnknownPolicyException extends IllegalArgumentException {

	private final String policy;

	private final List<String> known;

	/**
	 * Creates the exception.
	 * @param policy the name that is not known
	 * @param known the names that are
	 */
	public UnknownPolicyException(String policy, Collection<String> known) {
		super("There is no rate limit policy named '" + policy + "'");
		this.policy = policy;
		this.known = known.stream().sorted().toList();
	}

	/**
	 * The name that is not known.
	 * @return the name
	 */
	public String policy() {
		return this.policy;
	}

	/**
	 * The names that are known.
	 * @return the names, sorted
	 */
	public List<String> known() {
		return this.known;
	}

	/**
	 * The known name that was probably meant.
	 * @return the nearest name, or {@code null} if none is near
	 */
	public @Nullable String nearest() {
		return NearestName.of(this.policy, this.known);
	}

}
