package io.github.ratelimit.web.address;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import com.sun.management.ThreadMXBean;
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

	private final AddressGates behindProxy = new AddressGates(
			new ClientAddressResolver(List.of("10.0.0.1", "10.0.0.2"), 64, null, new RateLimitFindings()),
			this.gate::set);

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

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					the proxy itself, or one that sends no field |                                         |                         | none
					told                                         | 10.7.7.7                                |                         | EXEMPT
					told behind a second proxy                   | 10.7.7.7, 10.0.0.2                      |                         | EXEMPT
					told to be elsewhere                         | 203.0.113.1                             |                         | none
					no address                                   | unknown                                 |                         | none
					an empty field                               | ` , `                                   |                         | none
					no address behind a second proxy             | unknown, 10.0.0.2                       |                         | none
					fields that disagree                         | 10.7.7.7                                | for=10.8.8.8            | none
					fields that disagree, of which one is denied | 10.7.7.7                                | for=192.0.2.66          | DENY
					the same the other way round                 | 192.0.2.66                              | for=10.8.8.8            | DENY
					fields that agree                            | 10.7.7.7                                | for=10.7.7.7            | EXEMPT
					fields of which one is no address            | 10.0.0.1                                | for=unknown             | none
					""")
	void behindAProxyIsExemptWhoWasToldForCertain(String what, @Nullable String common, @Nullable String standard,
			String decided) {
		put(Kind.DENY, "192.0.2.66", null);
		put(Kind.EXEMPT, "10.0.0.0/8", null);
		this.behindProxy.enforce(this.inForce, this.clock);
		Kind kind = this.gate.get().decide("10.0.0.1", fields("X-Forwarded-For", common, "Forwarded", standard));
		assertThat(String.valueOf(kind).replace("null", "none")).as(what).isEqualTo(decided);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			10.1.1.1 | X-Forwarded-For | 203.0.113.1           | none
			10.1.1.1 | X-Forwarded-For | 10.1.1.1, 203.0.113.1 | none
			10.1.1.1 | X-Forwarded-For | unknown               | none
			10.1.1.1 | Forwarded       | for=203.0.113.1       | none
			10.1.1.1 | X-Real-IP       | 203.0.113.1           | none
			10.1.1.1 | X-Forwarded-For | 10.1.1.1              | EXEMPT
			10.1.1.1 | Forwarded       | for=10.1.1.1          | EXEMPT
			10.1.1.1 | X-Other         | 203.0.113.1           | EXEMPT
			10.0.0.1 | X-Real-IP       | 10.3.3.3              | EXEMPT
			10.0.0.1 | X-Real-IP       | unknown               | none
			10.0.0.1 | X-Other         | 10.3.3.3              | none
			""")
	void aPeerWhoForwardsForOthersIsNotExemptWithThem(String peer, String field, String value, String decided) {
		AddressGates single = new AddressGates(
				new ClientAddressResolver(List.of("10.0.0.1"), 64, "X-Real-IP", new RateLimitFindings()),
				this.gate::set);
		put(Kind.EXEMPT, "10.0.0.0/8", null);
		single.enforce(this.inForce, this.clock);
		Kind kind = this.gate.get().decide(peer, fields(field, value));
		assertThat(String.valueOf(kind).replace("null", "none")).isEqualTo(decided);
	}

	private static Function<String, Enumeration<String>> fields(@Nullable String... fields) {
		return (name) -> {
			for (int i = 0; i < fields.length; i += 2) {
				if (name.equalsIgnoreCase(fields[i]) && fields[i + 1] != null) {
					return Collections.enumeration(List.of(fields[i + 1]));
				}
			}
			return Collections.emptyEnumeration();
		};
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
		AddressRanges few = new AddressRanges(this.clock);
		for (int i = 0; i < 9; i++) {
			few.add(AddressRange.parse("10.0." + i + ".0/" + (24 + i)), Long.MAX_VALUE);
		}
		assertThat(bytesOfALook(ranges)).isEqualTo(bytesOfALook(few));
	}

	/* Each length makes a network of the address. */
	private static long bytesOfALook(AddressRanges ranges) {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		IpAddress address = Objects.requireNonNull(IpAddress.parse("11.0.0.1"));
		boolean found = false;
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 100; i++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			found |= ranges.contain(address);
			least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
		}
		assertThat(found).isFalse();
		return least;
	}

}
