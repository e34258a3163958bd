package io.github.ratelimit.autoconfigure;

import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A native image can map simulations, and write what is answered to them.
 */
class SimulationHintsTests {

	@Test
	void whatIsMappedAndAnsweredHasHints() {
		RuntimeHints hints = new RuntimeHints();
		new RateLimitRuntimeHints().registerHints(hints, getClass().getClassLoader());
		List<String> types = Production.CLASSES.stream()
			.filter((type) -> type.getName().startsWith(Production.ROOT + ".actuate.Simulat") && type.isRecord()
					|| type.getSimpleName().equals("OperationProblem") || type.isEquivalentTo(SimulationRequests.class))
			.map(JavaClass::getName)
			.toList();
		assertThat(types).hasSize(4)
			.allMatch((type) -> RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)).test(hints));
	}

}
