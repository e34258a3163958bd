package io.github.ratelimit.conventions;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import io.github.ratelimit.Production;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Files that know each other in a circle are read together or not at all, so that circles
 * are small.
 */
class CircleTests {

	private static final int MOST = 6;

	/* The algorithms are a sealed family: the first of them knows all others. */
	private static final Set<String> SEALED = Set.of(Production.ROOT + ".algorithm");

	@Test
	void noMoreThanSixFilesOfAPackageKnowEachOtherInACircle() {
		Map<String, List<JavaClass>> packages = Production.CLASSES.stream()
			.collect(Collectors.groupingBy(JavaClass::getPackageName));
		Set<Set<String>> circles = new HashSet<>();
		packages.forEach((name, classes) -> {
			if (!SEALED.contains(name)) {
				circles.addAll(circles(classes));
			}
		});
		assertThat(circles).anyMatch((circle) -> circle.size() > 1);
		assertThat(circles).filteredOn((circle) -> circle.size() > MOST).isEmpty();
	}

	private static Set<Set<String>> circles(List<JavaClass> classes) {
		Map<String, Set<String>> known = classes.stream()
			.collect(Collectors.groupingBy(CircleTests::file,
					Collectors.flatMapping((type) -> type.getDirectDependenciesFromSelf()
						.stream()
						.map(Dependency::getTargetClass)
						.map(JavaClass::getBaseComponentType)
						.filter((target) -> target.getPackageName().equals(type.getPackageName()))
						.map(CircleTests::file), Collectors.toSet())));
		Map<String, Set<String>> reached = known.keySet()
			.stream()
			.collect(Collectors.toMap((file) -> file, (file) -> reached(file, known)));
		return reached.keySet()
			.stream()
			.map((file) -> reached.get(file)
				.stream()
				.filter((other) -> reached.get(other).contains(file))
				.collect(Collectors.toCollection(TreeSet::new)))
			.filter(Predicate.not(Set::isEmpty))
			.collect(Collectors.toSet());
	}

	private static Set<String> reached(String file, Map<String, Set<String>> known) {
		Set<String> reached = new HashSet<>();
		Deque<String> next = new ArrayDeque<>(known.get(file));
		while (!next.isEmpty()) {
			String other = next.pop();
			if (reached.add(other)) {
				next.addAll(known.getOrDefault(other, Set.of()));
			}
		}
		return reached;
	}

	private static String file(JavaClass type) {
		return type.getPackageName() + "." + type.getSource().flatMap((source) -> source.getFileName()).orElseThrow();
	}

}
