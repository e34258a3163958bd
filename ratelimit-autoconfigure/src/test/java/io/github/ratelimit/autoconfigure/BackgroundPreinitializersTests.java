package io.github.ratelimit.autoconfigure;

import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Spring Boot swallows what a preinitializer throws, so that a broken one would only be
 * slow.
 */
class BackgroundPreinitializersTests {

	private static final List<BackgroundPreinitializer> OURS = SpringFactoriesLoader.forDefaultResourceLocation()
		.load(BackgroundPreinitializer.class)
		.stream()
		.filter((preinitializer) -> preinitializer.getClass().getName().startsWith(Production.ROOT + "."))
		.toList();

	@Test
	void everyPreinitializerIsRegistered() {
		List<String> declared = Production.CLASSES.stream()
			.filter((type) -> type.isAssignableTo(BackgroundPreinitializer.class))
			.map(JavaClass::getName)
			.toList();
		assertThat(OURS).extracting((preinitializer) -> preinitializer.getClass().getName())
			.isNotEmpty()
			.containsExactlyInAnyOrderElementsOf(declared);
	}

	@Test
	void everyPreinitializerSucceeds() {
		assertThat(OURS)
			.allSatisfy((preinitializer) -> assertThatNoException().isThrownBy(preinitializer::preinitialize));
	}

}
