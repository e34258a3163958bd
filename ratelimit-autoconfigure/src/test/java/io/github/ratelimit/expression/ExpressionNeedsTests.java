package io.github.ratelimit.expression;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What must be known before an expression can be evaluated, which decides where its
 * policy is enforced.
 */
class ExpressionNeedsTests {

	private final Bindings bindings = new Bindings().withBean("tenants", new Object());

	@ParameterizedTest
	@ValueSource(strings = { "#user", "#p0", "#a1", "clientAddress + #user", "header(#user)", "@tenants.of(#user)",
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
	@ValueSource(strings = { "principal.name", "#root.principal", "#this.principal", "request.userPrincipal",
			"request.getUserPrincipal()", "request.isUserInRole('ADMIN')", "request?.remoteUser", "@tenants.of(1)",
			"@tenants", "header(principal.name)", "'a' + principal", "{principal}.![#this]",
			"{1}.![#root.principal.name]" })
	void whatReadsTheUserNeedsThePrincipal(String key) {
		assertThat(this.bindings.key(key).needsPrincipal()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "clientAddress", "header('principal')", "'principal'", "pathVariable('userPrincipal')",
			"request.method", "#user.principal", "session" })
	void everythingElseDoesNotNeedThePrincipal(String key) {
		assertThat(this.bindings.key(key).needsPrincipal()).isFalse();
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
