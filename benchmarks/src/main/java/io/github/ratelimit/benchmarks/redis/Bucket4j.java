package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.List;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * Bucket4j over Lettuce, each bucket's proxy made once.
 */
final class Bucket4j implements Contender {

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final List<BucketProxy> buckets;

	Bucket4j(Task task, Optimization optimization) {
		this.connection = task.redis().connection();
		RemoteBucketBuilder<byte[]> builder = Bucket4jLettuce.casBasedBuilder(this.connection)
			.expirationAfterWrite(
					ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(1)))
			.build()
			.builder()
			.withOptimization(optimization);
		Budget budget = task.budget();
		BucketConfiguration configuration = BucketConfiguration.builder()
			.addLimit((limit) -> limit.capacity(budget.permits()).refillGreedy(budget.permits(), budget.window()))
			.build();
		this.buckets = task.keys()
			.stream()
			.map((key) -> builder.build(PlainScript.bytes(key), () -> configuration))
			.toList();
	}

	@Override
	public boolean decide(int key) {
		return this.buckets.get(key).tryConsume(1);
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
