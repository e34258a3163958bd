package io.github.ratelimit.expression;

import org.jspecify.annotations.Nullable;

/**
 * The root object of every expression, whose properties and functions users may use.
 * Those of the request are {@code null} outside a request.
 */
record ExpressionRoot(RateLimitContext context) {

	@Nullable Object read(String property) {
		return new Word(property, "").in(this.context);
	}

	public @Nullable Object header(@Nullable String name) {
		return call("header", name);
	}

	public @Nullable Object parameter(@Nullable String name) {
		return call("parameter", name);
	}

	public @Nullable Object cookie(@Nullable String name) {
		return call("cookie", name);
	}

	public @Nullable Object claim(@Nullable String name) {
		return call("claim", name);
	}

	public @Nullable Object pathVariable(@Nullable String name) {
		return call("pathVariable", name);
	}

	public @Nullable String folded(@Nullable String text) {
		return (text != null) ? KeyNormalizer.folded(text) : null;
	}

	private @Nullable Object call(String function, @Nullable String name) {
		return (name != null) ? new Word(function, name).in(this.context) : null;
	}

}
