package io.github.ratelimit.remote;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitDecision;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.store.SharedOverrides;
import org.jspecify.annotations.Nullable;

/**
 * A store that is reached over a network, for a {@link ResilientStore} to wrap. It makes
 * each call once, within the time that it is given, and fails with a
 * {@link StoreCallException} that names the cause.
 *
 * @since 0.1.0
 */
public interface RemoteStore extends AutoCloseable {

	/**
	 * Returns the store's name in the actuator endpoint.
	 * @return a short name, such as {@code redis}
	 */
	String name();

	/**
	 * Returns the store's name in log lines and failures.
	 * @return a name that a sentence can begin with, such as {@code Redis}
	 */
	String displayName();

	/**
	 * Opens the states of a policy's keys. They are the same for all policies of a name,
	 * whichever limits these have.
	 * @param policy the policy
	 * @return decides for the policy on these states
	 * @throws InvalidRateLimitException if the store cannot hold such a policy
	 */
	RemoteDecider open(RateLimitPolicy policy);

	/**
	 * Names the servers that have keys at present.
	 * @return the names, with an empty text for an only server; empty if none is known
	 */
	Set<String> servers();

	/**
	 * Returns the address of the only server.
	 * @return the address; empty if there are several, or if it is not known
	 */
	String address();

	/**
	 * Prepares a check of the servers, for use while no request asks them.
	 * @return by server, a call that writes, as a decision does, because a server that
	 * takes no writes still answers
	 */
	Map<String, Call<?>> checks();

	/**
	 * Makes one call of several decisions: it takes from all policies, or from none.
	 * @param decisions each of another policy or key, as {@link RemoteDecider#decide}
	 * returned them
	 * @return the call, which answers with the decision of each policy; {@code null} if
	 * one call cannot do so. If a policy rejects, those of the others are those of a look
	 */
	@Nullable Call<List<RateLimitDecision>> together(List<Call<RateLimitDecision>> decisions);

	/**
	 * Returns where all instances of the application share what is changed while they
	 * run.
	 * @return the overrides, the same at each call; {@code null} if each instance is to
	 * have its own
	 */
	@Nullable SharedOverrides sharedOverrides();

	/**
	 * Closes the connections. Every call fails from then on.
	 */
	@Override
	void close();

	/**
	 * A call that can be made, once.
	 *
	 * @param <T> what it answers
	 */
	interface Call<T extends @Nullable Object> {

		/**
		 * Sends the call, and does not wait. Never fails: what is returned does.
		 * @param deadline until when there is time for the answer
		 */
		Answer<T> start(Deadline deadline);

	}

	/**
	 * The answer to a call that was sent, for one who waits or for one who does not: it
	 * is asked for in one of both ways, once.
	 *
	 * @param <T> what it says
	 */
	interface Answer<T extends @Nullable Object> {

		/**
		 * Waits for the answer on the caller's thread, until the deadline.
		 * @throws StoreCallException if there is none in time, or an error
		 */
		T await();

		/**
		 * Does something as soon as {@link #await} need not wait: at the deadline if
		 * there is no answer until then.
		 * @param next awaits the answer
		 * @return what it returns
		 */
		<U> CompletionStage<U> later(Supplier<U> next);

		/**
		 * Does something once the call has been answered, has failed, or has been given
		 * up, on whichever thread finds out.
		 */
		void whenOver(Runnable next);

	}

}
