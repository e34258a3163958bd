package io.github.ratelimit.remote;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * An answer that is awaited until its deadline. Whoever stops waiting completes it, so
 * that what comes later finds that nobody waits.
 *
 * @param <A> what comes from the store
 * @param <T> what it says
 * @since 0.1.0
 */
public abstract class PendingAnswer<A, T> extends CompletableFuture<A> implements RemoteStore.Answer<T> {

	static final DeadlineWatch WATCH = new DeadlineWatch();

	/**
	 * The deadline until which it is awaited.
	 */
	protected final Deadline deadline;

	/**
	 * Creates an answer that has yet to come.
	 * @param deadline the deadline until which there is time for it
	 */
	protected PendingAnswer(Deadline deadline) {
		this.deadline = deadline;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Waits without a timer, which would cost each call more than its caller's own wait.
	 */
	@Override
	public final T await() {
		try {
			long nanos = isDone() ? 0 : this.deadline.remainingNanos();
			return read(get(nanos, TimeUnit.NANOSECONDS));
		}
		catch (TimeoutException ex) {
			completeExceptionally(ex);
			return await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			completeExceptionally(ex);
			throw StoreCallException.interrupted(ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = Objects.requireNonNullElse(ex.getCause(), ex);
			if (cause instanceof TimeoutException) {
				throw giveUp();
			}
			throw failure(cause);
		}
		catch (RuntimeException ex) {
			throw failure(ex);
		}
	}

	@Override
	public final <U> CompletionStage<U> later(Supplier<U> next) {
		watch();
		return handle((answer, failure) -> next.get());
	}

	/*
	 * Sees to it that it ends at its deadline although nobody waits for it.
	 */
	void watch() {
		WATCH.add(this::endIfDue);
	}

	/*
	 * Ends the wait if its deadline is reached. Returns whether it has ended.
	 */
	final boolean endIfDue() {
		if (isDone()) {
			return true;
		}
		return this.deadline.remainingNanos() == 0 && completeExceptionally(new TimeoutException());
	}

	@Override
	public final void whenOver(Runnable next) {
		whenComplete((answer, failure) -> next.run());
	}

	/**
	 * Reads what came from the store.
	 */
	protected abstract T read(A answer);

	/**
	 * Says what went wrong. Throws what is no failure of a call.
	 */
	protected abstract StoreCallException failure(Throwable cause);

	/**
	 * Called once if there was no answer in time, and nobody waits for it any longer.
	 * @return the failure
	 */
	protected abstract StoreCallException giveUp();

}
