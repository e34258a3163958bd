package io.github.ratelimit.test.autoconfigure;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitClock;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimitPolicy;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.store.RateLimitStore;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.aot.TestContextAotGenerator;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static io.github.ratelimit.test.assertj.RateLimitAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Whatever beans an application has, a test has its clock and its outcomes.
 */
class TestBeansTests {

	@Test
	void testWithoutTheAnnotationHasNone() {
		ApplicationContext context = context(Plain.class);
		assertThat(context.getBeansOfType(RateLimitOutcomes.class)).isEmpty();
		assertThat(context.getBeansOfType(ManualClock.class)).isEmpty();
		assertThat(context.getBean(RateLimitStore.class)).isInstanceOf(LocalRateLimitStore.class);
		ApplicationContext annotated = context(Annotated.class);
		assertThat(annotated.getBeansOfType(ManualClock.class)).isEmpty();
		assertThat(annotated.getBeansOfType(RateLimitOutcomes.class)).hasSize(1);
	}

	@Test
	void testClassThatSharesAContextBeginsAnewAndOthersHaveStatesOfTheirOwn() throws Exception {
		RateLimiterRegistry one = decide(context(Plain.class));
		RateLimiterRegistry other = decide(context(Annotated.class));
		one.decide("login", "me");
		assertThat(one.peek("login", "me").remaining()).isZero();
		assertThat(other.peek("login", "me").remaining()).isOne();
		TestContextManager manager = new TestContextManager(PlainAgain.class);
		assertThat(decide(manager.getTestContext().getApplicationContext())).isSameAs(one);
		assertThat(one.peek("login", "me").remaining()).isZero();
		manager.beforeTestMethod(new PlainAgain(), PlainAgain.class.getDeclaredMethod("test"));
		assertThat(one.peek("login", "me").remaining()).isOne();
	}

	@Test
	void contextsShareNeitherClockNorOutcomes() {
		ApplicationContext one = context(Still.class);
		ApplicationContext other = context(OtherStill.class);
		one.getBean(RateLimitOutcomes.class).forceAll(RateLimitOutcome.REJECTED);
		one.getBean(ManualClock.class).advance(Duration.ofSeconds(1));
		assertThat(decide(one).decide("login", "me")).isRateLimited();
		assertThat(decide(other).decide("login", "me")).isAllowed();
		assertThat(other.getBean(ManualClock.class).nanos()).isEqualTo(ManualClock.atMidnight().nanos());
	}

	@Test
	void testsWithTheSameAnnotationShareTheirContext() {
		assertThat(context(Still.class)).isSameAs(context(StillAgain.class)).isNotSameAs(context(Annotated.class));
	}

	@Test
	void testThatForcesAndFailsLeavesNothingForced() throws Exception {
		TestContextManager manager = new TestContextManager(Failing.class);
		manager.prepareTestInstance(new Failing());
		manager.beforeTestMethod(new Failing(), Failing.class.getDeclaredMethod("test"));
		ApplicationContext context = manager.getTestContext().getApplicationContext();
		context.getBean(RateLimitOutcomes.class).forceAll(RateLimitOutcome.REJECTED);
		assertThat(decide(context).decide("login", "me")).isRateLimited();
		manager.afterTestMethod(new Failing(), Failing.class.getDeclaredMethod("test"), new AssertionError());
		assertThat(decide(context).decide("login", "me")).isAllowed();
	}

	@Test
	void dirtiedContextIsReplacedByOneWithNothingForced() throws Exception {
		TestContextManager manager = new TestContextManager(Dirtying.class);
		Dirtying test = new Dirtying();
		manager.beforeTestMethod(test, Dirtying.class.getDeclaredMethod("test"));
		ApplicationContext first = manager.getTestContext().getApplicationContext();
		first.getBean(RateLimitOutcomes.class).forceAll(RateLimitOutcome.REJECTED);
		manager.afterTestMethod(test, Dirtying.class.getDeclaredMethod("test"), null);
		ApplicationContext second = manager.getTestContext().getApplicationContext();
		assertThat(second).isNotSameAs(first);
		assertThat(decide(second).decide("login", "me")).isAllowed();
	}

