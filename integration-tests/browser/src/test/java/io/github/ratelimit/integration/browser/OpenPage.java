package io.github.ratelimit.integration.browser;

import java.util.List;

import io.github.ratelimit.RateLimitInterventions;
import io.github.ratelimit.RateLimitOverrides;
import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of an application that lets everybody change its limits, in a tab of its own
 * for each test.
 */
abstract class OpenPage {

	static ConfigurableApplicationContext application;

	static RateLimiterRegistry registry;

	/* The address of the page. */
	static String page;

	/* The address of its view of the policy login. */
	static String login;

	Tab tab;

	/**
	 * Starts the application.
	 * @param properties what it is configured with besides
	 */
	static void run(String... properties) {
		Tab.assumeInstalled();
		application = PageApplication.run(Secured.Open.class, properties);
		registry = application.getBean(RateLimiterRegistry.class);
		page = PageApplication.address(application, "/actuator/ratelimits/page");
		login = page + "#/policy/login";
	}

	@AfterAll
	static void stop() {
		if (application != null) {
			application.close();
		}
	}

	@BeforeEach
	void open() {
		this.tab = Tab.open();
	}

	@AfterEach
	void close() {
		takeBack();
		byHand().forEach((each) -> registry.interventions().remove(each.intervention().target()));
		try (Tab closed = this.tab) {
			assertThat(closed.problems()).isEmpty();
		}
	}

	static void takeBack() {
		registry.overrides()
			.inForce()
			.forEach((each) -> registry.overrides()
				.remove(each.override().target(), RateLimitOverrides.ANY_VERSION, null));
	}

	static List<RateLimitInterventions.InForce> byHand() {
		return registry.interventions().inForce().stream().filter((each) -> !each.configured()).toList();
	}

	final String focused() {
		return this.tab.string(
				"(({ ariaLabel, innerText, tagName }) => (ariaLabel ?? innerText ?? '') + tagName)(document.activeElement)");
	}

}
