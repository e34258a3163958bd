package io.github.ratelimit.benchmarks.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * Bucket4j over Lettuce, each bucket's proxy made once. Several buckets of one key are
 * asked one after the other.
 */
final class Bucket4j implements Contender {

	private final StatefulRedisConnection<byte[], byte[]> connection;

	private final List<List<BucketProxy>> buckets;

	private final List<AsyncBucketProxy> later;

	Bucket4j(Task task, Optimization optimization, int buckets) {
		this.connection = task.redis().connection();
		ProxyManager<byte[]> proxies = Bucket4jLettuce.casBasedBuilder(this.connection)
			.expirationAfterWrite(
					ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(1)))
			.build();
		Budget budget = task.budget();
		BucketConfiguration configuration = BucketConfiguration.builder()
			.addLimit((limit) -> limit.capacity(budget.permits()).refillGreedy(budget.permits(), budget.window()))
			.build();
		this.buckets = task.keys()
			.stream()
			.map((key) -> IntStream.range(0, buckets)
				.mapToObj((i) -> proxies.builder()
					.withOptimization(optimization)
					.build(PlainScript.bytes(key + "-" + i), () -> configuration))
				.toList())
			.toList();
		this.later = task.keys()
			.stream()
			.map((key) -> proxies.asAsync()
				.builder()
				.withOptimization(optimization)
				.build(PlainScript.bytes(key), () -> CompletableFuture.completedFuture(configuration)))
			.toList();
	}

	@Override
	public boolean decide(int key) {
		for (BucketProxy bucket : this.buckets.get(key)) {
			if (!bucket.tryConsume(1)) {
				return false;
			}
		}
		return true;
	}

	@Override
	public CompletableFuture<Boolean> decideLater(int key) {
		return this.later.get(key).tryConsume(1);
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
