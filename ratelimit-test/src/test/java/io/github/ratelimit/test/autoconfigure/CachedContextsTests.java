package io.github.ratelimit.test.autoconfigure;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test framework keeps contexts for later test classes.
 */
class CachedContextsTests {

	@Test
	void contextsDoNotShareTheirStates() {
		RateLimiterRegistry one = registry(new TestContextManager(One.class));
		RateLimiterRegistry other = registry(new TestContextManager(Other.class));
		assertThat(one).isNotSameAs(other);
		one.decide("login", "me");
		assertThat(one.peek("login", "me").remaining()).isZero();
		assertThat(other.peek("login", "me").remaining()).isOne();
	}

	@Test
	void testClassThatSharesAContextBeginsAnew() throws Exception {
		RateLimiterRegistry one = registry(new TestContextManager(One.class));
		one.decide("login", "me");
		TestContextManager manager = new TestContextManager(OneMore.class);
		assertThat(registry(manager)).isSameAs(one);
		assertThat(one.peek("login", "me").remaining()).isZero();
		manager.beforeTestMethod(new OneMore(), OneMore.class.getDeclaredMethod("test"));
		assertThat(one.peek("login", "me").remaining()).isOne();
	}

	private static RateLimiterRegistry registry(TestContextManager manager) {
		return manager.getTestContext().getApplicationContext().getBean(RateLimiterRegistry.class);
	}

	@SpringBootTest(classes = SearchApplication.class, webEnvironment = WebEnvironment.NONE)
	static class One {

	}

	static class OneMore extends One {

		void test() {
		}

	}

	@SpringBootTest(classes = SearchApplication.class, webEnvironment = WebEnvironment.NONE, properties = "other=true")
	static class Other {

	}

}
