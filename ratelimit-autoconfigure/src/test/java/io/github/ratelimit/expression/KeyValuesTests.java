package io.github.ratelimit.expression;

import java.net.URI;
import java.security.Principal;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SubmissionPublisher;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExpression;
import io.github.ratelimit.policy.AppliedLocation;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import kotlinx.coroutines.CompletableDeferredKt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpMethod;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.authentication.WebAuthenticationDetails;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests which values are keys. One whose text is another for each object would be a
 * budget for each request.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeyValuesTests {

	private static final List<Object> UNUSABLE = List.of(new Object(), new Nameless(), new byte[1], new int[] { 1 },
			new ArrayList<>(List.of("a")), List.of("a"), Set.of("a"), Map.of("a", "b"), Optional.of(new Object()),
			new Digest(new byte[1]), proxy(), new DescribedRequest(), new MockHttpSession(),
			new GenericMessage<>("payload"), new SecurityContextImpl(authentication("a")), (Runnable) () -> {
			}, Mono.just("a"), Flux.just("a"), CompletableFuture.completedFuture("a"), new FutureTask<>(() -> "a"),
			Optional.of(Mono.just("a")), CompletableDeferredKt.CompletableDeferred("a"),
			new SubmissionPublisher<String>());

	private final Values values = new Values();

	private final Bindings bindings = new Bindings().withBean("values", this.values);

	@ParameterizedTest
	@MethodSource("keys")
	void valueWithATextOfItsOwnIsAKey(Object value, String key) {
		this.values.value = value;
		PolicyBinding binding = this.bindings.key("@values.get()");
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous())).isEqualTo(key);
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isZero();
	}

	static List<Arguments> keys() {
		return List.of(arguments("text", "text"), arguments(7, "7"), arguments(7L, "7"), arguments(1.5, "1.5"),
				arguments('x', "x"), arguments(true, "true"), arguments(Plan.PRO, "PRO"),
				arguments(HttpMethod.GET, "GET"), arguments(new Tenant("acme", 7), "Tenant[name=acme, number=7]"),
				arguments(new Token(new byte[] { 10, 11 }), "0a0b"),
				arguments(URI.create("https://a.example/b"), "https://a.example/b"),
				arguments(new UUID(1, 2), "" + new UUID(1, 2)), arguments(Optional.of("acme"), "acme"),
				arguments(Optional.of(Optional.of(7)), "7"), arguments(Optional.empty(), "address:192.0.2.7"),
				arguments((Principal) () -> "ann", "ann"), arguments(Optional.of((Principal) () -> "ann"), "ann"),
				arguments(authentication("a"), "ann"), arguments(authentication("b"), "ann"),
				arguments((AuthenticatedPrincipal) () -> "", "address:192.0.2.7"),
				arguments(User.withUsername("ann").password("secret").build(), "ann"),
				arguments((AuthenticatedPrincipal) () -> "ann", "ann"));
	}

	@ParameterizedTest
	@FieldSource("UNUSABLE")
	void valueWithoutATextOfItsOwnIsTheClientsAddressAndAnErrorInTheLogOnce(Object value, CapturedOutput output) {
		this.values.value = value;
		PolicyBinding binding = this.bindings.key("@values.get()");
		for (int i = 0; i < 3; i++) {
			assertThat(Bindings.keyOf(binding, TestRequest.anonymous())).isEqualTo("address:192.0.2.7");
		}
		assertThat(binding.limiter().failures(RateLimitExpression.KEY)).isEqualTo(3);
		assertThat(output).containsOnlyOnce(" ERROR ")
			.containsOnlyOnce("The key '@values.get()' of Service.call() (policy 'calls') failed: it gave a ")
			.contains("limited by the client's address")
			.containsAnyOf("Write what tells callers apart", "Let the expression give the value itself");
	}

	@Test
	void outsideOfARequestTheCallerIsTold() {
		this.values.value = new Nameless();
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> Bindings.keyOf(this.bindings.key("@values.get()"), null))
			.withMessageStartingWith(
					"The key expression '@values.get()' of Service.call() failed: it gave a Nameless, which has no "
							+ "text of its own");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', textBlock = """
			#order                   | a Nameless has no text of its own
			#p0                      | a Nameless has no text of its own
			#bytes                   | a byte[] has no text of its own
			#texts                   | a String[] has no text of its own
			#names                   | a Collection changes its text with its elements
			#rates                   | a Map changes its text with its elements
			#http                    | a HttpServletRequest is another one for each request
			#digest                  | a Digest has no text of its own
			request                  | request is another one for each request
			#root                    | #root is another one for each request
			{path, method}           | a collection changes its text with its elements
			path == 'a' ? path : #order | a Nameless has no text of its own
			principal ?: request     | request is another one for each request
			""")
	void keyThatIsKnownToBeNoneFailsStartUp(String key, String reason) {
		assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(() -> bind(key))
			.withMessage("The key expression '" + key + "' of Shop.order() is no key: " + reason)
			.satisfies((ex) -> assertThat(ex.action()).startsWith("Write what tells callers apart"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.id", "#order.toString()", "#anything", "#tenant", "#plan", "#user", "#optional",
			"#count", "#base", "#names.size()", "#details", "'a' + #order.id", "#bytes[0]", "request.method" })
	void keyThatMayBeOneIsLeftToTheCall(String key) {
		assertThatNoException().isThrownBy(() -> bind(key));
	}

	@Test
	void constantKeyOfARuleThatIsKnownToBeNoneFailsStartUp() {
		assertThatExceptionOfType(InvalidRateLimitException.class)
			.isThrownBy(() -> bind("request", "rule /a", null, "ratelimit.rules[0]"))
			.withMessage("The property 'ratelimit.rules[0].key' with the value 'request' is no key: request is another "
					+ "one for each request");
	}

	private void bind(String key) {
		bind(key, "Shop.order()", ClassUtils.getMethod(Shop.class, "order", (Class<?>[]) null), null);
	}

	private void bind(String key, String place, @Nullable Method method, @Nullable String property) {
		this.bindings.bind(new AppliedLocation(place, key, null, null, null), method, property);
	}

	private static UsernamePasswordAuthenticationToken authentication(String session) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setSession(new MockHttpSession(null, session));
		UsernamePasswordAuthenticationToken authentication = UsernamePasswordAuthenticationToken
			.authenticated(User.withUsername("ann").password("secret").build(), "secret", List.of());
		authentication.setDetails(new WebAuthenticationDetails(request));
		return authentication;
	}

	private static Object proxy() {
		ProxyFactory factory = new ProxyFactory(new Nameless());
		factory.setProxyTargetClass(true);
		return factory.getProxy();
	}

	public static final class Values {

		private @Nullable Object value;

		public @Nullable Object get() {
			return this.value;
		}

	}

	static class Shop {

		public void order(Nameless order, byte[] bytes, Collection<String> names, Map<String, String> rates,
				HttpServletRequest http, Digest digest, Object anything, Tenant tenant, Plan plan, Principal user,
				Optional<String> optional, int count, Base base, User details, String... texts) {
		}

	}

	public static class Nameless {

		public int getId() {
			return 1;
		}

	}

	abstract static class Base {

	}

	enum Plan {

		PRO

	}

	record Tenant(String name, int number) {
	}

	record Digest(byte[] bytes) {
	}

	record Token(byte[] bytes) {

		@Override
		public String toString() {
			return HexFormat.of().formatHex(this.bytes);
		}

	}

	/* Spring Security's wrapper has the text of what it wraps, too. */
	static final class DescribedRequest extends HttpServletRequestWrapper {

		DescribedRequest() {
			super(new MockHttpServletRequest());
		}

		@Override
		public String toString() {
			return "DescribedRequest[" + Arrays.asList(getRequest()) + "]";
		}

	}

}
