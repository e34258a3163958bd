package io.github.ratelimit.ai;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.ratelimit.autoconfigure.RateLimitAiProperties;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the module knows of others, and users of the module.
 */
class ArchitectureTests {

	private static final String ROOT = "io.github.ratelimit";

	private static final JavaClasses CLASSES = new ClassFileImporter().importPath(Path.of("target", "classes"));

	@Test
	void onlyWhatUsersNameIsPublic() {
		assertThat(CLASSES.stream()
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.map(JavaClass::getSimpleName))
			.containsExactlyInAnyOrder("RateLimitAdvisor", "RateLimitAiAutoConfiguration");
	}

	@Test
	void ofOtherModulesOnlySomePackagesAreKnown() {
		assertThat(known().stream().map(JavaClass::getPackageName).distinct()).containsExactlyInAnyOrder(ROOT,
				ROOT + ".support", ROOT + ".policy", ROOT + ".request", ROOT + ".expression", ROOT + ".autoconfigure");
	}

	@Test
	void ofTheAutoConfigurationOnlyThePropertiesAreKnown() {
		assertThat(known().stream().filter((type) -> type.getPackageName().equals(ROOT + ".autoconfigure")))
			.extracting(JavaClass::getName)
			.containsExactly(RateLimitAiProperties.class.getName());
	}

	private static Set<JavaClass> known() {
		return CLASSES.stream()
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map(Dependency::getTargetClass)
			.filter((type) -> type.getPackageName().startsWith(ROOT) && !type.getPackageName().equals(ROOT + ".ai"))
			.collect(Collectors.toSet());
	}

}
