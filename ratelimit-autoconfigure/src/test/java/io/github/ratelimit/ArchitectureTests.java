package io.github.ratelimit;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which of our packages knows which, and which of them knows a neighbour that an
 * application may not have.
 */
class ArchitectureTests {

	/* Each package knows only some of those before it. */
	private static final List<Arrows> ARROWS = List.of(Arrows.from(""), Arrows.from(".store", ""),
			Arrows.from(".findings", ""), Arrows.from(".algorithm", "", ".store"),
			Arrows.from(".local", "", ".store", ".algorithm"),
			Arrows.from(".simulation", "", ".store", ".algorithm", ".local"), Arrows.from(".remote", "", ".store"),
			Arrows.from(".redis", "", ".store", ".algorithm", ".remote", ".findings"),
			Arrows.from(".policy", "", ".store"), Arrows.from(".advice", "", ".policy"),
			Arrows.from(".request", "", ".store", ".policy"),
			Arrows.from(".expression", "", ".policy", ".request", ".findings"),
			Arrows.from(".annotation", "", ".policy", ".request", ".expression", ".findings"),
			Arrows.from(".web", "", ".policy", ".request", ".annotation", ".expression", ".findings"),
			Arrows.from(".graphql", "", ".request", ".expression", ".web"),
			Arrows.from(".messaging", "", ".request", ".expression", ".web"),
			Arrows.from(".web.servlet", "", ".policy", ".request", ".annotation", ".expression", ".web", ".findings"),
			Arrows.from(".web.reactive", "", ".policy", ".request", ".annotation", ".expression", ".web", ".findings"),
			Arrows.from(".springdoc", "", ".annotation", ".web"),
			Arrows.from(".gateway", "", ".policy", ".request", ".expression", ".web.reactive"),
			Arrows.from(".actuate", "", ".policy", ".request", ".annotation", ".store", ".expression", ".findings",
					".simulation", ".advice"),
			Arrows.from(".autoconfigure", "", ".algorithm", ".policy", ".request", ".annotation", ".store",
					".expression", ".local", ".remote", ".redis", ".web", ".web.servlet", ".web.reactive", ".graphql",
					".messaging", ".springdoc", ".gateway", ".simulation", ".actuate", ".findings", ".advice"));

	@ParameterizedTest
	@FieldSource("ARROWS")
	void packageKnowsOnlyWhatItsArrowsPointAt(Arrows arrows) {
		String[] others = packages().filter((name) -> !name.equals(arrows.from()) && !arrows.to().contains(name))
			.map(Production.ROOT::concat)
			.toArray(String[]::new);
		noClasses().that()
			.resideInAPackage(Production.ROOT + arrows.from())
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(others)
			.check(Production.CLASSES);
	}

	@Test
	void everyPackageHasItsArrowsAndNoCycle() {
		List<String> inOrder = ARROWS.stream().map(Arrows::from).toList();
		assertThat(inOrder).containsExactlyInAnyOrderElementsOf(packages().toList());
		assertThat(ARROWS).allSatisfy(
				(arrows) -> assertThat(inOrder.subList(0, inOrder.indexOf(arrows.from()))).containsAll(arrows.to()));
	}

	@ParameterizedTest
	@CsvSource({ "'', java..", ".algorithm, java..", ".store, java..", ".advice, java..",
			".policy, org.apache.commons.logging", ".request, reactor.core.." })
	void coreIsPlainJava(String core, String besides) {
		classes().that()
			.resideInAPackage(Production.ROOT + core)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage("java..", "org.jspecify.annotations", Production.ROOT + "..", besides)
			.check(Production.CLASSES);
	}

	@ParameterizedTest
	@CsvSource({ "com.github.benmanes.caffeine.., .local", "jakarta.servlet.., .web.servlet",
			"org.springframework.web.servlet.., .web.servlet", "io.micrometer.core.., .actuate",
			"org.springframework.boot.actuate.., .actuate",
			"reactor.., .request .annotation .graphql .web.reactive .gateway", "org.reactivestreams.., .annotation",
			"org.springframework.data.redis.., .redis", "io.lettuce.., .redis", "graphql.., .graphql",
			"org.springframework.graphql.., .graphql", "io.micrometer.context.., .graphql .web.reactive",
			"org.springframework.messaging.., .messaging", "org.springdoc.., .springdoc", "io.swagger.., .springdoc",
			"org.springframework.web.socket.., .messaging", "org.springframework.cloud.., .gateway" })
	void neighbourIsKnownToItsPackagesAndTheirConfiguration(String neighbour, String knowing) {
		List<String> packages = Stream.of(knowing.split(" ")).map(Production.ROOT::concat).toList();
		noClasses().that()
			.resideOutsideOfPackages(Stream.concat(packages.stream(), Stream.of(Production.ROOT + ".autoconfigure"))
				.toArray(String[]::new))
			.should()
			.dependOnClassesThat()
			.resideInAPackage(neighbour)
			.check(Production.CLASSES);
		assertThat(packages).allMatch((name) -> Production.CLASSES.stream()
			.filter((type) -> type.getPackageName().equals(name))
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.anyMatch((dependency) -> dependency.getTargetClass()
				.getPackageName()
				.startsWith(neighbour.replace("..", ""))));
	}

	private static Stream<String> packages() {
		return Production.CLASSES.stream()
			.map((type) -> type.getPackageName().substring(Production.ROOT.length()))
			.distinct();
	}

	/**
	 * What a package may know besides itself.
	 *
	 * @param from the package, without the root's name
	 * @param to what it may know
	 */
	private record Arrows(String from, Set<String> to) {

		static Arrows from(String from, String... to) {
			return new Arrows(from, Set.of(to));
		}

	}

}
