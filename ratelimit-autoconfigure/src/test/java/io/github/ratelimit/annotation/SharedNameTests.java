package io.github.ratelimit.annotation;

import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.FindingCode;
import io.github.ratelimit.findings.RateLimitFinding;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods whose policies would have the same name are found, as the order in which they
 * are read decides what they are called.
 */
class SharedNameTests {

	private final RateLimitFindings findings = new RateLimitFindings();

	private final RateLimiterRegistry registry = new StoreRateLimiterRegistry(
			new LocalRateLimitStore(ManualClock.atMidnight(), 10), List.of());

	private final RateLimitedMethods methods = methods(this.registry, this.findings);

	private static RateLimitedMethods methods(RateLimiterRegistry registry, RateLimitFindings findings) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		PolicyBinder binder = new PolicyBinder(beans, PolicyBinder.defaultKey("clientAddress", beans));
		return new RateLimitedMethods(registry, binder, (text) -> text, findings, (policy) -> {
		});
	}

	@Test
	void methodsOfClassesWithTheSameNameAreFound() {
		find(Shop.Orders.class, "find");
		assertThat(this.findings.list()).isEmpty();
		find(Archive.Orders.class, "find");
		assertThat(this.findings.list()).containsExactly(new RateLimitFinding(FindingCode.SHARED_NAME, "Orders.find",
				"The policies of " + Archive.Orders.class.getName() + ".find and " + Shop.Orders.class.getName()
						+ ".find would both be named 'Orders.find'."));
	}

	@Test
	void methodsWithANameOfTheirOwnAreNoFinding() {
		find(Shop.Orders.class, "named");
		find(Archive.Orders.class, "named");
		assertThat(this.findings.list()).isEmpty();
	}

	@Test
	void otherMethodsOfAClassAreNoFinding() {
		find(Shop.Orders.class, "find");
		find(Shop.Orders.class, "named");
		find(Shop.Orders.class, "twice");
		assertThat(this.registry.policies()).hasSize(4);
		assertThat(this.findings.list()).isEmpty();
	}

	private void find(Class<?> type, String method) {
		this.methods.find(ReflectionUtils.findMethod(type, method), type);
	}

	static class Shop {

		static class Orders {

			@RateLimited(limit = 1, window = "1m")
			public void find() {
			}

			@RateLimited(name = "shop", limit = 1, window = "1m")
			public void named() {
			}

			@RateLimited(limit = 1, window = "1m")
			@RateLimited(key = "'all'", limit = 1, window = "1m")
			public void twice() {
			}

		}

	}

	static class Archive {

		static class Orders {

			@RateLimited(limit = 1, window = "1m")
			public void find() {
			}

			@RateLimited(name = "archive", limit = 1, window = "1m")
			public void named() {
			}

		}

	}

}
