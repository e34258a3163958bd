package io.github.ratelimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Which package of the core knows which, and that it knows no Spring.
 */
class ArchitectureTests extends PackageArrows {

	ArchitectureTests() {
		super(Arrows.from(".support"), Arrows.from("", ".support"), Arrows.from(".store", "", ".support"),
				Arrows.from(".algorithm", "", ".store"), Arrows.from(".local", "", ".support", ".store", ".algorithm"),
				Arrows.from(".simulation", "", ".store", ".algorithm", ".local"),
				Arrows.from(".remote", "", ".support", ".store"), Arrows.from(".policy", "", ".support", ".store"),
				Arrows.from(".advice", "", ".support", ".policy"),
				Arrows.from(".request", "", ".support", ".store", ".policy"));
	}

	@Test
	void coreKnowsNothingButCaffeineReactorAndLogs() {
		classes().should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.jspecify.annotations", Production.ROOT + "..",
					"com.github.benmanes.caffeine..", "reactor.core..", "org.apache.commons.logging", "org.slf4j")
			.check(Production.CLASSES);
	}

	@ParameterizedTest
	@CsvSource({ ".support, java..", "'', java..", ".algorithm, java..", ".store, java..", ".advice, java..",
			".policy, org.apache.commons.logging|org.slf4j", ".request, reactor.core.." })
	void coreIsPlainJava(String core, String besides) {
		String[] known = ("java..|org.jspecify.annotations|" + Production.ROOT + "..|" + besides).split("\\|");
		classes().that()
			.resideInAPackage(Production.ROOT + core)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(known)
			.check(Production.CLASSES);
	}

}
