package io.github.ratelimit.expression;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what must be known before an expression can be evaluated, which decides where its
 * policy is enforced.
 */
class ExpressionNeedsTests {

	private final Bindings bindings = new Bindings().withBean("tenants", new Object());

	@ParameterizedTest
	@ValueSource(strings = { "#user", "#p0", "#a1[0]", "clientAddress + #user", "header(#user)", "@tenants.of(#user)",
			"#items.![#this]", "{1, 2}.?[#this == #user.length()]", "pathVariable('id')[#items.size()]",
			"{name: #user}", "true ? #user : 1" })
	void parameterNeedsArguments(String key) {
		assertThat(this.bindings.key(key).needsArguments()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "clientAddress", "principal.name", "header('#user')", "#root.path", "@tenants.of(1)",
			"#root.target.tenant", "{'a'}.![#this]" })
	void everythingElseDoesNotNeedArguments(String key) {
		assertThat(this.bindings.key(key).needsArguments()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.name", "#root.principal", "#this.principal", "header(principal.name)",
			"'a' + principal", "{principal}.![#this]", "{1}.![#root.principal.name]",
			"T(org.springframework.security.core.context.SecurityContextHolder).context.authentication.name",
			"T(org.springframework.security.core.context.ReactiveSecurityContextHolder).getContext()",
			"header(T(org.springframework.security.core.context.SecurityContextHolder).context.toString())",
			"{1}.![T(org.springframework.security.core.context.SecurityContextHolder).context]",
			"true ? T(org.springframework.security.core.context.SecurityContextHolder).context : 1" })
	void whatPlainlyReadsTheUserNeedsThePrincipalForSure(String key) {
		assertThat(this.bindings.key(key).needsPrincipal()).isTrue();
		assertThat(this.bindings.key(key).principalReader()).isNotNull();
		assertThat(this.bindings.cost(key).principalReader()).isNotNull();
		assertThat(this.bindings.condition(key).principalReader()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "claim('sub')", "#root.claim('sub')", "claim('realm')['name']", "header(claim('sub'))",
			"header('X') ?: claim('sub')", "{1}.![#root.claim('sub')]", "claim('sub') + path" })
	void aClaimIsOfTheUser(String key) {
		assertThat(this.bindings.key(key).principalReader()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "@tenants", "@tenants.of(1)", "T(com.example.Users).current()", "T(com.example.Users[])",
			"new com.example.User().name", "request.userPrincipal", "request.getUserPrincipal()",
			"request?.isUserInRole('ADMIN') ? 'a' : 'b'", "request?.remoteUser", "request['remoteUser']",
			"#root['principal']", "#this['principal'].name", "#root['request']['remoteUser']",
			"header(request['remoteUser'])", "path == '/' ? request['remoteUser'] : path", "(request).remoteUser",
			"{user: request.remoteUser}", "{1}.?[#root.request.remoteUser != null]",
			"request.parameterMap['principal']", "request.session.principal", "request.getAttribute('user').principal",
			"request.cookies.?[principal == 1]" })
	void whatMayReadTheUserNeedsThePrincipalToBeSafe(String key) {
		assertThat(this.bindings.key(key).needsPrincipal()).isTrue();
		assertThat(this.bindings.key(key).principalReader()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(Long).parseLong('1')", "T(java.time.LocalDate).now()", "T(int)", "T(String[])",
			"new String('principal')", "new java.util.Date()", "new int[3]", "request['method']", "#root['path']",
			"request.getHeader('remoteUser')", "request.getAttribute('principal')", "parameter('principal')",
			"#user['principal']", "#items.principal.name", "#items.principal", "#items.claim('sub')", "header('claim')",
			"cookie('principal')", "session.id", "session", "clientAddress", "header('principal')", "'principal'",
			"pathVariable('userPrincipal')", "request.method" })
	void whatReadsNobodyDoesNotNeedThePrincipal(String key) {
		assertThat(this.bindings.key(key).needsPrincipal()).isFalse();
		assertThat(this.bindings.key(key).principalReader()).isNull();
	}

	/*
	 * These words must be read before, where they cannot be read while the expression is
	 * evaluated.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', commentCharacter = '~', textBlock = """
			clientAddress                           |
			header('X') + path                      |
			#user                                   |
			@tenants.of(header('X'))                |
			T(Long).parseLong('1')                  |
			principal.name                          | principal
			claim('sub')                            | principal
			@tenants.of(principal)                  | principal
			session.id                              | session
			folded(parameter('q'))                  | parameter
			parameter('q') ?: session               | session parameter
			parameter(header('X'))                  | principal session parameter
			request.method                          | principal session parameter
			@tenants.of(#root)                      | principal session parameter
			{1}.![#this]                            | principal session parameter
			@tenants                                | principal session parameter
			@tenants.resolver                       | principal session parameter
			""")
	void whatIsReadOfTheRequestIsKnown(String key, @Nullable String words) {
		assertThat(Stream.of("principal", "session", "parameter").filter(this.bindings.key(key)::mayRead))
			.containsExactly((words != null) ? words.split(" ") : new String[0]);
	}

	@Test
	void aResolverMayReadAnything() {
		PolicyBinding binding = new Bindings().withResolver((context) -> "me").key(null);
		assertThat(binding.mayRead("parameter")).isTrue();
		assertThat(binding.mayBlock()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "principal.name, false", "request.method, false", "@tenants, true", "@tenants.of(request), true",
			"header(@tenants.name()), true" })
	void whatCallsABeanMayTakeItsTime(String expression, boolean mayBlock) {
		for (PolicyBinding binding : List.of(this.bindings.key(expression), this.bindings.cost(expression),
				this.bindings.condition(expression), this.bindings.charge(expression))) {
			assertThat(binding.mayBlock()).isEqualTo(mayBlock);
		}
	}

	@Test
	void anArgumentOfWhatReadsAnArgumentIsStillFound() {
		assertThat(this.bindings.key("#user.concat(principal.name)").needsPrincipal()).isTrue();
		assertThat(this.bindings.key("#user[request.remoteUser]").needsPrincipal()).isTrue();
	}

	@Test
	void costsAndConditionsNeedWhatTheyRead() {
		assertThat(this.bindings.cost("#items.size()").needsArguments()).isTrue();
		assertThat(this.bindings.condition("#user != null").needsArguments()).isTrue();
		assertThat(this.bindings.cost("principal == null ? 2 : 1").needsPrincipal()).isTrue();
		assertThat(this.bindings.condition("principal == null").needsPrincipal()).isTrue();
		assertThat(this.bindings.cost("2").needsArguments()).isFalse();
		assertThat(this.bindings.condition("true").needsPrincipal()).isFalse();
	}

}
