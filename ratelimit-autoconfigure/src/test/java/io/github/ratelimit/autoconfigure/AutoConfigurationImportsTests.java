package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class AutoConfigurationImportsTests {

	private static final List<String> IMPORTS = ImportCandidates.load(AutoConfiguration.class, null)
		.getCandidates()
		.stream()
		.filter((name) -> name.startsWith(Production.ROOT + "."))
		.toList();

	@Test
	void everyAutoConfigurationIsImportedAndNothingElse() {
		List<String> declared = Production.CLASSES.stream()
			.filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
			.map(JavaClass::getName)
			.toList();
		assertThat(declared).isNotEmpty().containsExactlyInAnyOrderElementsOf(IMPORTS);
	}

	@Test
	void everyClassThatAnOrderNamesExists() {
		assertThat(IMPORTS).allSatisfy((name) -> {
			AutoConfiguration annotation = ClassUtils.resolveClassName(name, null)
				.getAnnotation(AutoConfiguration.class);
			assertThat(annotation).isNotNull();
			assertThat(Stream.of(annotation.afterName(), annotation.beforeName()).flatMap(Arrays::stream))
				.allMatch((other) -> ClassUtils.isPresent(other, null));
		});
	}

	/*
	 * Applications exclude by names, which stay good when a class moves to another
	 * package.
	 */
	@ParameterizedTest
	@MethodSource("replaced")
	void isExcludedByItsNameAndByTheOneThatItHadBefore(String before, String name) {
		assertThat(ClassUtils.isPresent(before, null)).isFalse();
		assertThat(ClassUtils.getShortName(before)).isEqualTo(ClassUtils.getShortName(name));
		assertThat(IMPORTS).contains(name);
		assertThat(new Selector(before).excluded()).containsExactly(name);
		assertThat(new Selector(name).excluded()).containsExactly(name);
	}

	static Stream<Arguments> replaced() throws IOException {
		return PropertiesLoaderUtils
			.loadAllProperties("META-INF/spring/" + AutoConfiguration.class.getName() + ".replacements")
			.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().toString().startsWith(Production.ROOT + "."))
			.map((entry) -> arguments(entry.getKey(), entry.getValue()));
	}

	/**
	 * Spring Boot's own, in an application that excludes an auto-configuration.
	 */
	private static final class Selector extends AutoConfigurationImportSelector {

		Selector(String excluded) {
			setBeanClassLoader(getClass().getClassLoader());
			setBeanFactory(new DefaultListableBeanFactory());
			setEnvironment(new MockEnvironment().withProperty("spring.autoconfigure.exclude", excluded));
			setResourceLoader(new DefaultResourceLoader());
		}

		Set<String> excluded() {
			return getAutoConfigurationEntry(AnnotationMetadata.introspect(WholeApplication.class)).getExclusions();
		}

	}

}