	@Test
	void clockAndStoreOfTheApplicationStayForWhatAsksForTheirClass() {
		ApplicationContext context = context(OwnBeans.class);
		assertThat(context.getBean(RateLimitClock.class)).isSameAs(context.getBean(ManualClock.class));
		LocalRateLimitStore store = context.getBean(LocalRateLimitStore.class);
		assertThat(context.getBean(RateLimitStore.class)).isNotSameAs(store);
		for (int i = 0; i < 2; i++) {
			assertThat(decide(context).decide("login", "me")).isAllowed();
			store.forgetAll();
		}
		context.getBean(RateLimitOutcomes.class).force("login", RateLimitOutcome.BANNED);
		assertThat(decide(context).decide("login", "you")).isBanned();
	}

	@Test
	void beansThatAreMadeLateCanBeForced() {
		ApplicationContext context = context(Lazy.class);
		context.getBean(RateLimitOutcomes.class).force("SearchController.search", RateLimitOutcome.REJECTED);
		assertThat(decide(context).decide("SearchController.search", "me")).isRateLimited();
	}

	@Test
	void nothingCanBeForcedWhereLimitsAreTurnedOffOrAMock() {
		ApplicationContext context = context(Off.class);
		assertThat(context.getBean(ManualClock.class)).isSameAs(context.getBean(RateLimitClock.class));
		assertThatIllegalStateException()
			.isThrownBy(() -> context.getBean(RateLimitOutcomes.class).forceAll(RateLimitOutcome.REJECTED))
			.withMessageContaining("turned off");
		assertThatIllegalStateException()
			.isThrownBy(() -> context.getBean(RateLimitOutcomes.class).force("login", RateLimitOutcome.REJECTED))
			.withMessageContaining("turned off");
		assertThatIllegalStateException()
			.isThrownBy(
					() -> context(Mocked.class).getBean(RateLimitOutcomes.class).forceAll(RateLimitOutcome.REJECTED))
			.withMessageContaining("a mock");
	}

	@Test
	void policyThatComesLaterCanBeForced() {
		ApplicationContext context = context(Dirtying.class);
		decide(context).register(
				RateLimitPolicy.of("later", RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofHours(1))));
		RateLimitOutcomes outcomes = context.getBean(RateLimitOutcomes.class);
		outcomes.force("later", RateLimitOutcome.UNAVAILABLE);
		assertThat(decide(context).decide("later", "me")).isUnavailable();
		outcomes.release();
	}

	@Test
	void testsCanBeBuiltAheadOfTime() {
		new TestContextAotGenerator(new InMemoryGeneratedFiles(), new RuntimeHints(), true)
			.processAheadOfTime(Stream.of(Still.class, OwnBeans.class, Slice.class));
	}

	private static RateLimiterRegistry decide(ApplicationContext context) {
		return context.getBean(RateLimiterRegistry.class);
	}

	private static ApplicationContext context(Class<?> test) {
		return new TestContextManager(test).getTestContext().getApplicationContext();
	}

	@SpringBootTest(classes = SearchApplication.class, webEnvironment = WebEnvironment.NONE)
	static class Plain {

		void test() {
		}

	}

	static class PlainAgain extends Plain {

		@Override
		void test() {
		}

	}

	@AutoConfigureRateLimit
	static class Annotated extends Plain {

	}

	static class Failing extends Annotated {

		@Override
		void test() {
		}

	}

	@TestPropertySource(properties = "test=dirtying")
	static class Dirtying extends Annotated {

		@Override
		@DirtiesContext
		void test() {
		}

	}

	@AutoConfigureRateLimit(manualClock = true)
	static class Still extends Plain {

	}

	@AutoConfigureRateLimit(manualClock = true)
	static class StillAgain extends Plain {

	}

	@TestPropertySource(properties = { "test=other", "ratelimit.store=redis" })
	static class OtherStill extends Still {

	}

	@WebMvcTest
	@AutoConfigureRateLimit(manualClock = true)
	static class Slice {

	}

	@Import(OwnConfiguration.class)
	static class OwnBeans extends Still {

	}

	@TestPropertySource(properties = "spring.main.lazy-initialization=true")
	static class Lazy extends Annotated {

	}

	@AutoConfigureRateLimit(enabled = false, manualClock = true)
	static class Off extends Plain {

	}

	@AutoConfigureRateLimit(enabled = false)
	static class Mocked extends Plain {

		@MockitoBean
		private RateLimiterRegistry registry;

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class OwnConfiguration {

		@Bean
		@Primary
		RateLimitClock ownClock() {
			return RateLimitClock.system();
		}

		@Bean
		@Primary
		LocalRateLimitStore ownStore(RateLimitClock clock) {
			return new LocalRateLimitStore(clock, 100);
		}

	}

}
