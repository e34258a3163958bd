package io.github.ratelimit.conventions;

import java.util.List;
import java.util.stream.Stream;

import io.github.ratelimit.PackageArrows;
import io.github.ratelimit.Production;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which of the packages that know Spring knows which, and which of all packages knows a
 * neighbour that an application may not have.
 */
class ArchitectureTests extends PackageArrows {

	ArchitectureTests() {
		super(Arrows.from(".findings", ""),
				Arrows.from(".expression", "", ".support", ".policy", ".request", ".findings"),
				Arrows.from(".annotation", "", ".support", ".policy", ".request", ".expression", ".findings"),
				Arrows.from(".web.address", "", ".support", ".policy", ".findings"),
				Arrows.from(".web.rules", "", ".support", ".policy", ".request", ".expression", ".findings"),
				Arrows.from(".web", "", ".support", ".policy", ".request"),
				Arrows.from(".web.mcp", "", ".request", ".web", ".web.rules"),
				Arrows.from(".graphql", "", ".request", ".annotation", ".expression", ".web", ".web.address"),
				Arrows.from(".messaging", "", ".request", ".expression", ".web", ".web.address"),
				Arrows.from(".web.servlet", "", ".policy", ".request", ".annotation", ".expression", ".web",
						".web.address", ".web.mcp", ".web.rules", ".findings"),
				Arrows.from(".web.reactive", "", ".policy", ".request", ".annotation", ".expression", ".web",
						".web.address", ".web.mcp", ".web.rules", ".findings"),
				Arrows.from(".springdoc", "", ".annotation", ".web", ".web.rules"),
				Arrows.from(".gateway", "", ".support", ".policy", ".request", ".expression", ".findings",
						".web.reactive"),
				Arrows.from(".actuate", "", ".support", ".policy", ".request", ".store", ".expression", ".findings",
						".simulation", ".advice", ".web.address"),
				Arrows.from(".autoconfigure", "", ".support", ".algorithm", ".policy", ".request", ".annotation",
						".store", ".expression", ".local", ".remote", ".redis", ".web", ".web.address", ".web.mcp",
						".web.rules", ".web.servlet", ".web.reactive", ".springdoc", ".actuate", ".findings",
						".advice"));
	}

	@ParameterizedTest
	@CsvSource({ "com.github.benmanes.caffeine.., .local", "jakarta.servlet.., .web.servlet .actuate",
			"org.springframework.web.servlet.., .web.servlet .actuate", "io.micrometer.core.., .actuate",
			"org.springframework.boot.actuate.., .actuate",
			"reactor.., .request .annotation .graphql .web.reactive .gateway .actuate",
			"org.reactivestreams.., .annotation .web.reactive", "org.springframework.data.redis.., .redis",
			"io.lettuce.., .redis", "graphql.., .graphql", "org.springframework.graphql.., .graphql",
			"io.micrometer.context.., .graphql .web.reactive", "org.springframework.messaging.., .messaging",
			"org.springdoc.., .springdoc", "io.swagger.., .springdoc", "org.springframework.web.socket.., .messaging",
			"org.springframework.cloud.., .gateway", "tools.jackson.., .web.mcp .actuate" })
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

}
