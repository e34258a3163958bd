package io.github.ratelimit.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.ratelimit.Production;
import io.github.ratelimit.annotation.RateLimited;
import io.lettuce.core.RedisClient;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.apache.catalina.connector.ResponseFacade;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;
import org.springframework.security.web.csrf.CsrfToken;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A native image has hints for everything that is read or looked up by name.
 */
class RuntimeHintsTests {

	private static final RuntimeHints HINTS = new RuntimeHints();

	private static final InMemoryGeneratedFiles FILES = new InMemoryGeneratedFiles();

	@BeforeAll
	static void build() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues
				.of("ratelimit.policies.login.key=@configured.of(header('A'))",
						"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1m",
						"ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login",
						"ratelimit.rules[0].key=@ruleKey.of('A')", "ratelimit.rules[0].cost=@ruleCost.of('A')",
						"ratelimit.rules[0].condition=@ruleCondition.of('A')",
						"ratelimit.policies.paid.charge=result.price()", "ratelimit.policies.paid.key=#buyer.id()",
						"ratelimit.policies[un/usual].charge=result.weight()")
				.applyTo(context);
			context.register(Application.class, Broken.class, NamedPolicies.class, RateLimitAutoConfiguration.class,
					RateLimitMethodAutoConfiguration.class);
			Map.of("tenants", Tenants.class, "configured", Configured.class, "ruleKey", RuleKey.class, "ruleCost",
					RuleCost.class, "ruleCondition", RuleCondition.class)
				.forEach((name, type) -> context.registerBean(name, type));
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get(RuntimeHintsTests.class)), FILES, HINTS);
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			generation.writeGeneratedContent();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	@Test
	void scriptsOfRedisAreThere() throws Exception {
		String directory = "io/github/ratelimit/redis/";
		assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:" + directory + "*.lua"))
			.hasSizeGreaterThan(6)
			.allMatch((script) -> RuntimeHintsPredicates.resource()
				.forResource(directory + script.getFilename())
				.test(HINTS));
	}

	@Test
	void addressOfTheDocumentationIsThere() {
		assertThat(RuntimeHintsPredicates.resource().forResource("io/github/ratelimit/findings/documentation-url.txt"))
			.accepts(HINTS);
	}

	@Test
	void filesOfThePageAreThere() throws Exception {
		String directory = "io/github/ratelimit/actuate/page/";
		assertThat(new PathMatchingResourcePatternResolver().getResources("classpath*:" + directory + "*"))
			.hasSizeGreaterThan(10)
			.allMatch((
					file) -> RuntimeHintsPredicates.resource().forResource(directory + file.getFilename()).test(HINTS));
	}

	@ParameterizedTest
	@ValueSource(strings = { "getClientAddress", "getPrincipal", "getPath", "getMethod", "getSession", "getRequest",
			"getTarget", "header", "parameter", "cookie", "claim", "pathVariable" })
	void wordsAreThere(String method) throws Exception {
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Class.forName(Production.ROOT + ".expression.ExpressionRoot"), method)).accepts(HINTS);
	}

	@Test
	void whatIsLookedForByNameIsThere() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onType(RedisClient.class)).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onType(CsrfToken.class)).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onType(JsonMapper.class)).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onType(Class.forName("reactor.core.publisher.Flux")))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(ResponseFacade.class.getDeclaredField("response")))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(HttpServletRequestWrapper.class, "getHeader"))
			.accepts(HINTS);
	}

	@Test
	void whatExpressionsReadIsThere() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "customer")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class, "getName")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "weight")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ArrayList.class, "size")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Line.class, "getAmount")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Tenants.class, "of")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Configured.class, "of")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Levels.class, "level")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Limited.class, "owner")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Usage.class, "tokens")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Throwable.class, "getMessage"))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onType(Untouched.class)).rejects(HINTS);
	}

	/*
	 * What a policy's expressions can read is known where an annotation has the policy.
	 */
	@Test
	void whatExpressionsOfNamedPoliciesReadIsThere() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Receipt.class, "price")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Buyer.class, "id")).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcel.class, "weight")).accepts(HINTS);
	}

	@ParameterizedTest
	@ValueSource(classes = { RuleKey.class, RuleCost.class, RuleCondition.class })
	void whatExpressionsOfRulesReadIsThere(Class<?> type) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type, "of")).accepts(HINTS);
	}

	@Test
	void proxiesAreThere() {
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(RateLimited.class)).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.proxies()
			.forInterfaces(Service.class, SpringProxy.class, Advised.class, DecoratingProxy.class)).accepts(HINTS);
		assertThat(FILES.getGeneratedFiles(Kind.CLASS).keySet())
			.anyMatch((file) -> file.contains("RuntimeHintsTests$Limited$$SpringCGLIB$$"));
	}

	/*
	 * The hints must be those that are used.
	 */
	@Test
	void proxyOfAFinalClassHasTheInterfacesThatAreTold() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withUserConfiguration(Application.class)
			.withBean("tenants", Tenants.class)
			.run((context) -> {
				Object proxy = context.getBean(Service.class);
				assertThat(Proxy.isProxyClass(proxy.getClass())).isTrue();
				assertThat(RuntimeHintsPredicates.proxies().forInterfaces(proxy.getClass().getInterfaces()))
					.accepts(HINTS);
			});
	}

	@Test
	void expressionThatCannotBeReadDoesNotEndTheBuild() {
		assertThat(RuntimeHintsPredicates.reflection().onType(Broken.class)).accepts(HINTS);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Limited limited() {
			return new Limited();
		}

		@Bean
		FinalService service() {
			return new FinalService();
		}

	}

	static class Limited {

		@RateLimited(limit = 1, window = "1m", key = "#order.customer.name", cost = "#order.weight()")
		public void order(Order order) {
		}

		@RateLimited(limit = 1, window = "1m", key = "@tenants.of(#p0)", cost = "#lines.size()",
				condition = "#lines[0].amount > 0")
		public void lines(String tenant, List<Line> lines) {
		}

		@RateLimited(limit = 1, window = "1m",
				key = "T(io.github.ratelimit.autoconfigure.RuntimeHintsTests$Levels).level() + #root.target.owner()")
		public void level(Untouched untouched, Map<String, String> map) {
		}

		@RateLimited(limit = 1, window = "1m", charge = "exception.message == null ? result.tokens() : 0")
		public List<Usage> ask() {
			return List.of();
		}

		public String owner() {
			return "owner";
		}

	}

	static class NamedPolicies {

		@RateLimited("paid")
		public Receipt buy(Buyer buyer) {
			return new Receipt(1);
		}

		@RateLimited(name = "un/usual", limit = 1, window = "1m")
		public CompletableFuture<Parcel> send() {
			return new CompletableFuture<>();
		}

	}

	interface Service {

		@RateLimited(limit = 1, window = "1m")
		void call();

	}

	static final class FinalService implements Service {

		@Override
		public void call() {
		}

	}

	static class Broken {

		@RateLimited(limit = 1, window = "1m", key = "'a")
		@RateLimited(limit = 1, window = "1m", key = "@missing.of(#missing) + T(missing.Type).a()")
		public void broken() {
		}

	}

	record Usage(long tokens) {
	}

	record Receipt(long price) {
	}

	record Buyer(String id) {
	}

	record Parcel(long weight) {
	}

	record Order(Customer customer) {

		public long weight() {
			return 1;
		}

	}

	static class Customer {

		public String getName() {
			return "name";
		}

	}

	static class Line {

		public int getAmount() {
			return 1;
		}

	}

	static class RuleKey {

		public String of(String name) {
			return name;
		}

	}

	static class RuleCost {

		public int of(String name) {
			return 1;
		}

	}

	static class RuleCondition {

		public boolean of(String name) {
			return true;
		}

	}

	static class Tenants {

		public String of(String tenant) {
			return tenant;
		}

	}

	static class Configured {

		public String of(String header) {
			return header;
		}

	}

	static class Levels {

		public static String level() {
			return "level";
		}

	}

	static class Untouched {

	}

}
