package io.github.ratelimit;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which packages each package of a module knows.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PackageArrows {

	private final List<Arrows> arrows;

	/**
	 * Creates the tests of a module.
	 * @param arrows one for each of its packages, which knows only some of those before
	 * it, and of other modules
	 */
	protected PackageArrows(Arrows... arrows) {
		this.arrows = List.of(arrows);
	}

	List<Arrows> arrows() {
		return this.arrows;
	}

	@ParameterizedTest
	@MethodSource("arrows")
	void packageKnowsOnlyWhatItsArrowsPointAt(Arrows arrows) {
		String[] others = Production.CLASSES.stream()
			.map((type) -> type.getPackageName().substring(Production.ROOT.length()))
			.distinct()
			.filter((name) -> !name.equals(arrows.from()) && !arrows.to().contains(name))
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
		Set<String> own = Production.ownPackages();
		List<String> inOrder = this.arrows.stream().map(Arrows::from).toList();
		assertThat(inOrder).containsExactlyInAnyOrderElementsOf(own);
		for (Arrows each : this.arrows) {
			assertThat(inOrder.subList(0, inOrder.indexOf(each.from())))
				.containsAll(each.to().stream().filter(own::contains).toList());
		}
	}

	/**
	 * What a package may know besides itself.
	 *
	 * @param from the package, without the root's name
	 * @param to what it may know
	 */
	public record Arrows(String from, Set<String> to) {

		/**
		 * What a package may know.
		 * @param from the package, without the root's name
		 * @param to what it may know
		 * @return its arrows
		 */
		public static Arrows from(String from, String... to) {
			return new Arrows(from, Set.of(to));
		}

	}

}
