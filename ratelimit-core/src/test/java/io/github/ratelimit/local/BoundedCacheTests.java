package io.github.ratelimit.local;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.github.ratelimit.store.MemoryBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link BoundedCache}, and the {@link MemoryBudget} that several share. The value of a
 * key is how many bytes it takes.
 */
class BoundedCacheTests {

	private final MemoryBudget memory = new MemoryBudget(1000);

	private final BoundedCache<Long> cache = cache(100_000, this.memory);

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

	private static void addAll(BoundedCache<Long> cache, String prefix, int number, long bytes) {
		IntStream.range(0, number).forEach((i) -> cache.findOrAdd(prefix + i, () -> bytes));
	}

	@Test
	void countsBytesForItselfAndForAll() {
		BoundedCache<Long> other = cache(10, this.memory);
		addAll(this.cache, "a", 1, 30);
		addAll(other, "b", 1, 50);
		this.cache.count(5);
		assertThat(this.cache.bytes()).isEqualTo(35);
		assertThat(this.memory.used()).isEqualTo(85);
		other.compute("b0", (value) -> null);
		assertThat(other.bytes()).isZero();
		assertThat(this.memory.used()).isEqualTo(35);
	}

	/*
	 * As a log whose array another thread enlarges: each look at its bytes is followed by
	 * a growth, which counts itself.
	 */
	@Test
	void aValueThatStaysAndGrowsMeanwhileIsCountedAsItHasGrown() {
		AtomicLong bytes = new AtomicLong(30);
		BoundedCache<AtomicLong> growing = new BoundedCache<>(10, this.memory) {

			@Override
			long bytesOf(String key, AtomicLong value) {
				count(20);
				return value.getAndAdd(20);
			}

		};
		growing.findOrAdd("key", () -> bytes);
		growing.compute("key", (value) -> value);
		assertThat(growing.bytes()).isEqualTo(bytes.get());
	}

	@Test
	void keysBeyondTheMaximumNumberAreEvictedAndTheirBytesAreFree() {
		BoundedCache<Long> few = cache(3, this.memory);
		addAll(few, "key", 5, 10);
		few.cache.cleanUp();
		assertThat(few.map()).hasSize(3);
		assertThat(this.evictions).isEqualTo(2);
		assertThat(this.memory.used()).isEqualTo(30);
	}

	@Test
	void evictsAsManyAsAreEnoughAndAllButTheOneThatMustStay() {
		addAll(this.cache, "key", 5, 10);
		assertThat(this.cache.evict(20, null)).isTrue();
		assertThat(this.evictions).isEqualTo(2);
		assertThat(this.cache.evict(11, "key4")).isTrue();
		assertThat(this.evictions).isEqualTo(4);
		assertThat(this.cache.map()).containsOnlyKeys("key4");
		assertThat(this.cache.evict(Long.MAX_VALUE, "key4")).isFalse();
		assertThat(this.cache.evict(Long.MAX_VALUE, null)).isTrue();
		assertThat(this.cache.evict(Long.MAX_VALUE, null)).isFalse();
	}

	/*
	 * A sixty-fourth of the maximum, at most 64 KiB, and no more keys than that needs.
	 */
	@ParameterizedTest
	@CsvSource({ "6400, 6400, 1, 6300", "6400, 64, 100, 6300", "16777216, 16384, 1024, 16711680" })
	void evictsNothingUpToTheMaximumAndALittleMoreThanNeededBeyondIt(long maximum, int keys, long bytes, long left) {
		MemoryBudget budget = new MemoryBudget(maximum);
		BoundedCache<Long> large = cache(100_000, budget);
		addAll(large, "key", keys, bytes);
		assertThat(budget.used()).isEqualTo(maximum);
		assertThat(this.evictions).isZero();
		addAll(large, "more", 1, bytes);
		assertThat(budget.used()).isEqualTo(left);
		assertThat(large.map()).hasSize((int) (left / bytes));
	}

	@Test
	void theKeyThatGrowsStaysAndWhatMayNotBeEvictedStaysTooLarge() {
		addAll(this.cache, "key", 10, 100);
		this.cache.count(500);
		this.cache.makeRoom("key0");
		assertThat(this.cache.map()).containsKey("key0");
		assertThat(this.memory.used()).isLessThanOrEqualTo(1000);
		this.cache.count(1000);
		this.cache.makeRoom("key0");
		assertThat(this.cache.map()).containsOnlyKeys("key0");
		assertThat(this.memory.used()).isEqualTo(1600);
	}

	@Test
	void whoHoldsMostEvictsAndTheNextDoesWhereThatHasNothingToEvict() {
		BoundedCache<Long> large = cache(100, this.memory);
		addAll(this.cache, "small", 30, 10);
		addAll(large, "large", 71, 10);
		assertThat(this.cache.map()).hasSize(30);
		assertThat(large.map()).hasSizeLessThan(71);
		large.map().keySet().stream().skip(1).toList().forEach((key) -> large.compute(key, (value) -> null));
		large.count(800);
		large.makeRoom(large.map().keySet().iterator().next());
		assertThat(large.map()).hasSize(1);
		assertThat(this.memory.used()).isLessThanOrEqualTo(1000);
	}

	@Test
	void severalThreadsMakeRoomInTurn() throws InterruptedException {
		for (String prefix : List.of("a", "b")) {
			Thread thread = new Thread(() -> addAll(this.cache, prefix, 50, 100));
			thread.setDaemon(true);
			thread.start();
			thread.join(10_000);
			assertThat(thread.isAlive()).isFalse();
		}
		assertThat(this.memory.used()).isLessThanOrEqualTo(1000);
	}

	/*
	 * Which keys are used is recorded before there is no room: half of it is taken then.
	 */
	@Test
	void whereRoomIsScarceKeysStayThatAreUsedOften() {
		addAll(this.cache, "key", 52, 10);
		for (int i = 0; i < 500; i++) {
			this.cache.map().get("key" + i % 10);
		}
		this.cache.evict(400, null);
		assertThat(this.cache.map()).hasSize(12);
		assertThat(IntStream.range(0, 10)).allMatch((i) -> this.cache.map().containsKey("key" + i));
	}

	@Test
	void whereRoomIsScarceNothingIsEvictedYetAndMoreKeysMayCome() {
		addAll(this.cache, "key", 10, 51);
		assertThat(this.memory.isScarce()).isTrue();
		addAll(this.cache, "small", 200, 1);
		this.cache.cache.cleanUp();
		assertThat(this.evictions).isZero();
		assertThat(this.cache.map()).hasSize(210);
	}

}
