package io.github.ratelimit.enforce;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.expression.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Several ways in which a thread may be serving a request, such as a field of a GraphQL
 * request that came over HTTP. The first that knows of one speaks for all, otherwise the
 * last.
 */
public final class CurrentRequests implements CurrentRequest {

	private final List<CurrentRequest> ways;

	private CurrentRequests(List<CurrentRequest> ways) {
		this.ways = ways;
	}

	/**
	 * Makes one of several ways.
	 * @param ways the ways, the most specific first; none in an application that serves
	 * no requests
	 * @param clock by which delays outside of requests are waited for
	 * @param room where calls wait without a thread
	 * @return all of them as one
	 */
	public static CurrentRequest of(List<CurrentRequest> ways, RateLimitClock clock, WaitingRoom room) {
		return switch (ways.size()) {
			case 0 -> new NoRequest(clock, room);
			case 1 -> ways.get(0);
			default -> new CurrentRequests(List.copyOf(ways));
		};
	}

	@Override
	public @Nullable RequestView view() {
		return current().view();
	}

	/*
	 * Whose view it is knows, and the others have no objection.
	 */
	@Override
	public boolean isServed(RequestView view) {
		for (int i = 0; i < this.ways.size(); i++) {
			if (!this.ways.get(i).isServed(view)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public boolean consumeEnforced(Method method) {
		return current().consumeEnforced(method);
	}

	@Override
	public PermitLedger ledger(Method method) {
		return current().ledger(method);
	}

	@Override
	public void report(PermitLedger ledger) {
		current().report(ledger);
	}

	private CurrentRequest current() {
		int last = this.ways.size() - 1;
		for (int i = 0; i < last; i++) {
			CurrentRequest way = this.ways.get(i);
			if (way.view() != null) {
				return way;
			}
		}
		return this.ways.get(last);
	}

}
