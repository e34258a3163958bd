package io.github.ratelimit.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.policy.StoreRateLimiter;
import io.github.ratelimit.store.RateLimitSession;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one call within a request acquires. What the request has paid covers
 * the call, and the call is noted in the request's ledger under its location.
 */
final class CallAcquisition extends Acquisition {

	/* The request that the call is made within. */
	private final Acquisition outer;

	/* Where the call is made, such as its method. */
	private final Object location;

	CallAcquisition(Acquisition outer, Object location) {
		super(outer);
		this.outer = outer;
		this.location = location;
	}

	@Override
	Object location() {
		return this.location;
	}

	@Override
	long covered(PermitRequest request) {
		return this.outer.taken(request);
	}

	@Override
	@Nullable String client() {
		return this.outer.client();
	}

	@Override
	boolean chargesWhatIsCovered() {
		return false;
	}

	@Override
	void note(List<PermitRequest> asked, List<PermitRequest> paid) {
		paid.forEach((request) -> ledger().addPaid(request, false));
		asked.forEach((request) -> ledger().addCost(request, this.location, false));
		charge(paid);
	}

	@Override
	void noteInShadow(PermitRequest request) {
		ledger().addCost(request, this.location, true);
	}

	@Override
	RateLimitSession openSession(StoreRateLimiter limiter) {
		return this.outer.session(limiter).call();
	}

	@Override
	CompletionStage<?> follow(CompletableFuture<?> next) {
		return this.outer.follow(next);
	}

	@Override
	boolean isAnswered() {
		return this.outer.isAnswered();
	}

	@Override
	boolean isLeft() {
		return this.outer.isLeft();
	}

	@Override
	@Nullable Boolean hasFailedAuthentication(boolean refused) {
		return this.outer.hasFailedAuthentication(refused);
	}

}
