package io.github.ratelimit.web.address;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitInterventions.InForce;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link AddressGates}: which requests are denied or exempt by their client's address.
 */
class AddressGatesTests {

	private static final long SEED = 40;

	private final ManualClock clock = ManualClock.atMidnight();

	private final AtomicReference<@Nullable AddressGate> gate = new AtomicReference<>();

	private final AddressGates gates = new AddressGates(
			new ClientAddressResolver(List.of(), 64, null, new RateLimitFindings()), this.gate::set);

	private final List<InForce> inForce = new ArrayList<>();

	private void put(Kind kind, String address, @Nullable Instant until) {
		Target target = Target.ofAddress(kind, this.gates.canonical(address));
		this.inForce.add(new InForce(new RateLimitIntervention(target, null, null, null), Instant.EPOCH, until, false));
		this.gates.enforce(this.inForce, this.clock);
	}

	private @Nullable Kind decide(String client) {
		return this.gate.get().decide(client, (name) -> Collections.emptyEnumeration());
	}

	@ParameterizedTest
	@CsvSource({ "192.0.2.1, 192.0.2.1", "10.1.2.3/8, 10.0.0.0/8", "' 192.0.2.1 ', 192.0.2.1",
			"192.0.2.1/32, 192.0.2.1", "::ffff:192.0.2.1, 192.0.2.1", "::ffff:10.1.2.3/104, 10.0.0.0/8",
			"2001:DB8::1, 2001:db8:0:0::/64", "[2001:db8::1], 2001:db8:0:0::/64",
			"2001:db8::1/128, 2001:db8:0:0:0:0:0:1/128", "2001:db8:ffff::/33, 2001:db8:8000::/33",
			"fe80::1%eth0, fe80:0:0:0::/64", "0.0.0.0/1, 0.0.0.0/1" })
	void anAddressIsComparedInOneNotation(String written, String canonical) {
		assertThat(this.gates.canonical(written)).isEqualTo(canonical);
		assertThat(this.gates.canonical(canonical)).as("once more").isEqualTo(canonical);
	}

	@ParameterizedTest
	@ValueSource(strings = { "example.org", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8",
			"2001:db8::/129", "*", "10.*", "1", "0x7f000001", "127.1", "/8", "10.0.0.0/", "::ffff:10.0.0.0/8" })
	void whatIsNoAddressIsAMistake(String text) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.gates.canonical(text))
			.withMessageContaining("is neither an IP address nor a range of them")
			.satisfies((ex) -> assertThat(ex.action()).contains("Host names are not resolved."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0/0", "::/0", "192.0.2.1/0", "::ffff:0.0.0.0/96" })
	void everyAddressIsAMistake(String text) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> this.gates.canonical(text))
			.withMessageContaining("is every address there is");
	}

	@Test
	void theGateIsThereOnlyWhileSomethingIsInForce() {
		assertThat(this.gate.get()).isNull();
		put(Kind.DENY, "192.0.2.1", null);
		assertThat(this.gate.get()).isNotNull();
		this.gates.enforce(List.of(), this.clock);
		assertThat(this.gate.get()).isNull();
	}

	@Test
	void denyPrecedesExemptAndBothAreCounted() {
		put(Kind.EXEMPT, "10.0.0.0/8", null);
		put(Kind.DENY, "10.1.0.0/16", null);
		assertThat(decide("10.1.2.3")).isEqualTo(Kind.DENY);
		assertThat(decide("10.2.2.3")).isEqualTo(Kind.EXEMPT);
		assertThat(decide("11.2.2.3")).isNull();
		assertThat(decide("::ffff:10.1.2.3")).isEqualTo(Kind.DENY);
		assertThat(decide("a proxy's word")).isNull();
		assertThat(this.gates.requests(Kind.DENY)).isEqualTo(2);
		assertThat(this.gates.requests(Kind.EXEMPT)).isEqualTo(1);
	}

	@Test
	void eachEndsByItselfAndTheLongestOfSeveralCounts() {
		Instant noon = Instant.ofEpochSecond(0, this.clock.nanos()).plusSeconds(43_200);
		put(Kind.DENY, "10.0.0.0/8", noon);
		put(Kind.DENY, "10.1.2.3", noon.plusSeconds(1));
		put(Kind.DENY, "10.1.2.3", noon);
		this.clock.advanceNanos(43_200_000_000_000L - 1);
		assertThat(decide("10.9.9.9")).isEqualTo(Kind.DENY);
		this.clock.advanceNanos(1);
		assertThat(decide("10.9.9.9")).isNull();
		assertThat(decide("10.1.2.3")).isEqualTo(Kind.DENY);
		this.clock.advanceNanos(1_000_000_000);
		assertThat(decide("10.1.2.3")).isNull();
	}

	@Test
	void anyAddressIsFoundInTheRangesThatContainIt() {
		Random random = new Random(SEED);
		AddressRanges ranges = new AddressRanges(this.clock);
		List<AddressRange> all = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			AddressRange range = AddressRange.parse(address(random) + "/" + (8 + random.nextInt(25)));
			all.add(range);
			ranges.add(range, Long.MAX_VALUE);
		}
		for (int i = 0; i < 5000; i++) {
			IpAddress address = IpAddress.parse(address(random));
			boolean contained = all.stream().anyMatch((range) -> range.contains(address));
			assertThat(ranges.contain(address)).as("%s with the seed %s", address.text(128), SEED).isEqualTo(contained);
		}
	}

	private static String address(Random random) {
		if (random.nextBoolean()) {
			return "10." + random.nextInt(4) + "." + random.nextInt(256) + "." + random.nextInt(256);
		}
		return "2001:db8:" + Integer.toHexString(random.nextInt(4)) + "::" + Integer.toHexString(random.nextInt(65536));
	}

	@Test
	void aLookDoesNotGrowWithTheNumberOfRanges() {
		AddressRanges ranges = new AddressRanges(this.clock);
		for (int i = 0; i < 10_000; i++) {
			ranges.add(AddressRange.parse("10." + (i >> 8) + "." + (i & 255) + ".0/" + (24 + i % 9)), Long.MAX_VALUE);
		}
		assertThat(ranges.lengths()).isEqualTo(9);
		assertThat(ranges.contain(IpAddress.parse("11.0.0.1"))).isFalse();
	}

}
