package io.github.ratelimit.algorithm;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.store.RateLimitReceipt;

/**
 * The leaky bucket as a queue: requests leave it at the limit's rate, in the order of
 * their arrival.
 * <p>
 * Source: nginx, module {@code ngx_http_limit_req_module}. There a request's
 * <em>excess</em> is the content of the bucket before it, less the part that has leaked;
 * the request is rejected above {@code burst} and waits above {@code delay}. The level of
 * the meter is the excess and the request itself.
 */
final class LeakyBucket extends MeteredAlgorithm {

	private final boolean delays;

	private final long undelayed;

	LeakyBucket(RateLimit limit, Tick resolution, boolean debts) {
		super(limit, resolution, debts);
		this.delays = limit.delays();
		this.undelayed = (limit.delay() + 1) * this.rate.cost();
	}

	private LeakyBucket(LeakyBucket queue) {
		super(queue, queue.undelayed / queue.rate.cost());
		this.delays = queue.delays;
		this.undelayed = queue.undelayed;
	}

	@Override
	public WordAlgorithm withoutDelays() {
		return this.delays ? new LeakyBucket(this) : this;
	}

	@Override
	long delay(long level) {
		return Math.max(0, level - this.undelayed);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Only the last request in the queue can give its place back. Later requests have
	 * been promised the places behind any other, and two of them would leave at once.
	 */
	@Override
	long refund(long base, long word, long now, long permits, RateLimitReceipt given, int limit) {
		if (this.delays) {
			long drained = base + this.rate.ticks(word);
			long promised = tickOf(given, limit) + given.resetAfterNanos(limit) / nanos(1);
			if (drained != promised) {
				return word;
			}
		}
		return super.refund(base, word, now, permits, given, limit);
	}

}
