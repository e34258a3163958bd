package io.github.ratelimit.expression;

import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.request.RequestView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jwt.Jwt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code claim} reads.
 */
class ClaimTests {

	private static final Jwt TOKEN = Jwt.withTokenValue("token")
		.header("alg", "none")
		.subject("ann")
		.audience(List.of("shop"))
		.claim("tenant", 7)
		.claim("realm", Map.of("name", "acme"))
		.expiresAt(Instant.EPOCH.plusSeconds(1))
		.build();

	private final Bindings bindings = new Bindings();

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
		assertThat(Bindings.keyOf(binding, new Authenticated(authentication(TOKEN, "")))).isEqualTo(key);
		assertThat(Bindings.keyOf(binding, new Authenticated(authentication("other", TOKEN))))
			.as("a principal of the application's own, and the token as its credentials")
			.isEqualTo(key);
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isZero();
	}

	@Test
	void listOfClaimsIsNoKey() {
		PolicyBinding binding = this.bindings.key("claim('aud')");
		assertThat(Bindings.keyOf(binding, new Authenticated(authentication(TOKEN, ""))))
			.isEqualTo("address:192.0.2.7");
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isEqualTo(1);
	}

	@Test
	void whoHasNoTokenIsTheClientsAddress() {
		PolicyBinding binding = this.bindings.key("claim('sub')");
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous())).isEqualTo("address:192.0.2.7");
		assertThat(Bindings.keyOf(binding, new TestRequest("ann", Map.of()))).isEqualTo("address:192.0.2.7");
		assertThat(Bindings.keyOf(binding, new Authenticated(authentication("ann", "password"))))
			.isEqualTo("address:192.0.2.7");
		assertThat(Bindings.keyOf(binding, null)).isEqualTo("shared:");
	}

	private static Authentication authentication(Object principal, Object credentials) {
		return new TestingAuthenticationToken(principal, credentials);
	}

	private record Authenticated(Principal principal) implements RequestView {

		@Override
		public String clientAddress() {
			return TestRequest.ADDRESS;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public String path() {
			return "/users/{id}";
		}

		@Override
		public @Nullable String pathVariable(String name) {
			return null;
		}

		@Override
		public String method() {
			return "GET";
		}

		@Override
		public @Nullable String session() {
			return null;
		}

		@Override
		public Object request() {
			return this;
		}

	}

}
