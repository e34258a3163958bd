package io.github.ratelimit.request;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.policy.StoreRateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Records what one request and the calls within it have cost and paid of each policy and
 * key. A location that calls again pays again, while another location is covered by what
 * was paid already. What was only asked in shadow has accounts of its own.
 * <p>
 * What the request itself has paid is in its acquisition, because that may be refunded.
 */
final class Ledger {

	/* A request that calls with ever new keys does not grow without bound. */
	private static final int MAX_ACCOUNTS = 1024;

	private final Map<Id, Account> accounts = new HashMap<>();

	/**
	 * Merges what one location asks for, so that it has each policy and key once, at the
	 * highest cost. The last of several charges the request, or the highest of those that
	 * are written the same; and the first says which numbers of the policy decide, which
	 * may change in between.
	 */
	static List<PermitRequest> distinct(List<PermitRequest> requests) {
		if (requests.size() < 2) {
			return requests;
		}

		List<PermitRequest> distinct = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			int same = 0;
			while (same < distinct.size() && !distinct.get(same).isSameState(request)) {
				same++;
			}
			if (same == distinct.size()) {
				distinct.add(request);
			}
			else {
				distinct.set(same, distinct.get(same).and(request));
			}
		}
		return distinct;
	}

	/**
	 * What a location must still pay to ask for something.
	 * @param request what it asks for
	 * @param location where a call is made, or {@code null} for the request itself
	 * @param inShadow whether it only asks in shadow
	 * @return a number of permits, which is not positive if the location is covered
	 */
	synchronized long owed(PermitRequest request, @Nullable Object location, boolean inShadow) {
		Account account = this.accounts.get(Id.of(request, inShadow));
		if (account == null) {
			return request.permits();
		}
		return request.permits() + account.cost(location) - account.paid;
	}

	/**
	 * Notes what was paid.
	 */
	synchronized void addPaid(PermitRequest paid, boolean inShadow) {
		Account account = account(paid, inShadow);
		if (account != null) {
			account.paid += paid.permits();
		}
	}

	/**
	 * Notes what a call has cost, even if it was covered.
	 */
	synchronized void addCost(PermitRequest request, Object location, boolean inShadow) {
		Account account = account(request, inShadow);
		if (account != null) {
			account.costs.merge(location, request.permits(), Long::sum);
		}
	}

	/**
	 * Whether a call had less to pay because the request itself has paid. It would be
	 * free if that went back.
	 */
	synchronized boolean hasCovered(PermitRequest request) {
		Account account = this.accounts.get(Id.of(request, false));
		return account != null && account.costs.values().stream().anyMatch((cost) -> cost > account.paid);
	}

	/**
	 * Corrects what a call has cost and paid, once it is known. The call may be over on
	 * another thread.
	 */
	synchronized void settle(PermitRequest request, Object location, boolean inShadow, long change) {
		Account account = this.accounts.get(Id.of(request, inShadow));
		if (account != null) {
			account.paid = Math.max(0, account.paid + change);
			account.costs.computeIfPresent(location, (same, cost) -> Math.max(0, cost + change));
		}
	}

	private @Nullable Account account(PermitRequest request, boolean inShadow) {
		Id id = Id.of(request, inShadow);
		Account account = this.accounts.get(id);
		if (account == null && this.accounts.size() < MAX_ACCOUNTS) {
			account = new Account();
			this.accounts.put(id, account);
		}
		return account;
	}

	private record Id(StoreRateLimiter limiter, String key, boolean inShadow) {

		static Id of(PermitRequest request, boolean inShadow) {
			return new Id(request.limiter(), request.key(), inShadow);
		}

	}

	private static final class Account {

		private final Map<Object, Long> costs = new HashMap<>(2);

		private long paid;

		long cost(@Nullable Object location) {
			if (location == null) {
				return 0;
			}
			return this.costs.getOrDefault(location, 0L);
		}

	}

}
