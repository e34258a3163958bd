package io.github.ratelimit.conventions;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.github.ratelimit.Production;
import io.github.ratelimit.algorithm.KeyState;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.blockhound.integration.BlockHoundIntegration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;

import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds for all of the code, wherever it stands.
 */
class ConventionTests {

	/* Users name these where they write the routes of Spring Cloud Gateway in code. */
	private static final Set<String> IN_ROUTES = Set.of("PolicyRateLimiter", "RateLimitGatewayFilterFactory");

	/* Other modules read these. */
	private static final Set<String> OF_OTHER_MODULES = Set.of("RateLimitAiProperties");

	@Test
	void everyPackageSaysThatNothingIsNullUnlessItSaysSo() {
		assertThat(Production.CLASSES.stream().map(JavaClass::getPackage).distinct())
			.allMatch((each) -> each.isAnnotatedWith(NullMarked.class));
	}

	@Test
	void nothingIsPrinted() {
		NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(Production.CLASSES);
		NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(Production.CLASSES);
	}

	@Test
	void onlyOneClassHoldsAThread() {
		noClasses().that()
			.doNotHaveSimpleName("DelayScheduler")
			.should()
			.callMethodWhere(DescribedPredicate.describe("hold the thread",
					(call) -> call.getTargetOwner().isEquivalentTo(LockSupport.class)
							&& call.getName().startsWith("park")
							|| call.getName().equals("sleep") && (call.getTargetOwner().isEquivalentTo(Thread.class)
									|| call.getTargetOwner().isEquivalentTo(TimeUnit.class))))
			.check(Production.CLASSES);
	}

	@Test
	void timeIsOnlyAskedOfTheClock() {
		noClasses().that()
			.doNotHaveSimpleName("SystemRateLimitClock")
			.and()
			.doNotHaveSimpleName("DelayScheduler")
			.should()
			.callMethodWhere(
					name("nanoTime").or(name("currentTimeMillis")).or(name("now")).as("ask the system for the time"))
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Date.class)
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Calendar.class)
			.check(Production.CLASSES);
	}

	/*
	 * Boot finds its configurations and properties by reflection and BlockHound what
	 * tells it something as a service, and a key's state is for stores that others write.
	 */
	@Test
	void whatNeitherAnotherPackageNorAUserCanNeedIsNotPublic() {
		List<String> needless = Production.CLASSES.stream()
			.filter((type) -> type.isTopLevelClass() && isPublic(type))
			.filter((type) -> !type.isAnnotatedWith(AutoConfiguration.class)
					&& !type.isAnnotatedWith(ConfigurationProperties.class)
					&& !type.isAssignableTo(BlockHoundIntegration.class))
			.filter((type) -> !type.isEquivalentTo(KeyState.class) && !IN_ROUTES.contains(type.getSimpleName())
					&& !OF_OTHER_MODULES.contains(type.getSimpleName()))
			.filter((type) -> !isUsedByAnotherPackage(type) && !isInSightOfUsers(type))
			.map(JavaClass::getName)
			.toList();
		assertThat(needless).isEmpty();
	}

	/*
	 * A share of all types would forbid to merge those that are not public. The last in
	 * core: applications name RateLimitThresholdEvent, RateLimitInfo,
	 * RateLimitIntervention and RateLimitInterventions, stores that others write answer
	 * with a LateCharge, and the audit and the addresses of interventions are in
	 * auto-configuration.
	 */
	@ParameterizedTest
	@CsvSource({ "core, 92", "redis, 2", "autoconfigure, 73" })
	void onlySoManyTypesOfAModuleArePublicAndEachSaysSinceWhenItIsThere(String module, int most) {
		List<JavaClass> types = Production.CLASSES.stream()
			.filter((type) -> type.isTopLevelClass() && isPublic(type))
			.filter((type) -> Files.exists(source(module, type)))
			.toList();
		assertThat(types).isNotEmpty()
			.hasSizeLessThanOrEqualTo(most)
			.allSatisfy((type) -> assertThat(source(module, type)).content().contains("\n * @since "));
	}

	private static Path source(String module, JavaClass type) {
		return Production.sources(module).resolve(type.getName().replace('.', '/') + ".java");
	}

	private static boolean isPublic(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.PUBLIC);
	}

	private static boolean isUsedByAnotherPackage(JavaClass type) {
		return type.getDirectDependenciesToSelf()
			.stream()
			.anyMatch((use) -> !use.getOriginClass().getPackage().equals(type.getPackage()));
	}

	private static boolean isInSightOfUsers(JavaClass type) {
		return Production.CLASSES.stream()
			.filter((other) -> other != type && isPublic(other))
			.flatMap((other) -> other.getMethods().stream())
			.filter((method) -> method.getModifiers().contains(JavaModifier.PUBLIC))
			.anyMatch((method) -> method.getAllInvolvedRawTypes().contains(type));
	}

}
