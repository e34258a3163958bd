package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import io.github.ratelimit.actuate.RateLimitsEndpoint;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A native image can map simulations, and write all that the endpoint answers.
 */
class EndpointHintsTests {

	private static final String PACKAGE = RateLimitsEndpoint.class.getPackageName();

	private static final RuntimeHints HINTS = new RuntimeHints();

	@BeforeAll
	static void build() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of("management.endpoints.web.exposure.include=ratelimits").applyTo(context);
			context.register(RateLimitAutoConfiguration.class, RateLimitEndpointAutoConfiguration.class);
			new ApplicationContextAotGenerator().processAheadOfTime(context,
					new DefaultGenerationContext(new ClassNameGenerator(ClassName.get(EndpointHintsTests.class)),
							new InMemoryGeneratedFiles(), HINTS));
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	static Stream<RecordComponent> answers() throws IOException {
		Resource[] classes = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:" + PACKAGE.replace('.', '/') + "/*.class");
		return Arrays.stream(classes)
			.map(Resource::getFilename)
			.filter((file) -> file.matches(".*(Descriptor|Problem)\\.class"))
			.map((file) -> ClassUtils.resolveClassName(PACKAGE + "." + file.replace(".class", ""), null))
			.filter(Class::isRecord)
			.flatMap((type) -> Arrays.stream(type.getRecordComponents()));
	}

	@ParameterizedTest
	@MethodSource("answers")
	void fieldOfAnAnswerCanBeRead(RecordComponent field) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(field.getAccessor())).accepts(HINTS);
	}

	@Test
	void whatIsMappedAndAnsweredBesideOperationsHasHints() {
		List<String> types = Production.CLASSES.stream()
			.filter((type) -> type.getName().startsWith(Production.ROOT + ".actuate.Simulat") && type.isRecord()
					|| type.getSimpleName().equals("OperationProblem")
					|| type.isEquivalentTo(RateLimitsHandlerMapping.Requests.class))
			.map(JavaClass::getName)
			.toList();
		assertThat(types).hasSize(4)
			.allMatch((type) -> RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)).test(HINTS));
	}

}
