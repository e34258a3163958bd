package io.github.ratelimit.expression;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The call that is about to be limited, for a {@link KeyResolver}. Each part may be
 * missing: there is no request outside the web, no method for a rule of the filter, and
 * no arguments before they are resolved.
 *
 * @since 0.1.0
 */
public final class RateLimitContext {

	/* Each value of a parameter costs a decision. */
	private static final int MAX_VALUES = 4;

	final @Nullable RequestView request;

	private final @Nullable Object target;

	private final @Nullable Method method;

	private final @Nullable Object @Nullable [] arguments;

	final CallOutcome outcome;

	/*
	 * These values were read when the request came. When its outcome is known, the
	 * server's object may be about an error page, or about another client's request.
	 */
	private final @Nullable Map<Word, @Nullable Object> noted;

	/* What the call has used, once it is over. */
	final Map<Word, Object> used;

	private RateLimitContext(@Nullable RequestView request, @Nullable Object target, @Nullable Method method,
			@Nullable Object @Nullable [] arguments, CallOutcome outcome, @Nullable Map<Word, @Nullable Object> noted) {
		this(request, target, method, arguments, outcome, noted, Map.of());
	}

	private RateLimitContext(@Nullable RequestView request, @Nullable Object target, @Nullable Method method,
			@Nullable Object @Nullable [] arguments, CallOutcome outcome, @Nullable Map<Word, @Nullable Object> noted,
			Map<Word, Object> used) {
		this.request = request;
		this.target = target;
		this.method = method;
		this.arguments = arguments;
		this.outcome = outcome;
		this.noted = noted;
		this.used = used;
	}

	/**
	 * Creates the context of a rule: only the request is known.
	 * @param request the HTTP request, or {@code null} outside the web
	 * @return the context
	 */
	public static RateLimitContext of(@Nullable RequestView request) {
		return new RateLimitContext(request, null, null, null, CallOutcome.UNKNOWN, null);
	}

	/**
	 * Creates the context of a method's call.
	 * @param request the HTTP request, or {@code null} outside the web
	 * @param target the object that the method is called on
	 * @param method the annotated method
	 * @param arguments the arguments, or {@code null} before they are resolved
	 * @return the context
	 */
	public static RateLimitContext ofCall(@Nullable RequestView request, @Nullable Object target, Method method,
			@Nullable Object @Nullable [] arguments) {
		return new RateLimitContext(request, target, method, arguments, CallOutcome.UNKNOWN, null);
	}

	/**
	 * Returns the HTTP request that the call belongs to.
	 * @return the request, or {@code null} outside the web
	 */
	public @Nullable RequestView request() {
		return this.request;
	}

	/**
	 * Returns the object that the method is called on.
	 * @return the bean, or {@code null} for a rule
	 */
	public @Nullable Object target() {
		return this.target;
	}

	/**
	 * Returns the annotated method.
	 * @return the method, or {@code null} for a rule
	 */
	public @Nullable Method method() {
		return this.method;
	}

	/**
	 * Returns the method's arguments.
	 * @return the arguments in their order, or {@code null} before they are resolved
	 */
	public @Nullable Object @Nullable [] arguments() {
		return this.arguments;
	}

	@Nullable Object ofRequest(Word word) {
		Map<Word, @Nullable Object> noted = this.noted;
		RequestView request = this.request;
		if (noted != null && noted.containsKey(word)) {
			if (request != null && word.isRequest()) {
				// This fails if the server's own object may be another request's by now.
				request.request();
			}
			return noted.get(word);
		}

		if (request != null) {
			return word.read(request);
		}
		if (noted != null) {
			throw new IllegalStateException("The request is read when it may be over");
		}
		return null;
	}

