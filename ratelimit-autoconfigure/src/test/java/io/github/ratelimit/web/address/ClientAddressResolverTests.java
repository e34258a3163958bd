package io.github.ratelimit.web.address;

import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.test.model.RandomCases;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
 * {@link ClientAddressResolver}: whom it believes, and what it makes of what is forged,
 * malformed or huge.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientAddressResolverTests {

	private static final List<String> PROXIES = List.of("10.0.0.0/8", "192.0.2.7", "fd00::/8");

	private static final String PROXY = "10.1.2.3";

	private static final String SENT_BY_NONE = " held an address in none of the first hundred";

	private final ClientAddressResolver behindProxies = new ClientAddressResolver(PROXIES, 64, null,
			new RateLimitFindings());

	private final ClientAddressResolver direct = new ClientAddressResolver(List.of(), 64, null,
			new RateLimitFindings());

	@ParameterizedTest
	@CsvSource({ "2001:db8:1::5/128, true", "2001:db8:1::5, true", "2001:db8:1::/64, true", "2001:db8:1::/96, true",
			"2001:db8:1::6/128, false", "2001:db8:2::/64, false", "10.0.0.0/8, false", "x, false" })
	void aRequestIsFromTheRangesThatHaveItsWholeAddress(String range, boolean expected) {
		assertThat(this.direct.isFrom(range, "2001:db8:1::5", (name) -> Collections.emptyEnumeration()))
			.isEqualTo(expected);
		assertThat(this.behindProxies.isFrom(range, PROXY,
				(name) -> Collections
					.enumeration(name.equals("X-Forwarded-For") ? List.of("2001:db8:1::5") : List.of())))
			.isEqualTo(expected);
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
			198.51.100.1,                                 | 198.51.100.1
			`1.1.1.1, 198.51.100.1 ,, , 	,`               | 198.51.100.1
			198.51.100.1,, 10.9.9.9,                      | 198.51.100.1
			198.51.100.1, "",                             | 10.1.2.3
			`,`                                           | 10.1.2.3
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
		assertThat(this.behindProxies.resolve(PROXY, sent(xff(header)))).isEqualTo(client);
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
			for=198.51.100.1,                                       | 198.51.100.1
			for=1.1.1.1, for=198.51.100.1;proto=http;, ,,for=10.2.2.2,, | 198.51.100.1
			for=198.51.100.1, ;                                     | 10.1.2.3
			for=198.51.100.1, for=                                  | 10.1.2.3
			for=198.51.100.1, for=_gazonk                           | 10.1.2.3
			for=198.51.100.1, for=unknown                           | 10.1.2.3
			for=198.51.100.1, by=10.0.0.1                           | 10.1.2.3
			xfor=198.51.100.1                                       | 10.1.2.3
			for=1.1.1.1;x=", for=198.51.100.1;host="a\\"b"          | 10.1.2.3
			for=1.1.1.1;x=", for=198.51.100.1;host="a,\\"b"         | 10.1.2.3
			for=198.51.100.1;host="a\\"b", for=10.2.2.2             | 10.2.2.2
			""")
	void readsForwardedFromTheRight(String header, String client) {
		assertThat(this.behindProxies.resolve(PROXY, sent(forwarded(header)))).isEqualTo(client);
	}

	@Test
	void nobodyIsBelievedWhoIsNotTrustedAndATrustedPeerWithoutAHeaderIsTheClient() {
		assertThat(this.direct.resolve("203.0.113.9", sent(xff("198.51.100.1")))).isEqualTo("203.0.113.9");
		assertThat(this.direct.resolve("203.0.113.9", sent(forwarded("for=198.51.100.1")))).isEqualTo("203.0.113.9");
		assertThat(this.behindProxies.resolve("203.0.113.9", sent(xff("198.51.100.1")))).isEqualTo("203.0.113.9");
		assertThat(this.behindProxies.resolve(PROXY, sent())).isEqualTo(PROXY);
	}

	@Test
	void linesOfOneHeaderAreOneList() {
		assertThat(this.behindProxies.resolve(PROXY, sent(xff("1.1.1.1", "198.51.100.1, 10.4.4.4", "10.5.5.5"))))
			.isEqualTo("198.51.100.1");
		assertThat(this.behindProxies.resolve(PROXY, sent(xff("1.1.1.1", "198.51.100.1,", " ", "10.5.5.5", ""))))
			.isEqualTo("198.51.100.1");
	}

	@Test
	void whereTheHeadersDisagreeNeitherIsBelieved() {
		assertThat(this.behindProxies.resolve(PROXY, sent(forwarded("for=1.1.1.1"), xff("198.51.100.1"))))
			.isEqualTo(PROXY);
		assertThat(this.behindProxies.resolve(PROXY, sent(forwarded("for=198.51.100.1"), xff("198.51.100.1"))))
			.isEqualTo("198.51.100.1");
	}

	/* Before anything tells the headers apart, it may be the proxy's own budget. */
	@ParameterizedTest
	@MethodSource("forgeries")
	void aForgedHeaderIsNoSecondBudgetBehindAProxyThatSetsTheOther(List<String> forged) {
		for (boolean common : new boolean[] { true, false }) {
			Function<String, Enumeration<String>> attack = sent(
					common ? xff("1.2.3.4, 198.51.100.1") : forwarded("for=1.2.3.4, for=198.51.100.1"),
					Map.of(common ? "Forwarded" : "X-Forwarded-For", forged));
			ClientAddressResolver resolver = resolver(null);
			assertThat(resolver(null).resolve(PROXY, attack)).isIn(PROXY, "198.51.100.1");
			assertThat(resolver.resolve(PROXY, sent(common ? xff("203.0.113.5") : forwarded("for=203.0.113.5"))))
				.isEqualTo("203.0.113.5");
			assertThat(resolver.resolve(PROXY, attack)).isEqualTo("198.51.100.1");
		}
	}

	static List<List<String>> forgeries() {
		return List.of(List.of("for=1.1.1.1"), List.of("1.1.1.1"), List.of(""), List.of(",,,"), List.of("for="),
				List.of("for=unknown"), List.of("for=_hidden"), List.of("unknown"), List.of("for=\"[::"),
				List.of("for=198.51.100.1"), List.of("198.51.100.1"), List.of("for=1.1.1.1", "for=1.1.1.2"),
				List.of("for=198.51.100.1", "for=1.1.1.2"), List.of("for=1.1.1.1, for=10.9.9.9"),
				List.of("1.1.1.1, 10.9.9.9"), List.of("", "", ""), List.of("for=10.9.9.9"), List.of("\""));
	}

	@Test
	void proxiesOfDifferentRangesMaySetDifferentHeadersButThoseOfOneRangeAreNotToldApart() {
		ClientAddressResolver resolver = resolver(null);
		resolver.resolve(PROXY, sent(xff("203.0.113.5")));
		resolver.resolve("192.0.2.7", sent(forwarded("for=203.0.113.5")));
		Function<String, Enumeration<String>> both = sent(xff("198.51.100.1"), forwarded("for=198.51.100.2"));
		assertThat(resolver.resolve(PROXY, both)).isEqualTo("198.51.100.1");
		assertThat(resolver.resolve("192.0.2.7", both)).isEqualTo("198.51.100.2");
		assertThat(resolver.resolve("fd00::1", both)).isEqualTo("fd00:0:0:0::/64");
		resolver.resolve("10.1.2.4", sent(forwarded("for=203.0.113.5")));
		assertThat(resolver.resolve(PROXY, both)).isEqualTo(PROXY);
	}

	@Test
	void headersThatDisagreeAreMentionedOnceWithoutWhatTheClientSent(CapturedOutput output) {
		ClientAddressResolver resolver = resolver(null);
		for (int i = 0; i < 3; i++) {
			resolver.resolve(PROXY, sent(forwarded("for=1.1.1.1;by=intruder"), xff("198.51.100.1")));
		}
		assertThat(output).containsOnlyOnce("ratelimit.client-address.header")
			.contains(PROXY)
			.doesNotContain("intruder", "1.1.1.1", "198.51.100.1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					x-forwarded-for | 10.1.2.3    | X-Forwarded-For: 1.1.1.1, 198.51.100.1 & Forwarded: for=1.1.1.1     | 198.51.100.1
					X-Forwarded-For | 10.1.2.3    | X-Forwarded-For: 1.1.1.1, 198.51.100.1 & Forwarded: for=1.1.1.1     | 198.51.100.1
					x-forwarded-for | 10.1.2.3    | Forwarded: for=1.1.1.1                                              | 10.1.2.3
					x-forwarded-for | 203.0.113.9 | X-Forwarded-For: 198.51.100.1                                       | 203.0.113.9
					forwarded       | 10.1.2.3    | X-Forwarded-For: 1.1.1.1 & Forwarded: for=1.1.1.1, for=198.51.100.1 | 198.51.100.1
					forwarded       | 10.1.2.3    | X-Forwarded-For: 1.1.1.1                                            | 10.1.2.3
					X-Real-IP       | 203.0.113.9 | X-Real-IP: 198.51.100.1                                             | 203.0.113.9
					""")
	void aChosenHeaderIsTheOnlyOneThatIsRead(String chosen, String peer, String sent, String client) {
		Map<String, List<String>> fields = Stream.of(sent.split(" & "))
			.map((line) -> line.split(": "))
			.collect(Collectors.toMap((line) -> line[0], (line) -> List.of(line[1])));
		assertThat(resolver(chosen).resolve(peer, sent(fields))).isEqualTo(client);
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
		for (String name : List.of("X-Real-IP", "X-Forwarded-IP", "X-Forwarded-Client", "X-Envoy-External-Address",
				"CF-Connecting-IP", "True-Client-IP", "client_ip")) {
			assertThat(resolver(name).resolve(PROXY,
					sent(Map.of(name, List.of(value)), xff("1.1.1.1"), forwarded("for=1.1.1.1"))))
				.as(name)
				.isEqualTo(client);
		}
	}

	@Test
	void aSingleAddressThatIsThereTwiceIsNotBelievedAndOneThatIsNotThereIsTheProxysOwnRequest(CapturedOutput output) {
		ClientAddressResolver chosen = resolver("CF-Connecting-IP");
		assertThat(chosen.resolve(PROXY, sent())).isEqualTo(PROXY);
		assertThat(output).doesNotContain("CF-Connecting-IP");
		for (String forged : List.of("198.51.100.1", "1.1.1.1", "1.1.1.2")) {
			assertThat(chosen.resolve(PROXY, sent(Map.of("CF-Connecting-IP", List.of(forged, "198.51.100.1")))))
				.isEqualTo(PROXY);
		}
		assertThat(output).containsOnlyOnce("CF-Connecting-IP").doesNotContain("1.1.1.1", "198.51.100.1");
	}

	@ParameterizedTest
	@CsvSource({ "X-Real-IP, X-Real-IP", "x-forwarded-for, X-Forwarded-For", ", X-Forwarded-For or Forwarded" })
	void aHeaderThatNoProxySendsIsMentionedOnce(@Nullable String header, String named, CapturedOutput output) {
		ClientAddressResolver resolver = resolver(header);
		for (int i = 0; i < 99; i++) {
			resolver.resolve(PROXY, browser());
			resolver.resolve("203.0.113.9", browser());
		}
		assertThat(output).doesNotContain(SENT_BY_NONE);
		for (int i = 0; i < 300; i++) {
			resolver.resolve(PROXY, browser());
		}
		assertThat(output).containsOnlyOnce(SENT_BY_NONE).contains(named + " held");
	}

	@Test
	void aHeaderThatOneRequestHadIsNotMentioned(CapturedOutput output) {
		ClientAddressResolver resolver = resolver("X-Real-IP");
		resolver.resolve(PROXY, sent(Map.of("X-Real-IP", List.of("198.51.100.1"))));
		for (int i = 0; i < 300; i++) {
			resolver.resolve(PROXY, browser());
		}
		assertThat(output).doesNotContain(SENT_BY_NONE);
	}

	private static Function<String, Enumeration<String>> browser() {
		return sent(Map.of("Accept-Language", List.of("en")));
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
		assertRefused(() -> resolver(header), "header", text);
	}

	@Test
	void aHeaderThatNobodyIsTrustedToSetIsRefused() {
		assertRefused(() -> new ClientAddressResolver(List.of(), 64, "X-Real-IP", new RateLimitFindings()), "header",
				"has no effect", "trusted-proxies");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "proxy.example.org", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8",
			"fd00::/129", "10.0.0.0/8/8", "10.0.0.0/08x" })
	void whatIsNoRangeIsRefused(String range) {
		assertRefused(() -> new ClientAddressResolver(List.of(range), 64, null, new RateLimitFindings()),
				"trusted-proxies", "\"" + range + "\"", "10.0.0.0/8");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 129 })
	void aPrefixThatCannotBeIsRefused(int prefix) {
		assertRefused(() -> new ClientAddressResolver(List.of(), prefix, null, new RateLimitFindings()), "ipv6-prefix",
				"" + prefix);
	}

	private static void assertRefused(ThrowingCallable creation, String attribute, String... texts) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(creation).satisfies((ex) -> {
			assertThat(ex.attribute()).isEqualTo(attribute);
			assertThat(ex.getMessage() + ex.reason() + ". " + ex.action()).contains(texts);
		});
	}

	@Test
	void forgedHopsOfTrustedAddressesDoNotHideAClientThatIsNotTrusted() {
		for (int hops : new int[] { 1, 63, 64, 65, 1000 }) {
			String forged = "1.1.1.1, " + "10.1.1.1, ".repeat(hops) + "198.51.100.1";
			assertThat(this.behindProxies.resolve(PROXY, sent(xff(forged)))).isEqualTo("198.51.100.1");
			assertThat(this.behindProxies.resolve(PROXY, sent(xff(forged + ", 10.9.9.9")))).isEqualTo("198.51.100.1");
		}
	}

	@Test
	void tenThousandTrustedEntriesAreNotAllWalkedAndForgedOnesDoNotHideTheClient() {
		String[] hops = new String[10_000];
		Arrays.fill(hops, "10.1.1.1");
		hops[0] = "198.51.100.1";
		assertThat(this.behindProxies.resolve(PROXY, sent(xff(String.join(", ", hops))))).isEqualTo("10.1.1.1");
		assertThat(this.behindProxies.resolve(PROXY, sent(xff(hops)))).isEqualTo("10.1.1.1");
		String forged = "\"1.1.1.1,".repeat(9_999);
		assertThat(this.behindProxies.resolve(PROXY, sent(xff(forged + "198.51.100.1")))).isEqualTo("198.51.100.1");
	}

	@Test
	void noGarbageIsTakenForAnAddressOrFails() {
		String alphabet = "0123456789abcdef:.,;[]\"%= for\\";
		RandomCases.check(20_000, (random) -> {
			StringBuilder header = new StringBuilder();
			for (int j = random.nextInt(40); j > 0; j--) {
				header.append(alphabet.charAt(random.nextInt(alphabet.length())));
			}
			String xff = this.behindProxies.resolve(PROXY, sent(xff(header.toString())));
			String forwarded = this.behindProxies.resolve(PROXY, sent(forwarded(header.toString())));
			assertThat(List.of(xff, forwarded)).as("header '%s'", header)
				.allMatch((address) -> address.matches("[0-9a-f.:]+(/64)?"));
		});
	}

	@ParameterizedTest
	@CsvSource({ "2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64", "2001:db8:1:2:3:4:5:6, 56, 2001:db8:1:0::/56",
			"2001:db8:1:ff2:3:4:5:6, 60, 2001:db8:1:ff0::/60", "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
			"0:0:0:0:0:0:0:1, 64, 0:0:0:0::/64", "fe80::1%eth0, 64, fe80:0:0:0::/64", "8000::, 1, 8000::/1",
			"::ffff:192.0.2.1, 64, 192.0.2.1", ", 64, unknown", "'', 64, unknown", "/var/run/socket, 64, unknown" })
	void ipv6IsCutToItsPrefixAfterMappedIpv4IsTakenOutAndAConnectionWithoutAnAddressIsUnknown(@Nullable String peer,
			int prefix, String client) {
		assertThat(new ClientAddressResolver(List.of(), prefix, null, new RateLimitFindings()).resolve(peer, sent()))
			.isEqualTo(client);
		assertThat(new ClientAddressResolver(List.of("10.0.0.0/8"), prefix, null, new RateLimitFindings()).resolve(peer,
				sent()))
			.isEqualTo(client);
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8, 10.255.0.1, true", "10.0.0.0/8, 11.0.0.1, false", "192.0.2.0/25, 192.0.2.127, true",
			"192.0.2.0/25, 192.0.2.128, false", "0.0.0.0/0, 203.0.113.1, true", "0.0.0.0/0, 2001:db8::1, false",
			"192.0.2.1, 192.0.2.1, true", "192.0.2.1, 192.0.2.2, false", "fd00::/9, fd7f::1, true",
			"fd00::/9, fd80::1, false", "::ffff:10.0.0.0/104, 10.1.1.1, true" })
	void aRangeTrustsItsAddresses(String range, String peer, boolean trusted) {
		String client = new ClientAddressResolver(List.of(range), 64, null, new RateLimitFindings()).resolve(peer,
				sent(xff("198.51.100.1")));
		assertThat(client.equals("198.51.100.1")).isEqualTo(trusted);
	}

	private static ClientAddressResolver resolver(@Nullable String header) {
		return new ClientAddressResolver(PROXIES, 64, header, new RateLimitFindings());
	}

	private static Map<String, List<String>> xff(String... lines) {
		return Map.of("X-Forwarded-For", List.of(lines));
	}

	private static Map<String, List<String>> forwarded(String... lines) {
		return Map.of("Forwarded", List.of(lines));
	}

	@SafeVarargs
	private static Function<String, Enumeration<String>> sent(Map<String, List<String>>... headers) {
		Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		for (Map<String, List<String>> header : headers) {
			all.putAll(header);
		}
		return (name) -> Collections.enumeration(all.getOrDefault(name, List.of()));
	}

}
