package io.github.ratelimit.expression;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.stereotype.Service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests what the words of a key mean, which key a call has when they give none, and that
 * no client can write that key himself.
 */
class KeyWordsTests {

	private static final String ADDRESS = "address:" + TestRequest.ADDRESS;

	private static final Jwt TOKEN = Jwt.withTokenValue("token")
		.header("alg", "none")
		.subject("ann")
		.audience(List.of("shop"))
		.claim("tenant", 7)
		.claim("realm", Map.of("name", "acme"))
		.expiresAt(Instant.EPOCH.plusSeconds(1))
		.build();

	private final TestRequest request = new TestRequest("ann", Map.of("X-Api-Key", "secret"));

	private final List<RateLimitContext> seen = new ArrayList<>();

	private final Bindings bindings = new Bindings().withBean("tenants", new Tenants())
		.withBean("tenantKeys", (KeyResolver) (context) -> {
			this.seen.add(context);
			Object[] arguments = context.arguments();
			return (arguments != null && arguments[0] != null) ? "tenant-of-" + arguments[0] : null;
		});

	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', quoteCharacter = '"', textBlock = """
			clientAddress                            | 192.0.2.7
			principal.name                           | ann
			header('X-Api-Key')                      | secret
			parameter('X-Api-Key')                   | secret
			header(header('X-None')) ?: 'nothing'    | nothing
			parameter(header('X-None')) ?: 'nothing' | nothing
			pathVariable(header('X-None')) ?: 'none' | none
			principal                                | ann
			path                                     | /users/{id}
			pathVariable('id')                       | 42
			method                                   | POST
			session                                  | session-1
			session.id                               | session-1
			session.id + '!'                         | session-1!
			session?.id + '@' + path                 | session-1@/users/{id}
			#root.session.id                         | session-1
			cookie('X-Api-Key')                      | secret
			cookie(header('X-None')) ?: 'nothing'    | nothing
			claim('sub') ?: 'nothing'                | nothing
			claim(header('X-None')) ?: 'nothing'     | nothing
			request.header('X-Api-Key')              | secret
			'global'                                 | global
			7                                        | 7
			#user                                    | ann-argument
			#p0                                      | ann-argument
			#a0                                      | ann-argument
			#items[1]                                | second
			#items.?[#this == #user].size()          | 0
			#items.![#this + #root.method][0]        | firstPOST
			#root.target.tenant                      | acme
			target.tenant                            | acme
			principal.name + '@' + clientAddress     | ann@192.0.2.7
			header('X-None') ?: #user                | ann-argument
			@tenants.get('a')                        | acme
			@tenants.get(principal.name.charAt(0))   | none
			@tenantKeys                              | tenant-of-ann-argument
			principal == null ? path : @tenantKeys   | tenant-of-ann-argument
			folded(principal)                        | ann
			header(7) ?: 'nothing'                   | nothing
			@tenants.nothing                         | address:192.0.2.7
			""")
	void wordMeansWhatItSays(String expression, String key) {
		assertThat(
				Bindings.keyOf(this.bindings.key(expression), this.request, "ann-argument", List.of("first", "second")))
			.isEqualTo(key);
	}

	@Test
	void beanComputesTheKeyFromAllThatIsKnownOfTheCall() {
		Bindings.keyOf(this.bindings.key("@tenantKeys"), this.request, "ann", null);
		assertThat(this.seen).singleElement().satisfies((context) -> {
			assertThat(context.request()).isSameAs(this.request);
			assertThat(context.method()).isEqualTo(Bindings.METHOD);
			assertThat(context.target()).isInstanceOf(Bindings.Service.class);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "clientAddress", "path", "method", "session", "header('X-Api-Key')", "header('X-None')",
			"session.id", "cookie('X-Api-Key')", "claim('sub')", "parameter('X-Api-Key')", "pathVariable('id')",
			"pathVariable('none')", "principal.name", "'global'", "7", "true" })
	void shortcutIsWhatSpelWouldSay(String expression) {
		ExpressionLocation place = new ExpressionLocation(expression, "here", RateLimitExpression.KEY, null, null);
		ParsedExpression parsed = ExpressionReader.read(place, mock());
		Function<RateLimitContext, @Nullable Object> shortcut = parsed.evaluator();
		Function<RateLimitContext, @Nullable Object> spel = new SpelEvaluator(parsed.expression(), place, mock());
		assertThat(shortcut).isNotInstanceOf(SpelEvaluator.class);
		for (RequestView each : new RequestView[] { this.request, TestRequest.anonymous(), null }) {
			RateLimitContext context = RateLimitContext.of(each);
			assertThat(shortcut.apply(context)).isEqualTo(spel.apply(context));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			claim('sub')              | ann
			claim('tenant')           | 7
			claim('exp')              | 1970-01-01T00:00:01Z
			claim('realm')['name']    | acme
			claim('aud')[0]           | shop
			claim('none')             | address:192.0.2.7
			claim('none')['name']     | address:192.0.2.7
			claim('sub') + ':' + path | ann:/users/{id}
			""")
	void claimIsThatOfTheToken(String expression, String key) {
		PolicyBinding binding = this.bindings.key(expression);
		assertThat(Bindings.keyOf(binding, authenticated(TOKEN, ""))).isEqualTo(key);
		assertThat(Bindings.keyOf(binding, authenticated("other", TOKEN)))
			.as("a principal of the application's own, and the token as its credentials")
			.isEqualTo(key);
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isZero();
	}

	@Test
	void listOfClaimsIsNoKeyAndNorIsWhoHasNoToken() {
		PolicyBinding list = this.bindings.key("claim('aud')");
		assertThat(Bindings.keyOf(list, authenticated(TOKEN, ""))).isEqualTo(ADDRESS);
		assertThat(list.limiter().failures(RateLimitExpression.KEY)).isEqualTo(1);
		PolicyBinding binding = this.bindings.key("claim('sub')");
		assertThat(Bindings.keyOf(binding, this.request)).isEqualTo(ADDRESS);
		assertThat(Bindings.keyOf(binding, authenticated("ann", "password"))).isEqualTo(ADDRESS);
		assertThat(Bindings.keyOf(binding, null)).isEqualTo("shared:");
	}

	private static RequestView authenticated(Object principal, Object credentials) {
		RequestView request = mock();
		given(request.principal()).willReturn(new TestingAuthenticationToken(principal, credentials));
		given(request.clientAddress()).willReturn(TestRequest.ADDRESS);
		given(request.path()).willReturn("/users/{id}");
		given(request.method()).willReturn("GET");
		return request;
	}

	@Test
	void wordsOfRequestsAreNullOutsideOfOne() {
		PolicyBinding binding = this.bindings.key("'' + clientAddress + principal + path + method + session + request "
				+ "+ header('X-Api-Key') + pathVariable('id') + parameter('n') + cookie('c') + claim('sub')");
		assertThat(Bindings.keyOf(binding, null)).isEqualTo("null".repeat(11));
	}

	@ParameterizedTest
	@NullAndEmptySource
	void keyWithoutTextIsTheClientsAddressOrOneBudgetOutsideOfARequest(@Nullable String text) {
		assertThat(Bindings.keyOf(this.bindings.key("#user"), TestRequest.anonymous(), text, null)).isEqualTo(ADDRESS);
		assertThat(Bindings.keyOf(this.bindings.key("#user"), null, text, null)).isEqualTo("shared:");
		assertThat(Bindings.keyOf(this.bindings.key("@tenantKeys"), TestRequest.anonymous(), null, null))
			.isEqualTo(ADDRESS);
		assertThat(Bindings.keyOf(this.bindings.key("@tenantKeys"), null, null, null)).isEqualTo("shared:");
		assertThat(Bindings.keyOf(this.bindings.key(null), null, "ann", null)).isEqualTo("shared:");
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.name", "principal", "principal.name.length()", "principal?.name", "#items[0]",
			"principal.name[0]", "header('X-Api-Key').trim()" })
	void whatIsReadFromNobodyIsTheClientsAddress(String expression) {
		PolicyBinding binding = this.bindings.key(expression);
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous(), null, null)).isEqualTo(ADDRESS);
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "address:192.0.2.7", "shared:", "sha256:", "address:" })
	void clientCannotWriteTheKeyOfAnother(String sent) {
		String key = header(sent);
		assertThat(key).isNotEqualTo(sent).startsWith("sha256:").hasSize(7 + 64);
		assertThat(header(key)).as("the hash, sent as it is").isNotEqualTo(key);
	}

	@Test
	void longKeysAreShortAndStillDiffer() {
		String longest = "x".repeat(256);
		assertThat(header(longest)).isEqualTo(longest);
		assertThat(header(longest + "a")).hasSize(7 + 64).isNotEqualTo(header(longest + "b"));
		assertThat(header(longest + '\ud800')).as("no Unicode").isNotEqualTo(header(longest + '\ud801'));
		assertThat(Bindings.keyOf(this.bindings.key("@tenantKeys"), null, longest, null)).startsWith("sha256:");
	}

	@Test
	void keysWithAndWithoutTextOfManyKindsNeverMeet() {
		assertThat(Arrays.asList(header("192.0.2.7"), header("null"), header("shared"), header("address:192.0.2.7"),
				Bindings.keyOf(this.bindings.key("#user"), TestRequest.anonymous(), null, null),
				Bindings.keyOf(this.bindings.key("#user"), null, null, null)))
			.doesNotHaveDuplicates();
	}

	private String header(String value) {
		return Bindings.keyOf(this.bindings.key("header('X')"), new TestRequest(null, Map.of("X", value)));
	}

	public static final class Tenants {

		public String get(Object id) {
			return "a".equals(id) ? "acme" : "none";
		}

		public @Nullable String getNothing() {
			return null;
		}

	}

}
