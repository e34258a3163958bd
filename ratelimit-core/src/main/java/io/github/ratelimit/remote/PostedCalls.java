package io.github.ratelimit.remote;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.ratelimit.remote.StoreCallException.Blame;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls of one kind that no caller waits for. A bounded number is under way at a
 * time.
 */
final class PostedCalls {

	private static final int MAX_UNDER_WAY = 256;

	/**
	 * The time that a call waits for its answer.
	 */
	static final Duration MAX_WAIT = Duration.ofSeconds(1);

	private static final StoreCallException TOO_MANY = new StoreCallException("too many calls are under way", null,
			Blame.CALLER);

	private static final StoreCallException UNAVAILABLE = new StoreCallException("not told while it is unavailable",
			null, Blame.CALLER);

	private final Semaphore free = new Semaphore(MAX_UNDER_WAY);

	/**
	 * Sends a call, once: one that fails is not tried again.
	 * @param read awaits the answer once it is there
	 * @return what is read, or a {@link StoreCallException}
	 */
	<T, U> CompletionStage<U> post(RemoteStore.Call<T> call, Function<RemoteStore.Answer<T>, U> read) {
		return post(call, () -> read);
	}

	/**
	 * Sends a call, if it has permission, once: one that fails is not tried again.
	 * @param permission is asked last of all, because a permission that is given is to be
	 * used; it gives what awaits the answer once it is there, or {@code null} if there is
	 * no permission
	 * @return what is read, or a {@link StoreCallException}
	 */
	<T, U> CompletionStage<U> post(RemoteStore.Call<T> call,
			Supplier<@Nullable Function<RemoteStore.Answer<T>, U>> permission) {
		if (!this.free.tryAcquire()) {
			return CompletableFuture.failedStage(TOO_MANY);
		}
		Function<RemoteStore.Answer<T>, U> read = permission.get();
		if (read == null) {
			this.free.release();
			return CompletableFuture.failedStage(UNAVAILABLE);
		}

		RemoteStore.Answer<T> answer = start(call);
		return answer.later(() -> {
			this.free.release();
			return read.apply(answer);
		});
	}

	private <T> RemoteStore.Answer<T> start(RemoteStore.Call<T> call) {
		try {
			return call.start(Deadline.after(MAX_WAIT));
		}
		catch (RuntimeException | Error ex) {
			this.free.release();
			throw ex;
		}
	}

}
