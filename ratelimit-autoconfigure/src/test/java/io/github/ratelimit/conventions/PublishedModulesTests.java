package io.github.ratelimit.conventions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is published, and what a repository for everybody demands of it.
 */
class PublishedModulesTests {

	private static final Path ROOT = Path.of("..");

	private static final String BOM = "ratelimit-bom";

	@Test
	void theBomNamesEveryPublishedModuleAndNoOther() {
		assertThat(values(pom(BOM), "/project/dependencyManagement/dependencies/dependency/artifactId"))
			.containsExactlyInAnyOrderElementsOf(published().filter((module) -> !module.equals(BOM)).toList());
	}

	@Test
	void theBomBringsNothingElse() {
		Document bom = pom(BOM);
		assertThat(values(bom, "/project/parent")).isEmpty();
		assertThat(values(bom, "//dependency/version")).isNotEmpty().containsOnly("${project.version}");
		assertThat(values(bom, "//dependency/groupId")).containsOnly("io.github.ratelimit");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "url", "licenses", "developers", "scm", "properties/home.url", "properties/repository.url" })
	void theBomSaysOfTheProjectWhatTheParentSays(String element) {
		assertThat(values(pom(BOM), "/project/" + element)).hasSize(1)
			.isEqualTo(values(pom("."), "/project/" + element));
	}

	@ParameterizedTest
	@MethodSource("published")
	void aPublishedModuleHasANameAndADescription(String module) {
		assertThat(values(pom(module), "/project/name")).hasSize(1);
		assertThat(values(pom(module), "/project/description")).hasSize(1);
	}

	@Test
	void allModulesHaveOneVersion() throws IOException {
		List<String> version = values(pom("."), "/project/version");
		try (Stream<Path> poms = Files.find(ROOT, 3, (file, attributes) -> file.endsWith("pom.xml"))) {
			List<Path> modules = poms.map(Path::getParent)
				.map(ROOT::relativize)
				.filter((module) -> !module.startsWith(".ci"))
				.toList();
			assertThat(modules).hasSizeGreaterThan(10).allSatisfy((module) -> {
				Document pom = pom(module.toString());
				assertThat(values(pom, "/project/version|/project/parent/version")).as(module.toString())
					.isEqualTo(version);
			});
		}
	}

	static Stream<String> published() {
		return values(pom("."), "/project/modules/module").stream()
			.filter((module) -> !values(pom(module), "/project/properties/maven.deploy.skip").contains("true"));
	}

	private static Document pom(String module) {
		try {
			return DocumentBuilderFactory.newInstance()
				.newDocumentBuilder()
				.parse(ROOT.resolve(module).resolve("pom.xml").toFile());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> values(Document pom, String path) {
		try {
			NodeList nodes = (NodeList) XPathFactory.newInstance()
				.newXPath()
				.evaluate(path, pom, XPathConstants.NODESET);
			return IntStream.range(0, nodes.getLength())
				.mapToObj((index) -> nodes.item(index).getTextContent().strip())
				.toList();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
