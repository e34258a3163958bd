package io.github.ratelimit.integration.suite;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.testserver.Answer;
import io.github.ratelimit.testserver.Stack;
import io.github.ratelimit.testserver.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Over HTTP, no client can make a request uncounted, or an error, by what it sends to the
 * expressions of a limit.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class HostileExpressionsTests {

	private static final int LIMIT = 1000;

	private static final List<String> ALGORITHMS = List.of("token-bucket", "leaky-bucket", "sliding-window-log",
			"fixed-window-counter", "sliding-window-counter");

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		List<String> properties = new ArrayList<>(List.of("logging.level.io.github.ratelimit=trace",
				"server.tomcat.max-parameter-count=100", "server.tomcat.max-http-form-post-size=10KB",
				"server.jetty.max-form-keys=100", "server.jetty.max-http-form-post-size=10KB",
				"spring.servlet.multipart.max-request-size=10KB", "spring.http.codecs.max-in-memory-size=10KB",
				"server.max-http-request-header-size=64KB", "form: 1000 per 1d; key=parameter('user')",
				"raw: 1000 per 1d; key=" + Stack.CURRENT.rawParameter("user"),
				"pattern: 1000 per 1d; key=header('X-A') matches header('X-B') ? 'a' : 'b'", "/form/** -> form",
				"/raw/** -> raw", "/pattern -> pattern", "forged: 1 per 1m; key=parameter('k') ?: header('X-A')",
				"/forged -> forged"));
		for (String name : ALGORITHMS) {
			properties.add(name + ": 1000 per 1d; algorithm=" + name);
			properties.add("/" + name + " -> " + name + "; cost=T(Long).parseLong(parameter('n'))");
		}
		this.server = TestServer.startWithNeighbours(Application.class, properties.toArray(String[]::new));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "?n", "?n=", "?n=intruder", "?n=0", "?n=-1", "?n=-9223372036854775808",
			"?n=9223372036854775808", "?n=1.5", "?n=NaN", "?n=1e400", "?n=%00", "?n=%0d%0aintruder", "?m=3" })
	void aCostThatTheClientSpoiltCountsOne(String query) {
		for (String path : List.of("/cost", "/argument", "/token-bucket")) {
			long before = this.server.get(path).remaining();
			Answer response = this.server.get(path + query);
			assertThat(response.status()).as(path).isEqualTo(200);
			assertThat(response.remaining()).as(path).isEqualTo(before - 1);
		}
	}

	@Test
	void aCostThatTheClientMadeHugeIsRejected() {
		List<String> paths = new ArrayList<>(List.of("/cost", "/argument"));
		ALGORITHMS.forEach((algorithm) -> paths.add("/" + algorithm));
		for (String n : List.of("1002", "2147483648", "9223372036854775807")) {
			for (String path : paths) {
				assertThat(this.server.get(path + "?n=" + n).status()).as(path).isEqualTo(429);
			}
		}
	}

	@Test
	void aConditionThatTheClientSpoiltHolds() {
		long before = this.server.get("/condition").remaining();
		assertThat(this.server.get("/condition?internal=true").field("RateLimit")).isNull();
		for (String query : List.of("?internal=", "?internal=yes", "?internal=intruder")) {
			Answer response = this.server.get("/condition" + query).is(200);
			assertThat(response.remaining()).isEqualTo(--before);
		}
	}

	@Test
	void failuresAreLoggedOnceAndCounted(CapturedOutput output) {
		double before = failures("counted", "cost");
		for (int i = 0; i < 50; i++) {
			this.server.get("/counted?n=intruder" + i);
		}
		assertThat(failures("counted", "cost") - before).isEqualTo(50);
		assertThat(failures("counted", "key")).isZero();
		assertThat(output).containsOnlyOnce("of Controller.counted() (policy 'counted') failed: NumberFormatException.")
			.contains("The call costs one permit.")
			.doesNotContain("intruder", "\tat ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/form?user=ann  | GET  |                    |
			/form           | POST | user=ann           | application/x-www-form-urlencoded
			/form           | POST | a=b&user=ann&c     | application/x-www-form-urlencoded; charset=utf-8
			/form?user=ann  | POST | {"user":"bob"}     | application/json
			""")
	void aParameterIsReadFromTheQueryOrTheForm(String path, String method, String body, String type) {
		Answer response = (body != null) ? this.server.send(method, path, body, "Content-Type", type)
				: this.server.get(path).is(200);
		assertThat(response.remaining()).isEqualTo(this.server.limiter().peek("form", "ann").remaining());
		assertThat(response.remaining()).isLessThan(LIMIT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			?user=v1         | user=v2         | v1, v2
			?user=v1&user=v2 | user=v3&user=v4 | v1, v2, v3, v4
			                 | user=v1&user=v2 | v1, v2
			?user=           | user=v1         | v1
			?USER=v1         | +user=v2        | v1, v2
			?user=v1&user=v2 | user=v2&user=v1 | v1, v2
			""")
	void aParameterWithSeveralValuesCountsForEach(String query, String form, String values) {
		this.server.forget();
		Answer response = this.server.form("/form" + ((query != null) ? query : ""), form);
		for (String value : values.split(", ")) {
			assertThat(this.server.limiter().peek("form", value).remaining()).as(value).isEqualTo(LIMIT - 1);
		}
		assertThat(response.remaining()).isEqualTo(LIMIT - 1);
		assertThat(this.server.limiter().peek("form", "address:127.0.0.1").remaining())
			.isEqualTo("?user=".equals(query) ? LIMIT - 1 : LIMIT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			?user=v1 | user=v2 | application/x-www-form-urlencoded;charset=bogus
			?user=v1 | user=v2 | application/x-www-form-urlencoded;charset=utf-16
			?user=v1 | user=v2 | application/x-www-form-urlencoded;charset=
			?user=v1 | user=v2 | application/x-www-form-urlencoded;=x
			?user=v1 | user=v2 | multipart/form-data;boundary=x
			?user=v1&user=v2&user=v3 | user=v4&user=v5 | application/x-www-form-urlencoded
			""")
	void aParameterThatIsReadInOtherWaysIsTheClientsAddress(String query, String form, String type) {
		this.server.forget();
		this.server.send("POST", "/form" + query, form, "Content-Type", type);
		assertThat(this.server.limiter().peek("form", "address:127.0.0.1").remaining()).isEqualTo(LIMIT - 1);
		for (int i = 1; i <= 5; i++) {
			assertThat(this.server.limiter().peek("form", "v" + i).remaining()).isEqualTo(LIMIT);
		}
	}

	@Test
	void aFormThatAKeyHasReadIsStillThereForTheHandler() {
		assertThat(this.server.form("/form", "user=ann&city=Rome").body()).isEqualTo("ann of Rome");
		assertThat(multipart("/form", "user", "ann", "city", "Rome").body()).isEqualTo("ann of Rome");
	}

	@Test
	void aPartOfAMultipartFormIsAParameterAsItIsForTheHandler() {
		long address = this.server.limiter().peek("form", "address:127.0.0.1").remaining();
		assertThat(multipart("/form", "user", "cat").body()).isEqualTo("cat of null");
		assertThat(multipart("/form?user=dan", "user", "cat").body()).contains("cat");
		boolean unread = Difference.UPLOADS_ARE_NOT_READ_FOR_KEYS.here();
		assertThat(this.server.limiter().peek("form", "cat").remaining()).isEqualTo(unread ? LIMIT : LIMIT - 2);
		assertThat(this.server.limiter().peek("form", "dan").remaining()).isEqualTo(unread ? LIMIT : LIMIT - 1);
		assertThat(this.server.limiter().peek("form", "address:127.0.0.1").remaining())
			.isEqualTo(unread ? address - 2 : address);
	}

	@ParameterizedTest
	@MethodSource("unreadable")
	void parametersThatCannotBeReadAreTheClientsAddressAndTheSameErrorAsWithoutALimit(String type, String body) {
		int without = this.server.send("POST", "/open/none", body, "Content-Type", type).status();
		for (String policy : List.of("form", "raw")) {
			long before = this.server.limiter().peek(policy, "address:127.0.0.1").remaining();
			this.server.send("POST", "/" + policy + "/none", body, "Content-Type", type)
				.is(without, "X-RateLimit-Remaining: " + (before - 1));
		}
	}

	@Test
	void aFormThatIsTooLargeForItsKeyIsAnsweredForItWhereItIsReadBeforeTheHandler() {
		String body = "user=" + "x".repeat(12_000);
		int without = this.server.form("/open/none", body).status();
		long before = this.server.limiter().peek("form", "address:127.0.0.1").remaining();
		this.server.form("/form/none", body)
			.is(Difference.A_QUERY_IS_NO_FORM.here() ? 413 : without, "X-RateLimit-Remaining: " + (before - 1));
	}

	static List<Arguments> unreadable() {
		String form = "application/x-www-form-urlencoded";
		String fields = IntStream.range(0, 200).mapToObj((i) -> "a" + i + "&").collect(Collectors.joining());
		String field = "--x\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\n";
		return List.of(arguments(form, "user=%zz"),
				arguments(form, Difference.A_QUERY_IS_NO_FORM.here() ? "user=" : fields + "user=ann"),
				arguments("multipart/form-data", "broken"), arguments("multipart/form-data; boundary=x", "broken"),
				arguments("multipart/form-data; boundary=x", field + "ann"),
				arguments("multipart/form-data; boundary=x",
						Difference.A_LARGE_UPLOAD_ENDS_ITS_CONNECTION.here() ? "broken"
								: field + "x".repeat(12_000) + "\r\n--x--\r\n"),
				arguments("multipart/form-data; boundary=x", (field + "a\r\n").repeat(150) + "--x--\r\n"));
	}

	@Test
	void aQueryThatCannotBeReadIsTheClientsAddressOrNotServed() {
		long before = this.server.limiter().peek("form", "address:127.0.0.1").remaining();
		assertThat(this.server.raw("GET /form/none?user=%zz&user=ann")).satisfiesAnyOf(
				(answer) -> assertThat(answer).contains(" 404 ", "x-ratelimit-remaining: " + (before - 1)),
				(answer) -> assertThat(answer).contains(" 400 "));
	}

	@Test
	void aFormThatIsTooLargeIsTheSameErrorAsWithoutALimit() {
		String body = "user=" + "x".repeat(12_000);
		int without = this.server.form("/unlimited", body).status();
		assertThat(without).isGreaterThanOrEqualTo(400);
		assertThat(this.server.form("/form", body).status())
			.isEqualTo(Difference.A_FORM_FAILS_ONCE.here() ? 200 : without);
	}

	@ParameterizedTest
	@ValueSource(strings = { "(", "(a+)+b", "(a|aa)*b", "(a|b)*", "a{1,1000}{1,1000}", "[", "*" })
	void aRegularExpressionOfTheClientsIsNoError(String regex) {
		Answer response = this.server.get("/pattern", "X-A", "a".repeat(20_000), "X-B", regex).is(200);
		assertThat(response.field("X-RateLimit-Remaining")).isNotNull();
	}

	@Test
	void regularExpressionsOfTheClientsMakeNoKeys() {
		for (int i = 0; i < 1000; i++) {
			this.server.get("/pattern", "X-A", "a", "X-B", "(" + i + "|a)".repeat(i % 3));
		}
		assertThat(this.server.limiter().policy("pattern").keys()).isLessThanOrEqualTo(3);
	}

	@Test
	void aForgedKeyIsNeitherLoggedNorSentBackNorATag(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			Answer response = this.server.get("/forged?k=intruder%0D%0ASet-Cookie:%20stolen=1")
				.is((i == 0) ? 200 : 429);
			assertThat(response.headers() + response.body()).doesNotContain("intruder", "stolen");
		}
		assertThat(this.server.raw("GET /forged", "X-A: intruder\r\n Set-Cookie: stolen=1")).doesNotContain("stolen");
		assertThat(output).doesNotContain("intruder", "stolen");
		assertThat(this.server.bean(MeterRegistry.class).getMeters())
			.filteredOn((meter) -> meter.getId().getName().startsWith("ratelimit"))
			.isNotEmpty()
			.noneMatch((meter) -> meter.getId().toString().contains("intruder"));
	}

	private Answer multipart(String path, String... fields) {
		StringBuilder body = new StringBuilder();
		for (int i = 0; i < fields.length; i += 2) {
			body.append("--x\r\nContent-Disposition: form-data; name=\"")
				.append(fields[i])
				.append("\"\r\n\r\n")
				.append(fields[i + 1])
				.append("\r\n");
		}
		return this.server.send("POST", path, body.append("--x--\r\n").toString(), "Content-Type",
				"multipart/form-data; boundary=x");
	}

	private double failures(String policy, String expression) {
		return this.server.bean(MeterRegistry.class)
			.get("ratelimit.expression.failures")
			.tags("policy", policy, "expression", expression)
			.functionCounter()
			.count();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Controller.class)
	static class Application {

		@Bean
		Numbers numbers() {
			return new Numbers();
		}

	}

	public static class Numbers {

		public Object parse(String text) {
			return text.contains(".") || text.contains("N") || text.contains("e") ? Double.valueOf(text)
					: new BigInteger(text);
		}

	}

	record Person(String user, String city) {

	}

	@RestController
	static class Controller {

		@GetMapping("/cost")
		@RateLimited(limit = LIMIT, window = "1d", cost = "@numbers.parse(parameter('n'))")
		String cost() {
			return "cost";
		}

		@GetMapping("/argument")
		@RateLimited(limit = LIMIT, window = "1d", cost = "@numbers.parse(#n)")
		public Mono<String> argument(@RequestParam(required = false) String n) {
			return Mono.just("argument");
		}

		@GetMapping("/counted")
		@RateLimited(name = "counted", limit = LIMIT, window = "1d", cost = "T(Long).parseLong(parameter('n'))")
		String counted() {
			return "counted";
		}

		@GetMapping("/condition")
		@RateLimited(limit = LIMIT, window = "1d",
				condition = "parameter('internal') == 'true' ? false : parameter('internal')")
		String condition() {
			return "condition";
		}

		@GetMapping({ "/form", "/pattern", "/token-bucket", "/forged" })
		String query() {
			return "query";
		}

		@PostMapping(path = { "/form", "/unlimited" })
		String form(@ModelAttribute Person person) {
			return person.user + " of " + person.city;
		}

	}

}
