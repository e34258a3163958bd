package io.github.ratelimit.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.actuate.RateLimitsDescriptor.PublishedDescriptor;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.store.PolicyDecider;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.store.RateLimitStoreAvailability;
import io.github.ratelimit.store.SharedOverrides;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What instances know of each other, whose clocks differ.
 */
@ExtendWith(OutputCaptureExtension.class)
class InstanceReportsTests {

	private static final RateLimit TWO = RateLimit.of(RateLimitAlgorithm.FIXED_WINDOW_COUNTER, 2, Duration.ofDays(1));

	private final ManualClock clock = ManualClock.atMidnight();

	private final Wire wire = new Wire(this.clock);

	private final List<Instance> instances = new ArrayList<>();

	private final Instance one = start("shop-1", Duration.ZERO);

	private final Instance other = start("shop-2", Duration.ofHours(-3));

	private Instance start(String name, Duration ahead) {
		Instance instance = new Instance(name, ahead);
		this.instances.add(instance);
		return instance;
	}

	@AfterEach
	void stop() {
		this.instances.forEach((instance) -> instance.store.close());
	}

	private PolicyCounts sum(Instance asked, String policy) {
		return asked.shared().sum(policy, PolicyCounts.of(asked.registry.policy(policy), asked.history.recent(policy)));
	}

	@Test
	void allInstancesAreAddedUp() {
		this.one.decide("api", 5);
		this.other.decide("api", 3);
		this.one.tick();
		this.other.tick();
		assertThat(sum(this.one, "api").requests()).containsEntry("allowed", 4L).containsEntry("rejected", 4L);
		assertThat(sum(this.other, "api")).isEqualTo(sum(this.one, "api"));
		assertThat(sum(this.one, "api").shadow()).isNull();
		assertThat(sum(this.one, "tried").requests()).containsEntry("allowed", 0L);
		this.one.decide("tried", 3);
		this.one.tick();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(sum(this.other, "tried").shadow()).containsEntry("allowed", 2L).containsEntry("rejected", 1L);
	}

	@Test
	void whatIsRecentIsAddedUpToo() {
		this.one.decide("api", 5);
		this.other.decide("api", 3);
		this.clock.advance(RateLimitHistory.STEP);
		this.instances.forEach((instance) -> {
			instance.history.record();
			instance.tick();
		});
		assertThat(sum(this.one, "api").recent()).containsEntry("allowed", 4L)
			.containsEntry("rejected", 4L)
			.containsEntry("wouldBeRejected", 0L);
	}

	@Test
	void whatOnlyOthersHaveCountedLatelyHasEachOutcome() {
		this.other.decide("api", 3);
		this.clock.advance(RateLimitHistory.STEP);
		this.other.history.record();
		this.other.tick();
		assertThat(this.one.history.recent("api")).isNull();
		assertThat(sum(this.one, "api").recent()).isEqualTo(this.other.history.recent("api"));
	}

	@Test
	void momentsAreByTheClockOfWhoeverIsAsked() {
		this.clock.advance(Duration.ofMinutes(10));
		this.other.tick();
		this.clock.advance(Duration.ofSeconds(4));
		Instant now = this.one.running.moment();
		SharedCounts shared = this.one.shared();
		assertThat(shared.asOf()).isEqualTo(now);
		assertThat(shared.instances(this.one.running)).containsExactly(
				new PublishedDescriptor("shop-1", now.minusSeconds(604), now),
				new PublishedDescriptor("shop-2", now.minusSeconds(604), now.minusSeconds(4)));
	}

	@Test
	void anInstanceThatStartsAgainDoesNotCountTwice() {
		this.other.decide("api", 5);
		this.other.tick();
		Instance again = start("shop-2", Duration.ofHours(7));
		again.decide("api", 1);
		again.tick();
		assertThat(this.one.shared().others()).hasSize(1);
		assertThat(sum(this.one, "api").requests()).containsEntry("allowed", 1L).containsEntry("rejected", 0L);
	}

