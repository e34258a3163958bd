package io.github.ratelimit.graphql;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * The GraphQL request of each thread that fetches a field. Spring for GraphQL brings it
 * there, as it does with all that context propagation knows.
 */
final class GraphQlRequests implements ThreadLocalAccessor<GraphQlRequestView> {

	static final String KEY = GraphQlRequests.class.getName();

	private static final ThreadLocal<@Nullable GraphQlRequestView> CURRENT = new ThreadLocal<>();

	static @Nullable GraphQlRequestView current() {
		return CURRENT.get();
	}

	@Override
	public Object key() {
		return KEY;
	}

	@Override
	public @Nullable GraphQlRequestView getValue() {
		return CURRENT.get();
	}

	@Override
	public void setValue(GraphQlRequestView value) {
		CURRENT.set(value);
	}

	@Override
	public void setValue() {
		CURRENT.remove();
	}

}
