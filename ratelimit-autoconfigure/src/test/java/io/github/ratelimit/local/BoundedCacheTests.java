package io.github.ratelimit.local;

import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link BoundedCache}, and the {@link MemoryBudget} that several share. The value of a
 * key is how many bytes it takes.
 */
class BoundedCacheTests {

	private int evictions;

	private BoundedCache<Long> cache(long maximumSize, MemoryBudget memory) {
		return new BoundedCache<>(maximumSize, memory) {

			@Override
			long bytesOf(String key, Long value) {
				return value;
			}

			@Override
			void onEviction(Long value) {
				BoundedCacheTests.this.evictions++;
			}

		};
	}

	private static void add(BoundedCache<Long> cache, String key, long bytes) {
		cache.findOrAdd(key, () -> bytes);
	}

	private static void addAll(BoundedCache<Long> cache, String prefix, int number, long bytes) {
		IntStream.range(0, number).forEach((i) -> add(cache, prefix + i, bytes));
	}

	@Test
	void countsBytesForItselfAndForAll() {
		MemoryBudget memory = new MemoryBudget(1000);
		BoundedCache<Long> one = cache(10, memory);
		BoundedCache<Long> other = cache(10, memory);
		add(one, "a", 30);
		add(other, "b", 50);
		one.count(5);
		assertThat(one.bytes()).isEqualTo(35);
		assertThat(memory.used()).isEqualTo(85);
		other.compute("b", (value) -> null);
		assertThat(other.bytes()).isZero();
		assertThat(memory.used()).isEqualTo(35);
		assertThat(memory.maximum()).isEqualTo(1000);
	}

	@Test
	void keysBeyondTheMaximumNumberAreEvictedAndTheirBytesAreFree() {
		MemoryBudget memory = new MemoryBudget(1_000_000);
		BoundedCache<Long> cache = cache(3, memory);
		addAll(cache, "key", 5, 10);
		cache.cache().cleanUp();
		assertThat(cache.map()).hasSize(3);
		assertThat(this.evictions).isEqualTo(2);
		assertThat(memory.used()).isEqualTo(30);
	}

	@Test
	void evictsAsManyAsAreEnough() {
		BoundedCache<Long> cache = cache(100, new MemoryBudget(1000));
		addAll(cache, "key", 5, 10);
		assertThat(cache.evictColdest(20, null)).isTrue();
		assertThat(this.evictions).isEqualTo(2);
		assertThat(cache.evictColdest(11, null)).isTrue();
		assertThat(this.evictions).isEqualTo(4);
		assertThat(cache.map()).hasSize(1);
		assertThat(cache.bytes()).isEqualTo(10);
	}

	@Test
	void evictsAllButTheOneThatMustStay() {
		BoundedCache<Long> cache = cache(100, new MemoryBudget(1000));
		addAll(cache, "key", 5, 10);
		assertThat(cache.evictColdest(Long.MAX_VALUE, "key2")).isTrue();
		assertThat(cache.map()).containsOnlyKeys("key2");
		assertThat(cache.evictColdest(Long.MAX_VALUE, "key2")).isFalse();
		assertThat(cache.evictColdest(Long.MAX_VALUE, null)).isTrue();
		assertThat(cache.evictColdest(Long.MAX_VALUE, null)).isFalse();
	}

	@Test
	void isScarceBeyondHalfOfTheMaximum() {
		MemoryBudget memory = new MemoryBudget(1000);
		memory.count(500);
		assertThat(memory.isScarce()).isFalse();
		memory.count(1);
		assertThat(memory.isScarce()).isTrue();
	}

	@Test
	void evictsNothingUpToTheMaximumAndALittleMoreThanNeededBeyondIt() {
		MemoryBudget memory = new MemoryBudget(6400);
		BoundedCache<Long> cache = cache(100_000, memory);
		addAll(cache, "key", 6400, 1);
		assertThat(memory.used()).isEqualTo(6400);
		add(cache, "one more", 1);
		assertThat(memory.used()).isEqualTo(6300);
		assertThat(cache.map()).hasSize(6300);
	}