	@Test
	void anInstanceThatStartsAgainDoesNotTakeItsFormerSelfForAnother(CapturedOutput output) {
		this.other.tick();
		this.clock.advance(Duration.ofSeconds(2));
		Instance again = start("shop-2", Duration.ZERO);
		assertThat(again.shared().others()).isEmpty();
		again.tick();
		this.clock.advance(Duration.ofSeconds(2));
		again.shared();
		assertThat(output).doesNotContain("Another instance");
	}

	@Test
	void twoInstancesOfOneNameAreSaidOnce(CapturedOutput output) {
		Instance same = start("shop-1", Duration.ZERO);
		for (int i = 0; i < 3; i++) {
			this.one.tick();
			this.clock.advance(Duration.ofSeconds(1));
			same.tick();
			this.one.shared();
		}
		assertThat(output.getAll().split("Another instance of the application is called 'shop-1'", -1)).hasSize(2);
	}

	@Test
	void othersAreReadAtMostOnceASecond() {
		this.one.shared();
		int reads = this.wire.reads;
		this.one.shared();
		assertThat(this.wire.reads).isEqualTo(reads);
		this.clock.advance(Duration.ofSeconds(1));
		this.one.shared();
		assertThat(this.wire.reads).isEqualTo(reads + 1);
	}

	@Test
	void whileTheStoreCannotBeAskedWhatWasKnownStaysAndIsSaidToBeOld() {
		this.other.decide("api", 3);
		this.other.tick();
		Instant read = this.one.running.moment();
		this.one.shared();
		this.wire.cut = true;
		this.clock.advance(Duration.ofMinutes(5));
		assertThat(this.one.shared().asOf()).isEqualTo(read);
		assertThat(sum(this.one, "api").requests()).containsEntry("rejected", 1L);
		int reads = this.wire.reads;
		this.wire.unavailable = true;
		this.one.shared();
		assertThat(this.wire.reads).as("nobody waits for it").isEqualTo(reads);

		this.wire.cut = false;
		this.wire.unavailable = false;
		assertThat(this.one.shared().asOf()).isEqualTo(this.one.running.moment());
		assertThat(this.one.shared().others()).as("it has been gone for long").isEmpty();
	}

	@Test
	void whatAnotherVersionOfTheApplicationWritesIsLeftOut() {
		this.other.tick();
		for (String text : List.of("", "x", "id\t5\nname", "id\t5\nname\tallowed", "id\t5\nname\tallowed=x\t~\t~",
				"id\t5\nn\t~\t~\t~")) {
			this.wire.reports.put("broken", new SharedOverrides.Report("broken", text));
			this.wire.times.put("broken", this.clock.nanos());
			this.clock.advance(Duration.ofSeconds(1));
			assertThat(this.one.shared().others()).as(text)
				.extracting(SharedCounts.Other::name)
				.containsExactly("shop-2");
		}
		this.wire.reports.put("newer", new SharedOverrides.Report("newer", "id\t5\napi\tallowed=3 postponed=7\t~\t~"));
		this.wire.times.put("newer", this.clock.nanos());
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(sum(this.one, "api").requests()).containsEntry("allowed", 3L).containsEntry("postponed", 7L);
	}

	@Test
	void nothingIsPublishedBeforeTheNameIsKnown() {
		Instance starting = new Instance("shop-3", Duration.ZERO, false);
		this.instances.add(starting);
		starting.tick();
		assertThat(this.one.shared().others()).isEmpty();
	}

	@Test
	void aStoreOfOneInstanceHasNoOthers() {
		StoreRateLimiterRegistry alone = new StoreRateLimiterRegistry(this.one.store, List.of());
		assertThat(new InstanceReports(alone, this.one.running, this.one.history).read()).isNull();
	}

	/**
	 * An instance that shares what is on the wire.
	 */
	private final class Instance {

		private final LocalRateLimitStore store = new LocalRateLimitStore(InstanceReportsTests.this.clock, 1000);

		private final StoreRateLimiterRegistry registry;

