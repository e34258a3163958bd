package io.github.ratelimit.expression;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Values that are not there yet, such as a {@code Mono} or a future. Their text says
 * nothing of what they will be, so they are no key, and no number. A plan is awaited.
 */
final class PendingValue {

	/** Says what is wrong with one, after its type. */
	static final String OBSTACLE = "has no value yet";

	/** Says what to write instead. */
	static final String REMEDY = "Let the expression give the value itself";

	/* They are known by name, because most libraries are optional. */
	private static final List<String> TYPES = List.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.Future", "java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
			"kotlinx.coroutines.Deferred", "kotlinx.coroutines.flow.Flow", "io.reactivex.rxjava3.core.SingleSource",
			"io.reactivex.rxjava3.core.MaybeSource", "io.reactivex.rxjava3.core.CompletableSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.smallrye.mutiny.Uni");

	private static final ClassValue<Boolean> PENDING = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return isNamed(type);
		}

	};

	private PendingValue() {
	}

	private static boolean isNamed(@Nullable Class<?> type) {
		if (type == null) {
			return false;
		}
		return TYPES.contains(type.getName()) || isNamed(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(PendingValue::isNamed);
	}

	/**
	 * Whether values of a type are not there yet.
	 */
	static boolean isOf(Class<?> type) {
		return PENDING.get(type);
	}

	/**
	 * Whether a value of a type can be {@link #await awaited}.
	 */
	static boolean isAwaited(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || isSingle(adapter(type, null));
	}

	private static boolean isSingle(@Nullable ReactiveAdapter adapter) {
		return adapter != null && !adapter.isMultiValue();
	}

	private static @Nullable ReactiveAdapter adapter(@Nullable Class<?> type, @Nullable Object value) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type, value);
	}

	/**
	 * Begins to wait for a value, without a thread.
	 * @param value any value
	 * @return a future that is complete at once unless the value is pending; to cancel it
	 * cancels the value too, unless that is a future, for which others may wait
	 */
	static CompletableFuture<@Nullable Object> await(@Nullable Object value) {
		if (value == null || !isOf(value.getClass())) {
			return CompletableFuture.completedFuture(value);
		}
		if (value instanceof CompletionStage<?> stage) {
			return stage.<@Nullable Object>thenApply((result) -> result).toCompletableFuture();
		}

		ReactiveAdapter adapter = adapter(null, value);
		ReactiveAdapter futures = adapter(CompletableFuture.class, null);
		if (adapter == null || futures == null || !isSingle(adapter)) {
			return CompletableFuture.completedFuture(value);
		}
		return future(futures.fromPublisher(adapter.toPublisher(value)));
	}

	@SuppressWarnings("unchecked")
	private static CompletableFuture<@Nullable Object> future(Object future) {
		return (CompletableFuture<@Nullable Object>) future;
	}

}