	@Test
	void evictsNeverMuchMoreThanNeeded() {
		long maximum = 16L << 20;
		MemoryBudget memory = new MemoryBudget(maximum);
		BoundedCache<Long> cache = cache(100_000, memory);
		addAll(cache, "key", 1 << 14, 1 << 10);
		assertThat(memory.used()).isEqualTo(maximum);
		add(cache, "one more", 1 << 10);
		assertThat(memory.used()).isEqualTo(maximum - (64 << 10));
	}

	@Test
	void evictsNoMoreKeysThanAreNeeded() {
		MemoryBudget memory = new MemoryBudget(6400);
		BoundedCache<Long> cache = cache(100_000, memory);
		addAll(cache, "key", 65, 100);
		assertThat(memory.used()).isEqualTo(6300);
		assertThat(this.evictions).isEqualTo(2);
	}

	@Test
	void givesUpWhereNothingMayBeEvicted() {
		MemoryBudget memory = new MemoryBudget(100);
		BoundedCache<Long> cache = cache(100, memory);
		add(cache, "key", 80);
		cache.count(50);
		cache.makeRoom("key");
		assertThat(cache.map()).containsOnlyKeys("key");
		assertThat(memory.used()).isEqualTo(130);
	}

	@Test
	void theKeyThatGrowsStays() {
		MemoryBudget memory = new MemoryBudget(100);
		BoundedCache<Long> cache = cache(100, memory);
		addAll(cache, "key", 10, 10);
		cache.count(50);
		cache.makeRoom("key0");
		assertThat(cache.map()).containsKey("key0");
		assertThat(memory.used()).isLessThanOrEqualTo(100);
	}

	@Test
	void whoHoldsMostEvicts() {
		MemoryBudget memory = new MemoryBudget(1000);
		BoundedCache<Long> small = cache(100, memory);
		BoundedCache<Long> large = cache(100, memory);
		addAll(small, "small", 30, 10);
		addAll(large, "large", 71, 10);
		assertThat(small.map()).hasSize(30);
		assertThat(this.evictions).isPositive();
		assertThat(large.map()).hasSizeLessThan(71);
	}

	@Test
	void whereWhoHoldsMostHasNothingToEvictTheNextDoes() {
		MemoryBudget memory = new MemoryBudget(1000);
		BoundedCache<Long> small = cache(100, memory);
		BoundedCache<Long> large = cache(100, memory);
		addAll(small, "small", 30, 10);
		add(large, "large", 600);
		large.count(200);
		large.makeRoom("large");
		assertThat(large.map()).containsOnlyKeys("large");
		assertThat(memory.used()).isLessThanOrEqualTo(1000);
	}

	@Test
	void severalThreadsMakeRoomInTurn() throws InterruptedException {
		MemoryBudget memory = new MemoryBudget(100);
		BoundedCache<Long> cache = cache(100, memory);
		for (String prefix : List.of("a", "b")) {
			Thread thread = new Thread(() -> addAll(cache, prefix, 50, 10));
			thread.setDaemon(true);
			thread.start();
			thread.join(10_000);
			assertThat(thread.isAlive()).isFalse();
		}
		assertThat(memory.used()).isLessThanOrEqualTo(100);
	}

	/*
	 * Which keys are used is recorded before there is no room: half of it is taken then.
	 */
	@Test
	void whereRoomIsScarceKeysStayThatAreUsedOften() {
		MemoryBudget memory = new MemoryBudget(1000);
		BoundedCache<Long> cache = cache(100_000, memory);
		addAll(cache, "key", 52, 10);
		for (int i = 0; i < 500; i++) {
			use(cache, "key" + i % 10);
		}
		cache.evictColdest(400, null);
		assertThat(cache.map()).hasSize(12);
		assertThat(IntStream.range(0, 10)).allMatch((i) -> cache.map().containsKey("key" + i));
	}

	@Test
	void whereRoomIsScarceNothingIsEvictedYetAndMoreKeysMayCome() {
		MemoryBudget memory = new MemoryBudget(10_000);
		BoundedCache<Long> cache = cache(100_000, memory);
		addAll(cache, "key", 100, 51);
		cache.cache().cleanUp();
		assertThat(this.evictions).isZero();
		addAll(cache, "small", 200, 1);
		cache.cache().cleanUp();
		assertThat(this.evictions).isZero();
		assertThat(cache.map()).hasSize(300);
	}

	private static @Nullable Long use(BoundedCache<Long> cache, String key) {
		return cache.cache().getIfPresent(key);
	}

}
