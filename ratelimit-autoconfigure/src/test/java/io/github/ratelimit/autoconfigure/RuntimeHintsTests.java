package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import io.github.ratelimit.actuate.RateLimitEndpointAutoConfiguration;
import io.github.ratelimit.annotation.RateLimited;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.apache.catalina.connector.ResponseFacade;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
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
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A native image has hints for everything that is read or looked up by name, and for what
 * the endpoint maps and answers.
 */
class RuntimeHintsTests {

	private static final RuntimeHints HINTS = new RuntimeHints();

	private static final InMemoryGeneratedFiles FILES = new InMemoryGeneratedFiles();

	@BeforeAll
	static void build() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues
				.of("management.endpoints.web.exposure.include=ratelimits",
						"ratelimit.policies.login.key=@configured.toPattern()",
						"ratelimit.policies.login.limits[0].limit=1", "ratelimit.policies.login.limits[0].window=1m",
						"ratelimit.rules[0].path=/login", "ratelimit.rules[0].policy=login",
						"ratelimit.rules[0].key=@ruleKey.incrementAndGet()",
						"ratelimit.rules[0].cost=@ruleCost.incrementAndGet()", "ratelimit.ai.policy=login",
						"ratelimit.ai.key=@modelKey.intValue()",
						"ratelimit.rules[0].condition=@ruleCondition.cardinality() > 1",
						"ratelimit.policies.paid.charge=result.toSeconds()",
						"ratelimit.policies.paid.key=#buyer.getCountry()",
						"ratelimit.policies[DerivedNames.pay].charge=result.getMonth()",
						"ratelimit.policies[DerivedNames.pay-2].key=#day.length()",
						"ratelimit.policies[un/usual].charge=result.getDays()")
				.applyTo(context);
			context.register(Application.class, Broken.class, NamedPolicies.class, DerivedNames.class,
					RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
					RateLimitEndpointAutoConfiguration.class);
			Map.of("tenants", ReentrantLock.class, "configured", SimpleDateFormat.class, "ruleKey", AtomicLong.class,
					"ruleCost", AtomicInteger.class, "ruleCondition", BitSet.class, "modelKey", LongAdder.class)
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
	@MethodSource("answers")
	void fieldOfAnAnswerOfTheEndpointCanBeRead(RecordComponent field) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(field.getAccessor())).accepts(HINTS);
	}

	static Stream<RecordComponent> answers() {
		return Production.CLASSES.stream()
			.filter((type) -> type.getPackageName().equals(RateLimitEndpointAutoConfiguration.class.getPackageName())
					&& type.isRecord())
			.filter((type) -> type.getName().matches(".*(Descriptor|Problem)"))
			.flatMap((type) -> Arrays.stream(type.reflect().getRecordComponents()));
	}

	@Test
	void whatIsMappedAndAnsweredBesideOperationsIsThere() {
		List<String> types = Production.CLASSES.stream()
			.filter((type) -> type.getName().startsWith(Production.ROOT + ".actuate.Simulat") && type.isRecord()
					|| type.getSimpleName().equals("OperationProblem")
					|| type.getName().endsWith(".RateLimitsHandlerMapping$Requests"))
			.map(JavaClass::getName)
			.toList();
		assertThat(types).hasSize(4)
			.allMatch((type) -> RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)).test(HINTS));
	}

	@Test
	void fieldsAndMethodsThatAreLookedForByNameAreThere() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(ResponseFacade.class.getDeclaredField("response")))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(AuthenticationWebFilter.class.getDeclaredField("authenticationFailureHandler")))
			.accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(LettuceConnectionFactory.class.getDeclaredField("configuration"))).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(WebFilterChainProxy.class.getDeclaredField("filters"))).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(HttpServletRequestWrapper.class, "getHeader"))
			.accepts(HINTS);
	}

	@ParameterizedTest
	@MethodSource("detected")
	void typeThatIsDetectedByItsNameIsThere(String type) {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type))).accepts(HINTS);
	}

	static Stream<String> detected() {
		Pattern name = Pattern.compile("(?:isPresent\\(|_TYPE =)\\s*\"([a-z]+\\.[a-z0-9.]+\\.[A-Z]\\w+)\"");
		return Production.sources()
			.map(RuntimeHintsTests::text)
			.flatMap((text) -> name.matcher(text).results())
			.map((match) -> match.group(1))
			.filter((type) -> ClassUtils.isPresent(type, null));
	}

	private static String text(Path file) {
		try {
			return Files.readString(file).replaceAll("\"\\s*\\+ \"", "");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/*
	 * What a named policy's expressions can read is known where an annotation has the
	 * policy.
	 */
	@ParameterizedTest
	@MethodSource("read")
	void whatExpressionsReadIsThere(Class<?> type, String method) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type, method)).accepts(HINTS);
	}

	static Stream<Arguments> read() {
		return Stream.of(arguments(Order.class, "customer"), arguments(Customer.class, "getName"),
				arguments(Order.class, "weight"), arguments(ArrayList.class, "size"),
				arguments(Line.class, "getAmount"), arguments(ReentrantLock.class, "getHoldCount"),
				arguments(SimpleDateFormat.class, "toPattern"), arguments(System.class, "lineSeparator"),
				arguments(Limited.class, "owner"), arguments(String.class, "trim"), arguments(UUID.class, "version"),
				arguments(Throwable.class, "getMessage"), arguments(Duration.class, "toSeconds"),
				arguments(Locale.class, "getCountry"), arguments(Period.class, "getDays"),
				arguments(AtomicLong.class, "incrementAndGet"), arguments(AtomicInteger.class, "incrementAndGet"),
				arguments(BitSet.class, "cardinality"), arguments(LongAdder.class, "intValue"),
				arguments(YearMonth.class, "getMonth"), arguments(Year.class, "length"));
	}

	@Test
	void fallbackIsThere() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Limited.class, "answer")).accepts(HINTS);
	}

	@Test
	void whatNoExpressionReadsIsNotThere() {
		assertThat(RuntimeHintsPredicates.reflection().onType(Currency.class)).rejects(HINTS);
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
			.withBean("tenants", ReentrantLock.class)
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

		@RateLimited(limit = 1, window = "1m", key = "@tenants.getHoldCount() + #p0", cost = "#lines.size()",
				condition = "#lines[0].amount > 0")
		public void lines(String tenant, List<Line> lines) {
		}

		@RateLimited(limit = 1, window = "1m", key = "T(java.lang.System).lineSeparator() + #root.target.owner()")
		public void level(Currency untouched, Map<String, String> map) {
		}

		@RateLimited(limit = 1, window = "1m", charge = "exception.message == null ? result.version() : 0")
		public List<UUID> ask() {
			return List.of();
		}

		public String owner() {
			return "owner";
		}

		@RateLimited(limit = 1, window = "1m", fallback = "answer")
		public void answered() {
		}

		protected void answer() {
		}

	}

	static class NamedPolicies {

		@RateLimited(limit = 1, window = "1m", key = "#value")
		public <T extends Comparable<T>> void ofItself(T value) {
		}

		@RateLimited("paid")
		public Duration buy(Locale buyer) {
			return Duration.ZERO;
		}

		@RateLimited(name = "un/usual", limit = 1, window = "1m")
		public CompletableFuture<Period> send() {
			return new CompletableFuture<>();
		}

	}

	static class DerivedNames {

		@RateLimited(limit = 1, window = "1m")
		@RateLimited(limit = 1, window = "1h")
		public YearMonth pay(Year day) {
			return YearMonth.of(2026, 1);
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

}