	/**
	 * Returns the call as each of those who read its parameters may read them. Where a
	 * parameter has several values, its handler may read any of them.
	 * @param parameters what expressions read
	 * @return the call with its parameters, once for each value of the only parameter
	 * that has several; if more than one has, or one has too many, they have none
	 */
	List<RateLimitContext> readings(List<Word> parameters) {
		RequestView request = this.request;
		if (request == null) {
			return List.of(this);
		}

		Map<Word, @Nullable Object> read = new HashMap<>();
		Map<Word, List<String>> several = new HashMap<>(0);
		for (Word parameter : parameters) {
			try {
				List<String> values = request.parameters(parameter.name());
				String only = (values.size() == 1) ? values.get(0) : null;
				read.put(parameter, only);
				if (values.size() > 1) {
					several.put(parameter, values);
				}
			}
			catch (RuntimeException ex) {
				// The expression that reads it fails too.
			}
		}

		List<RateLimitContext> readings = new ArrayList<>(1);
		if (several.size() == 1) {
			several.forEach((parameter, values) -> addReadings(read, parameter, values, readings));
		}
		if (readings.isEmpty()) {
			return List.of(with(read));
		}
		return readings;
	}

	private void addReadings(Map<Word, @Nullable Object> read, Word parameter, List<String> values,
			List<RateLimitContext> readings) {
		for (int i = 0; i < values.size() && values.size() <= MAX_VALUES; i++) {
			Map<Word, @Nullable Object> reading = new HashMap<>(read);
			reading.put(parameter, values.get(i));
			readings.add(with(reading));
		}
	}

	private RateLimitContext with(Map<Word, @Nullable Object> noted) {
		return new RateLimitContext(this.request, this.target, this.method, this.arguments, this.outcome, noted);
	}

	/**
	 * Notes what will be read of the call when it is over. Anything else can still be
	 * read of its request then. A rule may come before the user is authenticated, so that
	 * only a user who is there is noted.
	 * @param words what will be read; what cannot be read now fails then
	 * @return the same call, with its notes
	 */
	RateLimitContext noted(Set<Word> words) {
		RequestView request = this.request;
		if (request == null) {
			return this;
		}

		Map<Word, @Nullable Object> noted = copyOfNoted();
		for (Word word : words) {
			boolean mayComeLater = this.method == null && word.isOfUser();
			note(word, request, noted, !mayComeLater);
		}
		return with(noted);
	}

	/**
	 * Notes what will be read of the call when its request is gone. The server's own
	 * object is not kept: it may be another request's by then.
	 * @param words what will be read; what cannot be read now fails then
	 * @return the same call without its request, but with its notes
	 */
	RateLimitContext detached(Set<Word> words) {
		RequestView request = this.request;
		if (request == null) {
			return this;
		}

		Map<Word, @Nullable Object> noted = copyOfNoted();
		for (Word word : words) {
			if (!word.isRequest()) {
				note(word, request, noted, true);
			}
		}
		return new RateLimitContext(null, this.target, this.method, this.arguments, this.outcome, noted);
	}

	private Map<Word, @Nullable Object> copyOfNoted() {
		if (this.noted == null) {
			return new HashMap<>();
		}
		return new HashMap<>(this.noted);
	}

	private static void note(Word word, RequestView request, Map<Word, @Nullable Object> noted, boolean evenIfNull) {
		if (noted.containsKey(word)) {
			return;
		}
		try {
			Object value = word.read(request);
			if (value != null || evenIfNull) {
				noted.put(word, value);
			}
		}
		catch (RuntimeException ex) {
			// To read it later fails too.
		}
	}

	/**
	 * Returns the same call for an expression that does not read its arguments, which may
	 * be large.
	 */
	RateLimitContext withoutArguments() {
		return new RateLimitContext(this.request, this.target, this.method, null, this.outcome, this.noted);
	}

	/**
	 * Returns how many bytes of the heap the texts take that were noted.
	 */
	long notedBytes() {
		if (this.noted == null) {
			return 0;
		}
		long bytes = 0;
		for (Object value : this.noted.values()) {
			if (value instanceof CharSequence text) {
				bytes += (long) Character.BYTES * text.length();
			}
		}
		return bytes;
	}

	RateLimitContext withOutcome(CallOutcome outcome) {
		return withOutcome(outcome, Map.of());
	}

	/**
	 * Returns the same call as it is once it is over.
	 * @param outcome how it has ended
	 * @param used what it has used, by the words for it
	 */
	RateLimitContext withOutcome(CallOutcome outcome, Map<Word, Object> used) {
		return new RateLimitContext(this.request, this.target, this.method, this.arguments, outcome, this.noted, used);
	}

}
