package io.github.ratelimit.ai;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.ratelimit.request.PermitRequest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

import org.springframework.ai.model.tool.internal.ToolCallReactiveContextHolder;

/**
 * Who calls a model, as far as a chat client has said so. The rounds of one conversation
 * with tools have the same caller, whose keys are found once: later rounds may run on
 * threads that know nothing of the request.
 */
final class ModelCaller {

	/** A caller that nothing is known of. */
	static final ModelCaller UNKNOWN = new ModelCaller(null, null);

	/**
	 * A model that is being called, and calls another to answer. What it answers counts,
	 * and so the other's answer does not.
	 */
	static final ModelCaller MODEL = new ModelCaller(List.of(), null);

	private static final String KEY = ModelCaller.class.getName();

	private static final ThreadLocal<ModelCaller> CURRENT = new ThreadLocal<>();

	private final @Nullable List<String> policies;

	private final @Nullable String key;

	private @Nullable List<PermitRequest> asked;

	/**
	 * Creates a caller.
	 * @param policies the policies in place of those that limit every call, or
	 * {@code null} for these
	 * @param key the key of policies that have none of their own, or {@code null} if it
	 * is to be found
	 */
	ModelCaller(@Nullable List<String> policies, @Nullable String key) {
		this.policies = policies;
		this.key = key;
	}

	/**
	 * Finds the caller that the calling thread works for. A tool of a streamed answer
	 * runs on a thread that is told of the stream's context.
	 */
	static ModelCaller ofThread() {
		ModelCaller current = CURRENT.get();
		if (current == null) {
			current = ToolCallReactiveContextHolder.getContext().getOrDefault(KEY, null);
		}
		return Objects.requireNonNullElse(current, UNKNOWN);
	}

	/**
	 * Finds the caller of a model that streams its answer.
	 * @param context the context of whoever subscribes
	 */
	static ModelCaller of(ContextView context) {
		ModelCaller caller = context.getOrDefault(KEY, null);
		if (caller != null) {
			return caller;
		}
		return ofThread();
	}

	/**
	 * Returns the caller for what this one calls next.
	 * @param policies the policies that are chosen there, or {@code null}
	 * @param key the key that is said there, or {@code null}
	 */
	ModelCaller next(@Nullable List<String> policies, @Nullable String key) {
		boolean same = policies == null && key == null;
		if (same && this != UNKNOWN) {
			return this;
		}
		List<String> chosen = (policies != null) ? policies : this.policies;
		String said = (key != null) ? key : this.key;
		return new ModelCaller(chosen, said);
	}

	@Nullable List<String> policies() {
		return this.policies;
	}

	@Nullable String key() {
		return this.key;
	}

	/**
	 * Finds what is asked of each policy, once for all rounds.
	 * @param find finds it
	 */
	synchronized List<PermitRequest> asked(Supplier<List<PermitRequest>> find) {
		if (this == UNKNOWN) {
			return find.get();
		}
		if (this.asked == null) {
			this.asked = find.get();
		}
		return this.asked;
	}

	/**
	 * Lets the calling thread work for this caller.
	 * @return ends that
	 */
	Runnable enter() {
		ModelCaller before = CURRENT.get();
		CURRENT.set(this);
		return () -> {
			if (before != null) {
				CURRENT.set(before);
			}
			else {
				CURRENT.remove();
			}
		};
	}

	/**
	 * Lets a stream be subscribed to for this caller.
	 */
	<T> Flux<T> stream(Flux<T> stream) {
		return stream.contextWrite((context) -> context.put(KEY, this));
	}

}
