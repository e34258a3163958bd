package io.github.ratelimit.benchmarks.decision;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A bucket4j bucket for each key, in Caffeine.
 */
final class BucketPerKey implements Decider {

	private final Cache<String, Bucket> buckets = Caffeine.newBuilder().maximumSize(Policies.MAXIMUM_SIZE).build();

	private final Bandwidth bandwidth;

	BucketPerKey(Load load) {
		this.bandwidth = bandwidth(load);
	}

	static Bandwidth bandwidth(Load load) {
		long capacity = (load == Load.REJECTED) ? Policies.FEW : 1_000_000_000_000L;
		return Bandwidth.builder().capacity(capacity).refillGreedy(capacity, Policies.LONG).build();
	}

	@Override
	public boolean decide(String key, Blackhole sink) {
		ConsumptionProbe probe = find(key).tryConsumeAndReturnRemaining(1);
		sink.consume(probe);
		return probe.isConsumed();
	}

	@Override
	public boolean allows(String key) {
		return find(key).tryConsume(1);
	}

	private Bucket find(String key) {
		return this.buckets.get(key, (absent) -> Bucket.builder().addLimit(this.bandwidth).build());
	}

}
