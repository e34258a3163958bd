package io.github.ratelimit.remote;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitSession.Given;
import io.github.ratelimit.store.RateLimitSession.Question;

/**
 * A store that is reached over a network, for a {@link ResilientStore} to wrap. It makes
 * each call once, within the time that it is given, and fails with a
 * {@link StoreCallException} that names the cause.
 * <p>
 * Its methods are called with the same states that {@link #open} returned.
 *
 * @since 0.1.0
 */
public interface RemoteStore {

	/**
	 * The store's name in the actuator endpoint.
	 * @return a short name, such as {@code redis}
	 */
	String name();

	/**
	 * The store's name in log lines and failures.
	 * @return a name that a sentence can begin with, such as {@code Redis}
	 */
	String displayName();

	/**
	 * Opens the states of a policy's keys. Every call of the states may throw a
	 * {@link StoreCallException}.
	 * @param policy the policy
	 * @return the states of the policy's keys
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	PolicyDecider open(RateLimitPolicy policy);

	/**
	 * Whether the keys are spread over several servers, each of which may fail alone.
	 */
	default boolean hasSeveralServers() {
		return false;
	}

	/**
	 * Names the server that has a key, as far as it is known. Asked for each request, and
	 * only of a store that has several servers.
	 * @param states the policy's states
	 * @param key the key
	 * @return the same name for all keys of a server, or an empty text
	 */
	default String server(PolicyDecider states, String key) {
		return "";
	}

	/**
	 * Names the servers that have keys at present.
	 * @return the names, with an empty text for an only server; empty if none is known
	 */
	default Set<String> servers() {
		return Set.of("");
	}

	/**
	 * The address of the only server.
	 * @return the address; empty if there are several, or if it is not known
	 */
	default String address() {
		return "";
	}

	/**
	 * Prepares a check of the servers, for use while no request asks them.
	 */
	Check check();

	/**
	 * Whether one call can decide on several policies.
	 * @param states the policies
	 */
	default boolean decidesTogether(List<PolicyDecider> states) {
		return false;
	}

	/**
	 * Decides on several policies in one call: takes from all of them, or from none.
	 * @param questions what to ask of each policy, which {@link #decidesTogether allows}
	 * it
	 * @param deadline until when to wait
	 * @return the decision of each policy. If one rejects, those of the others are those
	 * of a look
	 * @throws StoreCallException if there is no answer
	 */
	default List<RateLimitDecision> decideTogether(List<Question> questions, Deadline deadline) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Asks each question separately, on all servers at once.
	 * @param questions what to ask
	 * @param deadline until when to wait for all answers
	 * @return for each, in order, what waits for its decision, or throws a
	 * {@link StoreCallException}
	 */
	List<Supplier<RateLimitDecision>> decideEach(List<Question> questions, Deadline deadline);

	/**
	 * Refunds permits, on all servers at once.
	 * @param given what to refund, each of another key
	 * @param deadline until when to wait for all answers
	 * @return for each, in order, what waits until it is done, or throws a
	 * {@link StoreCallException}
	 */
	List<Supplier<?>> refundEach(List<Given> given, Deadline deadline);

	/**
	 * Refunds permits without making the caller wait, and ignores failures.
	 * @param given what to refund
	 */
	void refundLater(Given given);

	/**
	 * One check of the servers.
	 */
	interface Check {

		/**
		 * Names the servers that can be checked.
		 */
		Set<String> servers();

		/**
		 * Asks servers, all at once, whether they would decide. The question writes, as a
		 * decision does, because a server that takes no writes still answers.
		 * @param servers some of the {@link #servers}
		 * @param deadline until when to wait for all answers
		 * @return the failures, by server; servers without one have answered
		 */
		Map<String, StoreCallException> ask(Set<String> servers, Deadline deadline);

	}

}
