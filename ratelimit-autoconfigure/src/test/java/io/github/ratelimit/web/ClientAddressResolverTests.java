package io.github.ratelimit.web;

import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.test.model.RandomCases;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ClientAddressResolver}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientAddressResolverTests {

	private final ClientAddressResolver behindProxies = new ClientAddressResolver(
			List.of("10.0.0.0/8", "192.0.2.7", "fd00::/8"), 64);

	private final ClientAddressResolver direct = new ClientAddressResolver(List.of(), 64);

	@Test
	void withoutTrustedProxiesNobodyIsBelieved() {
		assertThat(this.direct.resolve("203.0.113.9", xff("198.51.100.1"))).isEqualTo("203.0.113.9");
		assertThat(this.direct.resolve("203.0.113.9", forwarded("for=198.51.100.1"))).isEqualTo("203.0.113.9");
	}

	@Test
	void anUntrustedPeerIsNotBelieved() {
		assertThat(this.behindProxies.resolve("203.0.113.9", xff("198.51.100.1"))).isEqualTo("203.0.113.9");
	}

	@Test
	void aTrustedPeerWithoutAHeaderIsTheClient() {
		assertThat(this.behindProxies.resolve("10.1.2.3", none())).isEqualTo("10.1.2.3");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			198.51.100.1                                  | 198.51.100.1
			198.51.100.1:4711                             | 198.51.100.1
			1.1.1.1, 198.51.100.1                         | 198.51.100.1
			1.1.1.1,198.51.100.1 , 10.9.9.9               | 198.51.100.1
			198.51.100.1, 10.9.9.9, 192.0.2.7             | 198.51.100.1
			10.9.9.8, 10.9.9.9                            | 10.9.9.8
			"198.51.100.1"                                | 198.51.100.1
			"198.51.100.1:80"                             | 198.51.100.1
			2001:db8:1:2:3:4:5:6                          | 2001:db8:1:2::/64
			[2001:db8:1:2:3:4:5:6]                        | 2001:db8:1:2::/64
			[2001:db8:1:2:3:4:5:6]:443                    | 2001:db8:1:2::/64
			::ffff:198.51.100.1                           | 198.51.100.1
			::ffff:c633:6401                              | 198.51.100.1
			[::ffff:198.51.100.1]:443                     | 198.51.100.1
			198.51.100.1, ::ffff:10.1.1.1                 | 198.51.100.1
			198.51.100.1, fd00::1                         | 198.51.100.1
			198.51.100.1, unknown                         | 10.1.2.3
			198.51.100.1, _hidden, 10.9.9.9               | 10.9.9.9
			198.51.100.1,                                 | 10.1.2.3
			198.51.100.1, localhost                       | 10.1.2.3
			198.51.100.1, 010.1.1.1                       | 10.1.2.3
			198.51.100.1, 256.1.1.1                       | 10.1.2.3
			198.51.100.1, 1.2.3                           | 10.1.2.3
			198.51.100.1, 3232235777                      | 10.1.2.3
			198.51.100.1, 1:2:3:4:5:6:7                   | 10.1.2.3
			198.51.100.1, 1::2::3                         | 10.1.2.3
			198.51.100.1, [::1                            | 10.1.2.3
			""")
	void readsForwardedForFromTheRight(String header, String client) {
		assertThat(this.behindProxies.resolve("10.1.2.3", xff(header))).isEqualTo(client);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			for=198.51.100.1                                        | 198.51.100.1
			For="198.51.100.1:4711"                                 | 198.51.100.1
			proto=https;for=198.51.100.1;by=10.0.0.1                | 198.51.100.1
			for=198.51.100.1; proto=http                            | 198.51.100.1
			for="[2001:db8:1:2:3:4:5:6]:4711";proto=http            | 2001:db8:1:2::/64
			for=1.1.1.1, for=198.51.100.1, for=10.2.2.2             | 198.51.100.1
			for="1.1.1.1, for=198.51.100.1                          | 198.51.100.1
			for="a,b", for=198.51.100.1;by="x,y;for=1.1.1.1"        | 198.51.100.1
			for=198.51.100.1, for=_gazonk                           | 10.1.2.3
			for=198.51.100.1, for=unknown                           | 10.1.2.3
			for=198.51.100.1, by=10.0.0.1                           | 10.1.2.3
			xfor=198.51.100.1                                       | 10.1.2.3
			""")
	void readsForwardedFromTheRight(String header, String client) {
		assertThat(this.behindProxies.resolve("10.1.2.3", forwarded(header))).isEqualTo(client);
	}

	@Test
	void linesOfOneHeaderAreOneList() {
		assertThat(this.behindProxies.resolve("10.1.2.3", xff("1.1.1.1", "198.51.100.1, 10.4.4.4", "10.5.5.5")))
			.isEqualTo("198.51.100.1");
	}

	@Test
	void whereTheHeadersDisagreeNeitherIsBelieved() {
		Map<String, List<String>> forged = Map.of("Forwarded", List.of("for=1.1.1.1"), "X-Forwarded-For",
				List.of("198.51.100.1"));
		assertThat(this.behindProxies.resolve("10.1.2.3", headers(forged))).isEqualTo("10.1.2.3");
		Map<String, List<String>> same = Map.of("Forwarded", List.of("for=198.51.100.1"), "X-Forwarded-For",
				List.of("198.51.100.1"));
		assertThat(this.behindProxies.resolve("10.1.2.3", headers(same))).isEqualTo("198.51.100.1");
	}

	@ParameterizedTest
	@MethodSource("forgeries")
	void aForgedHeaderIsNoSecondBudgetBehindAProxyThatSetsTheOther(List<String> forged) {
		Map<String, List<String>> behindCommon = Map.of("X-Forwarded-For", List.of("1.2.3.4, 198.51.100.1"),
				"Forwarded", forged);
		ClientAddressResolver common = resolver();
		assertThat(common.resolve("10.1.2.3", xff("203.0.113.5"))).isEqualTo("203.0.113.5");
		assertThat(common.resolve("10.1.2.3", headers(behindCommon))).isEqualTo("198.51.100.1");
		Map<String, List<String>> behindStandard = Map.of("Forwarded", List.of("for=1.2.3.4, for=198.51.100.1"),
				"X-Forwarded-For", forged);
		ClientAddressResolver standard = resolver();
		assertThat(standard.resolve("10.1.2.3", forwarded("for=203.0.113.5"))).isEqualTo("203.0.113.5");
		assertThat(standard.resolve("10.1.2.3", headers(behindStandard))).isEqualTo("198.51.100.1");
	}

	@ParameterizedTest
	@MethodSource("forgeries")
	void beforeAnythingTellsTheHeadersApartAForgeryIsTheProxysOwnBudget(List<String> forged) {
		Map<String, List<String>> both = Map.of("X-Forwarded-For", List.of("198.51.100.1"), "Forwarded", forged);
		assertThat(resolver().resolve("10.1.2.3", headers(both))).isIn("10.1.2.3", "198.51.100.1");
		assertThat(resolver().resolve("10.1.2.3",
				headers(Map.of("X-Forwarded-For", forged, "Forwarded", List.of("for=198.51.100.1")))))
			.isIn("10.1.2.3", "198.51.100.1");
	}

	static List<List<String>> forgeries() {
		return List.of(List.of("for=1.1.1.1"), List.of("1.1.1.1"), List.of(""), List.of(",,,"), List.of("for="),
				List.of("for=unknown"), List.of("for=_hidden"), List.of("unknown"), List.of("for=\"[::"),
				List.of("for=198.51.100.1"), List.of("198.51.100.1"), List.of("for=1.1.1.1", "for=1.1.1.2"),
				List.of("for=198.51.100.1", "for=1.1.1.2"), List.of("for=1.1.1.1, for=10.9.9.9"),
				List.of("1.1.1.1, 10.9.9.9"), List.of("", "", ""), List.of("for=10.9.9.9"), List.of("\""));
	}

	@Test
	void proxiesOfDifferentRangesMaySetDifferentHeaders() {
		ClientAddressResolver resolver = resolver();
		resolver.resolve("10.1.2.3", xff("203.0.113.5"));
		resolver.resolve("192.0.2.7", forwarded("for=203.0.113.5"));
		Map<String, List<String>> both = Map.of("X-Forwarded-For", List.of("198.51.100.1"), "Forwarded",
				List.of("for=198.51.100.2"));
		assertThat(resolver.resolve("10.1.2.3", headers(both))).isEqualTo("198.51.100.1");
		assertThat(resolver.resolve("192.0.2.7", headers(both))).isEqualTo("198.51.100.2");
		assertThat(resolver.resolve("fd00::1", headers(both))).isEqualTo("fd00:0:0:0::/64");
	}

	@Test
	void proxiesOfOneRangeThatSetDifferentHeadersAreNotToldApart() {
		ClientAddressResolver resolver = resolver();
		resolver.resolve("10.1.2.3", xff("203.0.113.5"));
		resolver.resolve("10.1.2.4", forwarded("for=203.0.113.5"));
		Map<String, List<String>> both = Map.of("X-Forwarded-For", List.of("198.51.100.1"), "Forwarded",
				List.of("for=198.51.100.2"));
		assertThat(resolver.resolve("10.1.2.3", headers(both))).isEqualTo("10.1.2.3");
	}

	@Test
	void headersThatDisagreeAreMentionedOnceWithoutWhatTheClientSent(CapturedOutput output) {
		ClientAddressResolver resolver = resolver();
		for (int i = 0; i < 3; i++) {
			resolver.resolve("10.1.2.3", headers(Map.of("Forwarded", List.of("for=1.1.1.1;by=intruder"),
					"X-Forwarded-For", List.of("198.51.100.1"))));
		}
		assertThat(output.getAll().split("ratelimit.client-address.header", -1)).hasSize(2);
		assertThat(output).contains("10.1.2.3").doesNotContain("intruder", "1.1.1.1", "198.51.100.1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "x-forwarded-for", "X-Forwarded-For" })
	void aChosenListIsTheOnlyHeaderThatIsRead(String header) {
		ClientAddressResolver chosen = resolver(header);
		Map<String, List<String>> both = Map.of("X-Forwarded-For", List.of("1.1.1.1, 198.51.100.1"), "Forwarded",
				List.of("for=1.1.1.1"));
		assertThat(chosen.resolve("10.1.2.3", headers(both))).isEqualTo("198.51.100.1");
		assertThat(chosen.resolve("10.1.2.3", forwarded("for=1.1.1.1"))).isEqualTo("10.1.2.3");
		assertThat(chosen.resolve("203.0.113.9", xff("198.51.100.1"))).isEqualTo("203.0.113.9");
	}

	@Test
	void theStandardHeaderMayBeChosen() {
		ClientAddressResolver chosen = resolver("forwarded");
		Map<String, List<String>> both = Map.of("X-Forwarded-For", List.of("1.1.1.1"), "Forwarded",
				List.of("for=1.1.1.1, for=198.51.100.1"));
		assertThat(chosen.resolve("10.1.2.3", headers(both))).isEqualTo("198.51.100.1");
		assertThat(chosen.resolve("10.1.2.3", xff("1.1.1.1"))).isEqualTo("10.1.2.3");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			198.51.100.1               | 198.51.100.1
			` 198.51.100.1 `           | 198.51.100.1
			198.51.100.1:4711          | 198.51.100.1
			2001:db8:1:2:3:4:5:6       | 2001:db8:1:2::/64
			[2001:db8:1:2:3:4:5:6]:443 | 2001:db8:1:2::/64
			::ffff:198.51.100.1        | 198.51.100.1
			10.9.9.9                   | 10.9.9.9
			1.1.1.1, 198.51.100.1      | 10.1.2.3
			unknown                    | 10.1.2.3
			for=198.51.100.1           | 10.1.2.3
			``                         | 10.1.2.3
			""")
	void aSingleAddressIsReadFromAHeaderOfAnyName(String value, String client) {
		ClientAddressResolver chosen = resolver("X-Real-IP");
		Map<String, List<String>> all = Map.of("X-Real-IP", List.of(value), "X-Forwarded-For", List.of("1.1.1.1"),
				"Forwarded", List.of("for=1.1.1.1"));
		assertThat(chosen.resolve("10.1.2.3", headers(all))).isEqualTo(client);
		assertThat(chosen.resolve("203.0.113.9", headers(all))).isEqualTo("203.0.113.9");
	}

	@ParameterizedTest
	@ValueSource(strings = { "X-Real-IP", "X-Forwarded-IP", "X-Forwarded-Client", "X-Envoy-External-Address",
			"CF-Connecting-IP", "True-Client-IP", "client_ip" })
	void aHeaderWithASingleAddressMayHaveAnyName(String header) {
		assertThat(resolver(header).resolve("10.1.2.3", headers(Map.of(header, List.of("198.51.100.1")))))
			.isEqualTo("198.51.100.1");
	}

	@Test
	void aSingleAddressThatIsThereTwiceIsNotBelieved(CapturedOutput output) {
		ClientAddressResolver chosen = resolver("CF-Connecting-IP");
		for (String forged : List.of("198.51.100.1", "1.1.1.1", "1.1.1.2")) {
			assertThat(chosen.resolve("10.1.2.3", headers(Map.of("CF-Connecting-IP", List.of(forged, "198.51.100.1")))))
				.isEqualTo("10.1.2.3");
		}
		assertThat(output.getAll().split("CF-Connecting-IP", -1)).hasSize(2);
		assertThat(output).doesNotContain("1.1.1.1", "198.51.100.1");
	}

	@Test
	void aSingleAddressThatIsNotThereIsTheProxysOwnRequest(CapturedOutput output) {
		assertThat(resolver("X-Real-IP").resolve("10.1.2.3", none())).isEqualTo("10.1.2.3");
		assertThat(output).doesNotContain("X-Real-IP");
	}

	@ParameterizedTest
	@CsvSource({ "X-Real-IP, X-Real-IP", "x-forwarded-for, X-Forwarded-For", ", X-Forwarded-For or Forwarded" })
	void aHeaderThatNoProxySendsIsMentionedOnce(@Nullable String header, String named, CapturedOutput output) {
		ClientAddressResolver resolver = resolver(header);
		for (int i = 0; i < 99; i++) {
			resolver.resolve("10.1.2.3", browser());
			resolver.resolve("203.0.113.9", browser());
		}
		assertThat(output).doesNotContain(" held an address in none of the first hundred");
		for (int i = 0; i < 300; i++) {
			resolver.resolve("10.1.2.3", browser());
		}
		assertThat(output).containsOnlyOnce(" held an address in none of the first hundred").contains(named + " held");
	}

	@Test
	void aHeaderThatOneRequestHadIsNotMentioned(CapturedOutput output) {
		ClientAddressResolver resolver = resolver("X-Real-IP");
		resolver.resolve("10.1.2.3", headers(Map.of("X-Real-IP", List.of("198.51.100.1"))));
		for (int i = 0; i < 300; i++) {
			resolver.resolve("10.1.2.3", browser());
		}
		assertThat(output).doesNotContain(" held an address in none of the first hundred");
	}

	private static Function<String, Enumeration<String>> browser() {
		return headers(Map.of("Accept-Language", List.of("en")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			``              | is no name of a header
			` `             | is no name of a header
			X Real IP       | is no name of a header
			X-Real-IP:      | is no name of a header
			X-Réal-IP       | is no name of a header
			X-Forwarded-Fro | Did you mean x-forwarded-for?
			x_forwarded_for | Did you mean x-forwarded-for?
			XForwardedFor   | Did you mean x-forwarded-for?
			Forwaded        | Did you mean forwarded?
			""")
	void whatIsNoHeaderIsRefused(String header, String text) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> resolver(header))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("header"))
			.satisfies((ex) -> assertThat(ex.reason() + ". " + ex.action()).contains(text));
	}

	@Test
	void aHeaderThatNobodyIsTrustedToSetIsRefused() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new ClientAddressResolver(List.of(), 64, "X-Real-IP", new RateLimitFindings()))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("header"))
			.satisfies((ex) -> assertThat(ex.reason()).contains("has no effect"))
			.satisfies((ex) -> assertThat(ex.action()).contains("trusted-proxies"));
	}

	@Test
	void forgedHopsOfTrustedAddressesDoNotHideAClientThatIsNotTrusted() {
		for (int hops : new int[] { 1, 63, 64, 65, 1000 }) {
			String forged = "1.1.1.1, " + "10.1.1.1, ".repeat(hops);
			assertThat(this.behindProxies.resolve("10.1.2.3", xff(forged + "198.51.100.1"))).isEqualTo("198.51.100.1");
			assertThat(this.behindProxies.resolve("10.1.2.3", xff(forged + "198.51.100.1, 10.9.9.9")))
				.isEqualTo("198.51.100.1");
		}
	}

	@Test
	void tenThousandTrustedEntriesAreNotAllWalked() {
		String[] hops = new String[10_000];
		Arrays.fill(hops, "10.1.1.1");
		hops[0] = "198.51.100.1";
		String header = String.join(", ", hops);
		assertThat(this.behindProxies.resolve("10.1.2.3", xff(header))).isEqualTo("10.1.1.1");
		assertThat(this.behindProxies.resolve("10.1.2.3", xff(hops))).isEqualTo("10.1.1.1");
	}

	@Test
	void tenThousandForgedEntriesDoNotHideTheClient() {
		String[] hops = new String[10_000];
		Arrays.fill(hops, "\"1.1.1.1");
		hops[9_999] = "198.51.100.1";
		assertThat(this.behindProxies.resolve("10.1.2.3", xff(String.join(",", hops)))).isEqualTo("198.51.100.1");
	}

	@Test
	void noGarbageIsTakenForAnAddressOrFails() {
		String alphabet = "0123456789abcdef:.,;[]\"%= for\\";
		RandomCases.check(20_000, (random) -> {
			StringBuilder header = new StringBuilder();
			for (int j = random.nextInt(40); j > 0; j--) {
				header.append(alphabet.charAt(random.nextInt(alphabet.length())));
			}
			String xff = this.behindProxies.resolve("10.1.2.3", xff(header.toString()));
			String forwarded = this.behindProxies.resolve("10.1.2.3", forwarded(header.toString()));
			assertThat(List.of(xff, forwarded)).as("header '%s'", header)
				.allMatch((address) -> address.matches("[0-9a-f.:]+(/64)?"));
		});
	}

	@ParameterizedTest
	@CsvSource({ "2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64", "2001:db8:1:2:3:4:5:6, 56, 2001:db8:1:0::/56",
			"2001:db8:1:ff2:3:4:5:6, 60, 2001:db8:1:ff0::/60", "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
			"0:0:0:0:0:0:0:1, 64, 0:0:0:0::/64", "fe80::1%eth0, 64, fe80:0:0:0::/64", "8000::, 1, 8000::/1",
			"::ffff:192.0.2.1, 64, 192.0.2.1" })
	void ipv6IsCutToItsPrefixAfterMappedIpv4IsTakenOut(String peer, int prefix, String client) {
		assertThat(new ClientAddressResolver(List.of(), prefix).resolve(peer, none())).isEqualTo(client);
	}

	@Test
	void aConnectionWithoutAnAddressIsUnknown() {
		assertThat(this.direct.resolve(null, none())).isEqualTo("unknown");
		assertThat(this.direct.resolve("", none())).isEqualTo("unknown");
		assertThat(this.behindProxies.resolve("/var/run/socket", none())).isEqualTo("unknown");
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 10.255.0.1, true", "10.0.0.0/8, 11.0.0.1, false", "192.0.2.0/25, 192.0.2.127, true",
			"192.0.2.0/25, 192.0.2.128, false", "0.0.0.0/0, 203.0.113.1, true", "0.0.0.0/0, 2001:db8::1, false",
			"192.0.2.1, 192.0.2.1, true", "192.0.2.1, 192.0.2.2, false", "fd00::/9, fd7f::1, true",
			"fd00::/9, fd80::1, false", "::ffff:10.0.0.0/104, 10.1.1.1, true" })
	void aRangeTrustsItsAddresses(String range, String peer, boolean trusted) {
		String client = new ClientAddressResolver(List.of(range), 64).resolve(peer, xff("198.51.100.1"));
		assertThat(client.equals("198.51.100.1")).isEqualTo(trusted);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "proxy.example.org", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8",
			"fd00::/129", "10.0.0.0/8/8", "10.0.0.0/08x" })
	void whatIsNoRangeIsRefused(String range) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new ClientAddressResolver(List.of(range), 64))
			.withMessageContaining("\"" + range + "\"")
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("trusted-proxies"))
			.satisfies((ex) -> assertThat(ex.action()).contains("10.0.0.0/8"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 129 })
	void aPrefixThatCannotBeIsRefused(int prefix) {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> new ClientAddressResolver(List.of(), prefix))
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("ipv6-prefix"));
	}

	private static ClientAddressResolver resolver() {
		return resolver(null);
	}

	private static ClientAddressResolver resolver(@Nullable String header) {
		return new ClientAddressResolver(List.of("10.0.0.0/8", "192.0.2.7", "fd00::/8"), 64, header,
				new RateLimitFindings());
	}

	private static Function<String, Enumeration<String>> none() {
		return headers(Map.of());
	}

	private static Function<String, Enumeration<String>> xff(String... lines) {
		return headers(Map.of("X-Forwarded-For", List.of(lines)));
	}

	private static Function<String, Enumeration<String>> forwarded(String... lines) {
		return headers(Map.of("Forwarded", List.of(lines)));
	}

	private static Function<String, Enumeration<String>> headers(Map<String, List<String>> headers) {
		return (name) -> Collections.enumeration(headers.entrySet()
			.stream()
			.filter((header) -> header.getKey().equalsIgnoreCase(name))
			.findFirst()
			.map(Map.Entry::getValue)
			.orElse(List.of()));
	}

}
