package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitExceededException;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request, whichever the web stack: what its rules, its handler and the methods
 * that the handler calls have acquired. It lives through all its dispatches.
 *
 * @since 0.1.0
 */
public abstract class LimitedHttpRequest extends Acquisition implements LimitedRequest {

	private final long longestWaitNanos;

	/* What policies decided elsewhere: for called methods, or with a thrown rejection. */
	private volatile List<AcquisitionEntry> others = List.of();

	private @Nullable Method handler;

	private final List<Method> entered = new ArrayList<>(1);

	private boolean handlerEnforced;

	private boolean handlerCalled;

	/* Whether the request was passed on to a handler or a servlet. */
	private boolean passedOn;

	/*
	 * Whether it was before this dispatch. They may have done all that limits are for,
	 * and then forwarded the request, or included another.
	 */
	private boolean handled;

	private boolean waiting;

	/* The rejection that the handler's fallback is to answer in the handler's place. */
	private @Nullable AcquisitionEntry toAnswer;

	private volatile @Nullable Object result;

	private volatile @Nullable Throwable exception;

	/* Whether somebody has left before the request was over. */
	private volatile boolean cancelled;

	/* Whether the server has dispatched the request once more, to show an error. */
	private boolean errorShown;

	/*
	 * This and the next are noted when something is decided on that is charged by its
	 * outcome. When the request is over, its view may be that of an error page or of
	 * another dispatch.
	 */
	private boolean acting;

	private boolean authorized;

	/* Null while no attempt is known to log in. */
	private @Nullable Boolean authenticationFailed;

	/**
	 * Creates a request that has acquired nothing.
	 * @param room where requests wait
	 * @param longestWaitNanos a policy that could delay the request for longer does not
	 * delay it
	 */
	protected LimitedHttpRequest(WaitingRoom room, long longestWaitNanos) {
		super(room);
		this.longestWaitNanos = longestWaitNanos;
	}

	@Override
	final long longestWaitNanos() {
		return this.longestWaitNanos;
	}

	@Override
	final @Nullable String client() {
		RequestView view = view();
		if (view == null) {
			return null;
		}
		return view.clientAddress();
	}

	/**
	 * Notes which handler method a dispatch is about to call.
	 * @param handler the method
	 * @param proxied whether its call will be seen
	 * @param enforced whether there is nothing left to enforce when it is called
	 */
	public final void enter(Method handler, boolean proxied, boolean enforced) {
		if (!this.entered.contains(handler)) {
			this.entered.add(handler);
		}
		this.handler = handler;
		this.handlerEnforced = proxied && enforced;
		this.handlerCalled = !proxied;
	}

	/**
	 * Whether a dispatch was for a handler method.
	 * @param handler the method
	 * @return {@code true} if it was entered before
	 */
	public final boolean hasEntered(Method handler) {
		return this.entered.contains(handler);
	}

	/**
	 * Notes that the request is passed on to a handler or a servlet, once all before them
	 * has let it pass.
	 */
	public final void notePassedOn() {
		this.passedOn = true;
	}

	/**
	 * Notes that the request is dispatched, or dispatched again by what it was passed on
	 * to.
	 */
	public final void noteDispatched() {
		this.handled = this.passedOn;
	}

	@Override
	final boolean isUsedUp() {
		return this.handled || hasFailed() || hasFailedAuthentication(false);
	}

	/*
	 * Whether something else was wrong before the request was rejected. A rejection is no
	 * failure, whatever has wrapped it.
	 */
	private boolean hasFailed() {
		Throwable exception = this.exception;
		return exception != null && RateLimitExceededException.find(exception, Throwable.class) == null;
	}

