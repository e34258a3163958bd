package io.github.ratelimit.graphql;

import java.lang.reflect.Method;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.enforce.CurrentRequest;
import io.github.ratelimit.enforce.PermitLedger;
import io.github.ratelimit.enforce.WaitingRoom;
import io.github.ratelimit.expression.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * The GraphQL request that the calling thread fetches a field of. Each call of a method
 * counts: a client may ask for a field any number of times in one request.
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
	public @Nullable RequestView view() {
		return GraphQlRequests.current();
	}

	@Override
	public boolean consumeEnforced(Method method) {
		return false;
	}

	@Override
	public PermitLedger ledger(Method method) {
		CurrentRequest serving = serving();
		return (serving != null) ? serving.ledger(method) : new PermitLedger(this.clock, this.room, Long.MAX_VALUE);
	}

	@Override
	public void report(PermitLedger ledger) {
		CurrentRequest serving = serving();
		if (serving != null) {
			serving.report(ledger);
		}
	}

	/*
	 * Only the thread that serves the HTTP request may take part in its ledger, and set
	 * headers of its response.
	 */
	private @Nullable CurrentRequest serving() {
		GraphQlRequestView view = GraphQlRequests.current();
		RequestView serving = (this.http != null && view != null) ? this.http.view() : null;
		return (serving != null && serving.request() == view.httpRequest()) ? this.http : null;
	}

}
