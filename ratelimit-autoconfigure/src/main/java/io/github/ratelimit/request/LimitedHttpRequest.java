package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An HTTP request, whichever the web stack: what its rules, its handler and the methods
 * that the handler calls have acquired. Lives through all its dispatches.
 *
 * @since 0.1.0
 */
public abstract class LimitedHttpRequest implements LimitedRequest {

	private final Acquisition acquisition;

	private volatile List<Acquisition.Entry> others = List.of();

	private @Nullable Method handler;

	private List<Method> earlierHandlers = List.of();

	private boolean handlerEnforced;

	private boolean handlerCalled;

	private boolean waiting;

	private volatile @Nullable Object result;

	private volatile @Nullable Throwable exception;

	/* Null while no attempt is known to log in. */
	private @Nullable Boolean authenticationFailed;

	/**
	 * Creates a request that has acquired nothing.
	 * @param acquisition where its rules and its handler acquire permits
	 */
	protected LimitedHttpRequest(Acquisition acquisition) {
		this.acquisition = acquisition;
		acquisition.request = this;
	}

	/**
	 * What the request's rules and its handler's limits said.
	 * @return the request's own acquisition
	 */
	public final Acquisition acquisition() {
		return this.acquisition;
	}

	/**
	 * Notes which handler method a dispatch is about to call.
	 * @param handler the method
	 * @param proxied whether its call will be seen
	 * @param enforced whether there is nothing left to enforce when it is called
	 */
	public final void enter(Method handler, boolean proxied, boolean enforced) {
		if (this.handler != null && !this.handler.equals(handler) && !this.earlierHandlers.contains(this.handler)) {
			List<Method> earlier = new ArrayList<>(this.earlierHandlers);
			earlier.add(this.handler);
			this.earlierHandlers = earlier;
		}
		this.handler = handler;
		this.handlerEnforced = proxied && enforced;
		this.handlerCalled = !proxied;
	}

	/**
	 * Whether an earlier dispatch was for a handler method.
	 * @param handler the method
	 * @return {@code true} if it was entered before
	 */
	public final boolean hasEntered(Method handler) {
		return handler.equals(this.handler) || this.earlierHandlers.contains(handler);
	}

	@Override
	public boolean consumeEnforced(Method method) {
		if (this.handlerEnforced && isCallOfHandler(method)) {
			this.handlerEnforced = false;
			this.handlerCalled = true;
			return true;
		}
		return false;
	}

	@Override
	public Acquisition acquisition(Method method) {
		if (isCallOfHandler(method)) {
			this.handlerCalled = true;
			return this.acquisition;
		}
		return this.acquisition.call(method);
	}

	private boolean isCallOfHandler(Method method) {
		return !this.handlerCalled && this.handler != null
				&& (this.handler.equals(method) || isSame(this.handler, method));
	}

	/* A proxy may have been called by a method of an interface or a superclass. */
	private static boolean isSame(Method handler, Method method) {
		return handler.getName().equals(method.getName())
				&& Arrays.equals(handler.getParameterTypes(), method.getParameterTypes())
				&& (method.getDeclaringClass().isAssignableFrom(handler.getDeclaringClass())
						|| handler.getDeclaringClass().isAssignableFrom(method.getDeclaringClass()));
	}

	/**
	 * Whether something is to be settled when the request is over.
	 * @return {@code false} if no policy is charged by outcome
	 */
	public final boolean isCharged() {
		Settlement settlement = this.acquisition.settlement;
		return settlement != null && !settlement.hasBegun();
	}

	/**
	 * Whether a charge reads the authenticated user, or may read it.
	 * @return {@code true} if the user is to be noted once they are authenticated
	 */
	protected final boolean isChargedByPrincipal() {
		return this.acquisition.isChargedByPrincipal();
	}

	/**
	 * Finds what the handler has returned by now.
	 * @return the result, or {@code null} if it has returned nothing yet
	 */
	protected final @Nullable Object result() {
		return this.result;
	}

	/**
	 * Finds what the request has failed with by now.
	 * @return the exception, or {@code null} if nothing has failed
	 */
	protected final @Nullable Throwable exception() {
		return this.exception;
	}

	/**
	 * Notes what the handler has returned, or what its future or publisher has completed
	 * with.
	 * @param result the result, the last of several
	 * @param exception what it has failed with, if it has
	 */
	public final void noteResult(@Nullable Object result, @Nullable Throwable exception) {
		this.result = result;
		if (exception != null) {
			noteException(exception);
		}
	}

	/**
	 * Notes that the request has failed, even if something answers the failure.
	 * @param exception what it has failed with; the first is the cause of all others
	 */
	public void noteException(Throwable exception) {
		if (this.exception == null) {
			this.exception = exception;
		}
	}