		private final RunningInstance running;

		private final RateLimitHistory history;

		private final SharedOverrides connection = InstanceReportsTests.this.wire.connect();

		private final InstanceReports reports;

		Instance(String name, Duration ahead) {
			this(name, ahead, true);
		}

		Instance(String name, Duration ahead, boolean listening) {
			ManualClock time = InstanceReportsTests.this.clock;
			this.registry = new StoreRateLimiterRegistry(new SharingStore(this.store, this.connection, wire()),
					List.of());
			this.registry.register(RateLimitPolicy.of("api", TWO));
			this.registry.register(RateLimitPolicy.builder("tried").limit(TWO).mode(RateLimitMode.SHADOW).build());
			MockEnvironment environment = new MockEnvironment().withProperty("ratelimit.instance", name);
			this.running = new RunningInstance(environment, () -> time.nanos() + ahead.toNanos());
			if (listening) {
				this.running.onApplicationEvent(RunningInstanceTests.refreshed(environment));
			}
			this.history = new RateLimitHistory(this.registry, time, this.running::name);
			this.reports = new InstanceReports(this.registry, this.running, this.history);
		}

		private Wire wire() {
			return InstanceReportsTests.this.wire;
		}

		void decide(String policy, int times) {
			for (int i = 0; i < times; i++) {
				this.registry.policy(policy).decide("ada", 1);
			}
		}

		void tick() {
			this.registry.followOverrides();
		}

		SharedCounts shared() {
			SharedCounts shared = this.reports.read();
			assertThat(shared).isNotNull();
			return shared;
		}

	}

	/**
	 * A store whose overrides are shared.
	 *
	 * @param store decides
	 * @param sharedOverrides where overrides and reports are
	 * @param wire says whether it can be asked
	 */
	private record SharingStore(RateLimitStore store, SharedOverrides sharedOverrides,
			Wire wire) implements RateLimitStore {

		@Override
		public String name() {
			return "shared";
		}

		@Override
		public PolicyDecider open(RateLimitPolicy policy) {
			return this.store.open(policy);
		}

		@Override
		public RateLimitStoreAvailability availability() {
			RateLimitStoreAvailability availability = mock();
			given(availability.isAvailable()).willReturn(!this.wire.unavailable);
			return availability;
		}

	}

	/**
	 * What connects instances.
	 */
	private static final class Wire {

		private final Map<String, SharedOverrides.Report> reports = new LinkedHashMap<>();

		private final Map<String, Long> times = new LinkedHashMap<>();

		private final ManualClock clock;

		private boolean cut;

		private boolean unavailable;

		private int reads;

		Wire(ManualClock clock) {
			this.clock = clock;
		}

		SharedOverrides connect() {
			return new SharedOverrides() {

				private Supplier<@Nullable Report> report = () -> null;

				@Override
				public Snapshot read(long knownVersion) {
					Report published = this.report.get();
					if (published != null) {
						Wire.this.reports.put(published.instance(), published);
						Wire.this.times.put(published.instance(), Wire.this.clock.nanos());
					}
					return new Snapshot(0, Wire.this.clock.nanos(), Map.of());
				}

				@Override
				public Written write(String name, @Nullable String text, @Nullable Duration lasts, long expectedVersion,
						int most) {
					return new Written(Outcome.DONE, 1, 0);
				}

				@Override
				public void publish(Supplier<@Nullable Report> report) {
					this.report = report;
				}

				@Override
				public List<PublishedReport> reports() {
					Wire.this.reads++;
					if (Wire.this.cut) {
						throw new IllegalStateException("The wire is cut");
					}
					return Wire.this.reports.values()
						.stream()
						.map((each) -> new PublishedReport(each.instance(), each.text(),
								Duration.ofNanos(Wire.this.clock.nanos() - Wire.this.times.get(each.instance()))))
						.filter((each) -> each.age().compareTo(Duration.ofSeconds(10)) < 0)
						.toList();
				}

			};
		}

	}

}
