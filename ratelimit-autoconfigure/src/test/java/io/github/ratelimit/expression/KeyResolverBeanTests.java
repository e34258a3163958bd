package io.github.ratelimit.expression;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that are computed in code, by a bean that an expression names.
 */
class KeyResolverBeanTests {

	private final List<RateLimitContext> seen = new ArrayList<>();

	private final Bindings bindings = new Bindings().withBean("tenantKeys", (KeyResolver) (context) -> {
		this.seen.add(context);
		Object[] arguments = context.arguments();
		return (arguments != null && arguments[0] != null) ? "tenant-of-" + arguments[0] : null;
	});

	@Test
	void beanComputesTheKeyFromAllThatIsKnownOfTheCall() {
		TestRequest request = TestRequest.anonymous();
		assertThat(Bindings.keyOf(this.bindings.key("@tenantKeys"), request, "ann", null)).isEqualTo("tenant-of-ann");
		assertThat(this.seen).singleElement().satisfies((context) -> {
			assertThat(context.request()).isSameAs(request);
			assertThat(context.method()).isEqualTo(Bindings.METHOD);
			assertThat(context.target()).isInstanceOf(Bindings.Service.class);
		});
	}

	@Test
	void beanThatKnowsNoKeyFallsBackLikeAnExpression() {
		PolicyBinding binding = this.bindings.key("@tenantKeys");
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous(), null, null)).isEqualTo("address:192.0.2.7");
		assertThat(Bindings.keyOf(binding, null, null, null)).isEqualTo("shared:");
	}

	@Test
	void beanMayBeOneOfSeveralChoices() {
		PolicyBinding binding = this.bindings.key("principal != null ? principal.name : @tenantKeys");
		assertThat(Bindings.keyOf(binding, TestRequest.anonymous(), "bob", null)).isEqualTo("tenant-of-bob");
	}

	@Test
	void keyOfABeanIsHashedWhenItIsLong() {
		PolicyBinding binding = this.bindings.key("@tenantKeys");
		assertThat(Bindings.keyOf(binding, null, "x".repeat(1000), null)).startsWith("sha256:");
	}

}
