package io.github.ratelimit.integration.documentation;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Snippets that are neither Java nor configuration: what of them is checked, and why the
 * rest is not.
 */
class OtherSnippetTests {

	static final List<Snippet> XML = Snippet.in("xml");

	static final List<Snippet> JSON = Snippet.in("json");

	private static final Pattern RELEASED = Pattern.compile("(?m)^## (\\S+) \\(\\d");

	private static final Pattern MODULE = Pattern.compile("-pl (\\S+)");

	private static final Map<String, String> CHECKED_ELSEWHERE = Map.of("console", "the sample's ReadmeTests runs them",
			"promql", "a Prometheus is asked in integration-tests/prometheus", "kotlin",
			"integration-tests/kotlin has them in its sources", "",
			"output and commands of Redis, whose ACL has a test of its own");

	private static final Map<String, String> NOT_CHECKED = Map.of("html", "htmx is not among the dependencies",
			"groovy", "Gradle is not, either; the coordinates are those of the XML beside it");

	@Test
	void everySnippetIsCheckedOrThereIsAReason() {
		List<String> known = new ArrayList<>(List.of("java", "yaml", "properties", "xml", "shell", "json"));
		known.addAll(CHECKED_ELSEWHERE.keySet());
		known.addAll(NOT_CHECKED.keySet());
		assertThat(Snippet.all())
			.allSatisfy((snippet) -> assertThat(snippet.language()).as(snippet.toString()).isIn(known));
	}

	@Test
	void transcriptsAreWhereTheyRun() {
		assertThat(Snippet.in("console")).extracting((snippet) -> snippet.page().toString())
			.containsOnly("README.md", "docs/sample.md");
	}

	@ParameterizedTest
	@FieldSource("XML")
	void dependenciesOfThisProjectExist(Snippet snippet) throws Exception {
		DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
		Element project = parser.parse(Snippet.ROOT.resolve("pom.xml").toFile()).getDocumentElement();
		Document document = parser.parse(new InputSource(new StringReader("<all>" + snippet.text() + "</all>")));
		List<Element> dependencies = elements(document.getDocumentElement(), "dependency");
		assertThat(dependencies).as(snippet.toString()).isNotEmpty();
		for (Element dependency : dependencies) {
			if (text(dependency, "groupId").equals(text(project, "groupId"))) {
				assertThat(elements(project, "module").stream().map(Element::getTextContent)).as(snippet.toString())
					.contains(text(dependency, "artifactId"));
				assertThat(text(dependency, "version")).as(snippet.toString()).isEqualTo(newestRelease(project));
			}
		}
	}

	/*
	 * While a snapshot is built, pages name the release before it.
	 */
	private static String newestRelease(Element project) throws IOException {
		String version = text(project, "version");
		if (!version.endsWith("-SNAPSHOT")) {
			return version;
		}

		Matcher released = RELEASED.matcher(Files.readString(Snippet.ROOT.resolve("CHANGELOG.md")));
		assertThat(released.find()).as("a release in CHANGELOG").isTrue();
		return released.group(1);
	}

	/*
	 * The commands themselves take minutes. README's are the ones that the build runs on.
	 */
	@Test
	void modulesOfCommandsExist() throws IOException {
		for (Path page : Snippet.pages()) {
			assertThat(MODULE.matcher(Files.readString(page)).results()).as(page.toString())
				.allSatisfy((module) -> assertThat(Snippet.ROOT.resolve(module.group(1)).resolve("pom.xml"))
					.isRegularFile());
		}
	}

	@ParameterizedTest(allowZeroInvocations = true)
	@FieldSource("JSON")
	void jsonIsValid(Snippet snippet) {
		assertThat(new JsonMapper().readTree(snippet.text()).isContainer()).as(snippet.toString()).isTrue();
	}

	private static List<Element> elements(Element parent, String name) {
		List<Element> elements = new ArrayList<>();
		for (int i = 0; i < parent.getElementsByTagName(name).getLength(); i++) {
			elements.add((Element) parent.getElementsByTagName(name).item(i));
		}
		return elements;
	}

	private static String text(Element parent, String name) {
		List<Element> elements = elements(parent, name);
		return elements.isEmpty() ? "" : elements.get(0).getTextContent();
	}

}
