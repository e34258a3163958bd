package io.github.ratelimit.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

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

}
