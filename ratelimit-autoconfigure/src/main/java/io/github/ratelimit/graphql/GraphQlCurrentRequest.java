package io.github.ratelimit.graphql;

import java.lang.reflect.Method;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.SeparateCalls;
import io.github.ratelimit.request.WaitingRoom;
import org.jspecify.annotations.Nullable;

/**
 * The GraphQL request that the calling thread fetches a field of. Each call of a method
 * counts: a client may ask for a field any number of times in one request.
 *
 * @since 0.1.0
 */
public final class GraphQlCurrentRequest implements CurrentRequest {

	private final RateLimitClock clock;

	private final WaitingRoom room;

	private final @Nullable CurrentRequest http;

	/**
	 * Creates the bridge.
	 * @param clock by which delays are waited for
	 * @param room where calls wait without a thread
	 * @param http the HTTP request that a thread is serving, if that can be known
	 */
	public GraphQlCurrentRequest(RateLimitClock clock, WaitingRoom room, @Nullable CurrentRequest http) {
		this.clock = clock;
		this.room = room;
		this.http = http;
	}

	@Override
	public @Nullable LimitedRequest find() {
		GraphQlRequestView view = GraphQlRequestInterceptor.GraphQlRequests.current();
		if (view == null) {
			return null;
		}
		LimitedRequest serving = (this.http != null) ? this.http.find() : null;
		LimitedRequest own = new SeparateCalls(view, this.clock, this.room);
		return (serving != null && isSame(serving, view)) ? new FieldOfHttpRequest(view, serving) : own;
	}

	private static boolean isSame(LimitedRequest http, GraphQlRequestView view) {
		RequestView serving = http.view();
		return serving != null && serving.request() == view.httpRequest();
	}

	/**
	 * A field that the thread of its HTTP request fetches. Only that thread may acquire
	 * permits with the request, and set fields of its response.
	 *
	 * @param view the GraphQL request
	 * @param http the HTTP request
	 */
	private record FieldOfHttpRequest(GraphQlRequestView view, LimitedRequest http) implements LimitedRequest {

		@Override
		public Acquisition acquisition(Method method) {
			return this.http.acquisition(method);
		}

		@Override
		public void report(Acquisition acquisition) {
			this.http.report(acquisition);
		}

	}

}