	@Override
	final boolean hasUnknownCredentials() {
		return this.authorized && hasFailedAuthentication(true);
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

	/**
	 * Notes that the handler's limits have rejected the request, and that the handler's
	 * fallback is to answer it once the handler is called.
	 */
	public final void fallBack() {
		this.toAnswer = rejection();
	}

	/**
	 * Consumes the note that the handler's fallback is to answer, which is there once.
	 * @return the rejection that it answers, or {@code null} if the handler itself is to
	 * be called
	 */
	public final @Nullable AcquisitionEntry consumeFallback() {
		AcquisitionEntry rejection = this.toAnswer;
		this.toAnswer = null;
		return rejection;
	}

	@Override
	public Acquisition acquisition(Method method) {
		return isCallOfHandler(method) ? this : call(method);
	}

	@Override
	public Acquisition beginCall(Method method) {
		Acquisition acquisition = acquisition(method);
		if (acquisition == this) {
			this.handlerCalled = true;
		}
		return acquisition;
	}

	/* A proxy may have been called by a method of an interface or a superclass. */
	private boolean isCallOfHandler(Method method) {
		Method handler = this.handler;
		return !this.handlerCalled && handler != null && handler.getName().equals(method.getName())
				&& Arrays.equals(handler.getParameterTypes(), method.getParameterTypes())
				&& areRelated(handler.getDeclaringClass(), method.getDeclaringClass());
	}

	private static boolean areRelated(Class<?> one, Class<?> other) {
		return one.isAssignableFrom(other) || other.isAssignableFrom(one);
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
	 * Notes that the request has failed, and that handlers which are called from now on
	 * show the error.
	 */
	protected final void showError() {
		this.errorShown = true;
	}

	/*
	 * Notes what the handler has returned, or what its future or publisher has completed
	 * with: the last of several.
	 */
	@Override
	final boolean noteEnd(@Nullable Object result, @Nullable Throwable exception) {
		if (!this.errorShown) {
			this.result = result;
		}
		if (exception != null) {
			noteException(exception);
		}
		return true;
	}

	/*
	 * That whoever reads what the handler returns has left is no failure of it.
	 */
	@Override
	final boolean noteLeft(@Nullable Object result) {
		noteCancelled();
		return noteEnd(result, null);
	}

	/**
	 * Notes that the client has gone, or whoever answers it has stopped, before the
	 * request was over.
	 */
	public final void noteCancelled() {
		this.cancelled = true;
	}

	/**
	 * Notes that the request has failed, even if something answers the failure. That its
	 * client went away is no failure, but it has left before the request was over.
	 * @param exception what it has failed with; the first is the cause of all others
	 */
	public final void noteException(Throwable exception) {
		if (ClientDisconnects.areCauseOf(exception)) {
			noteCancelled();
		}
		else if (this.exception == null) {
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
	 * Notes what all attempts to log in with this request have come to by now, in place
	 * of what was noted of them.
	 * @param failed whether one of them has failed
	 */
	public final synchronized void replaceAuthentication(boolean failed) {
		this.authenticationFailed = failed;
	}

	/**
	 * Whether an attempt to log in with this request is known to have failed.
	 * @return {@code true} if such a failure was noted
	 */
	public final synchronized boolean hasFailedAttempt() {
		return Boolean.TRUE.equals(this.authenticationFailed);
	}

	/**
	 * Whether an attempt to log in with this request has come to nothing, so that no
	 * failure was noted of it.
	 * @return {@code false} if each has had a result by now
	 */
	protected boolean hasFruitlessAttempt() {
		return false;
	}

	/**
	 * Whether somebody is known to have tried to log in with this request.
	 * @return {@code true} if it was noted whether they could
	 */
	protected final synchronized boolean isAuthenticationNoted() {
		return this.authenticationFailed != null;
	}

	@Override
	final boolean isLeft() {
		return this.cancelled;
	}

	@Override
	final Boolean hasFailedAuthentication(boolean refused) {
		if (hasFruitlessAttempt()) {
			return true;
		}
		synchronized (this) {
			return Objects.requireNonNullElse(this.authenticationFailed, refused);
		}
	}

	@Override
	final void noteRequest() {
		RequestView view = view();
		this.acting |= view == null || !view.isReading();
		this.authorized |= isAuthorized(view);
	}

	/*
	 * Whether the response looks like that to an attempt to log in that nothing noticed,
	 * and that has failed. A form's login is answered by a redirection either way, and a
	 * page for an error may be a 200. A request that only reads is no attempt unless it
	 * has credentials.
	 */
	private boolean isRefused(int status) {
		if (!this.acting && !this.authorized) {
			return false;
		}
		int leastFailure = this.acting ? 300 : 400;
		return this.exception != null || this.errorShown || status >= leastFailure;
	}

	/**
	 * Whether credentials came with the request.
	 * @return {@code true} if it has the field for them
	 */
	public final boolean isAuthorized() {
		return isAuthorized(view());
	}

	private static boolean isAuthorized(@Nullable RequestView view) {
		return view != null && view.header("Authorization") != null;
	}

	/**
	 * Settles what the request has reserved. Does nothing if that was done before.
	 * @param status the response's status
	 */
	public final void settleByStatus(int status) {
		boolean authenticationFailed = hasFailedAuthentication(isRefused(status));
		settleBy(new CallOutcome(status, this.result, this.exception, authenticationFailed, this.cancelled));
	}

	/**
	 * Settles what the request has reserved, because its client has gone, or the server
	 * has ended it, before it was over. Does nothing if that was done before.
	 * @param status the response's status, or {@code null} if nothing was sent of it
	 */
	public final void settleCancelled(@Nullable Integer status) {
		noteCancelled();
		if (status != null) {
			settleByStatus(status);
		}
		else {
			settleBy(CallOutcome.UNKNOWN);
		}
	}

	/**
	 * Notes that the request is about to wait for what it has acquired by now.
	 * @return frees its slot, however often it is run
	 */
	public final Runnable startWaiting() {
		this.waiting = true;
		forgoDelay();
		return handOverSlot();
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
	 * Whether the request still has to wait, or is waiting.
	 * @return {@code false} for a request that can go on
	 */
	public final boolean waits() {
		return this.waiting || delayNanos() > 0;
	}

	/**
	 * Adds what policies decided elsewhere: for a method that the handler calls, or with
	 * a rejection that was thrown.
	 * @param decided the policies and their decisions
	 */
	public final synchronized void add(List<AcquisitionEntry> decided) {
		this.others = merged(this.others, decided);
	}

	/*
	 * What a call was told of the same policy and key is older.
	 */
	@Override
	final void noteDecided(AcquisitionEntry entry) {
		if (!this.others.isEmpty()) {
			removeOther(entry.request());
		}
	}

	private synchronized void removeOther(PermitRequest same) {
		this.others = this.others.stream().filter((other) -> !other.request().isSameState(same)).toList();
	}

	@Override
	public @Nullable List<AcquisitionEntry> decided() {
		return reportedEntries();
	}

	/**
	 * What to report to the client: one entry for each policy.
	 * @return the entry that tells most about each policy, be it of the request itself or
	 * of a call that it makes; those of policies that only its calls have asked come last
	 */
	public final List<AcquisitionEntry> reportedEntries() {
		List<AcquisitionEntry> own = entries();
		if (own.size() > 1) {
			own = merged(List.of(), own);
		}
		List<AcquisitionEntry> others = this.others;
		return others.isEmpty() ? own : merged(own, others);
	}

	/*
	 * Of one policy and key the latest entry counts, of several keys one that rejects, or
	 * else the tightest.
	 */
	private static List<AcquisitionEntry> merged(List<AcquisitionEntry> entries, List<AcquisitionEntry> more) {
		List<AcquisitionEntry> merged = new ArrayList<>(entries);
		for (AcquisitionEntry entry : more) {
			int same = 0;
			while (same < merged.size() && !entry.request().isOfSamePolicy(merged.get(same).request())) {
				same++;
			}

			if (same == merged.size()) {
				merged.add(entry);
			}
			else if (entry.replaces(merged.get(same))) {
				merged.set(same, entry);
			}
		}
		return merged;
	}

}
