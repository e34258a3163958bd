package io.github.ratelimit.benchmarks.decision;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.caffeine.Bucket4jCaffeine;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Buckets that bucket4j keeps in Caffeine by itself.
 */
final class BucketProxy implements Decider {

	private final ProxyManager<String> buckets = Bucket4jCaffeine
		.<String>builderFor(Caffeine.newBuilder().maximumSize(Policies.MAXIMUM_SIZE))
		.build();

	private final BucketConfiguration configuration;

	BucketProxy(Load load) {
		this.configuration = BucketConfiguration.builder().addLimit(BucketPerKey.bandwidth(load)).build();
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
		return this.buckets.getProxy(key, () -> this.configuration);
	}

}