	/**
	 * Notes that somebody tried to log in with this request. Of several attempts, one
	 * that has failed counts.
	 * @param failed whether they could not
	 */
	public final synchronized void noteAuthentication(boolean failed) {
		if (failed || this.authenticationFailed == null) {
			this.authenticationFailed = failed;
		}
	}

	/**
	 * Whether an attempt to log in has failed.
	 * @param refused what to answer where no attempt was noticed
	 */
	final synchronized boolean hasFailedAuthentication(boolean refused) {
		Boolean failed = this.authenticationFailed;
		return (failed != null) ? failed : refused;
	}

	/**
	 * Whether the answer to a request looks like that to an attempt to log in that
	 * nothing noticed, and that has failed.
	 * @param status the response's status
	 * @param failed whether the request has failed with an exception
	 * @return {@code false} if it was plainly no attempt, or one that has succeeded
	 */
	protected boolean isRefused(int status, boolean failed) {
		return failed || status >= 400;
	}

	/**
	 * Settles what the request has reserved. Does nothing if that was done before.
	 * @param status the response's status
	 */
	public final void settle(int status) {
		settle(new CallOutcome(status, this.result, this.exception,
				hasFailedAuthentication(isRefused(status, this.exception != null))));
	}

	/**
	 * Settles what the request has reserved. Does nothing if that was done before.
	 * @param outcome how it has ended
	 */
	protected final void settle(CallOutcome outcome) {
		this.acquisition.settle(outcome);
	}

	/**
	 * Notes that the request is about to wait for what it has acquired by now.
	 * @return gives its place back, however often it is run
	 */
	public final Runnable startWaiting() {
		this.waiting = true;
		this.acquisition.forgoDelay();
		return this.acquisition.takePlace();
	}

	/**
	 * Notes that the request has failed, and is no longer to wait for what it has
	 * acquired by now: an error page is not delayed.
	 */
	public final void forgoWait() {
		this.acquisition.forgoDelay();
	}

	/**
	 * Notes that the wait is over, one way or another.
	 * @return {@code true} if the request had been waiting
	 */
	public final boolean stopWaiting() {
		boolean stopped = this.waiting;
		this.waiting = false;
		return stopped;
	}

	/**
	 * Whether there is anything to wait for, or to wake up from.
	 * @return {@code false} for a request that can go on
	 */
	public final boolean waits() {
		return this.waiting || this.acquisition.waiting != null && this.acquisition.delayNanos() > 0;
	}

	/**
	 * Whether there is anything left to do when the request is over.
	 * @return {@code true} if something is to be settled, or a place to wait freed
	 */
	public final boolean isUnfinished() {
		return this.acquisition.settlement != null && isCharged()
				|| this.acquisition.waiting != null && this.acquisition.hasPlace();
	}

	/**
	 * Adds what was said to a method that the handler calls.
	 * @param call its acquisition
	 */
	protected final synchronized void add(Acquisition call) {
		if (call != this.acquisition) {
			List<Acquisition.Entry> merged = new ArrayList<>(this.others);
			merge(merged, call.entries);
			this.others = merged;
		}
	}

	/**
	 * Adds what a policy said, unless it is known what it said.
	 * @param said the policy and its decision
	 */
	public final synchronized void note(Acquisition.Entry said) {
		if (entries().stream().noneMatch((entry) -> entry.request().isOfSamePolicy(said.request()))) {
			List<Acquisition.Entry> more = new ArrayList<>(this.others);
			more.add(said);
			this.others = more;
		}
	}

	/**
	 * What to tell the client: one entry for each policy.
	 * @return the entries, in the order in which the policies were first asked
	 */
	public final List<Acquisition.Entry> entries() {
		List<Acquisition.Entry> own = this.acquisition.entries;
		List<Acquisition.Entry> others = this.others;
		if (own.size() + others.size() <= 1) {
			return others.isEmpty() ? own : others;
		}
		List<Acquisition.Entry> merged = new ArrayList<>(own.size() + others.size());
		merge(merged, own);
		if (!others.isEmpty()) {
			merge(merged, others);
		}
		return merged;
	}

	/* Of one policy and key the latest word counts, of several keys the tightest. */
	private static void merge(List<Acquisition.Entry> entries, List<Acquisition.Entry> more) {
		for (int i = 0; i < more.size(); i++) {
			Acquisition.Entry entry = more.get(i);
			int same = 0;
			while (same < entries.size() && !entry.isOfSamePolicy(entries.get(same))) {
				same++;
			}
			if (same == entries.size()) {
				entries.add(entry);
			}
			else if (entry.counts(entries.get(same))) {
				entries.set(same, entry);
			}
		}
	}

}
