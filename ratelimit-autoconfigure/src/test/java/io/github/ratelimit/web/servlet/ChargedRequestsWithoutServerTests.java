package io.github.ratelimit.web.servlet;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitSettlement;
import io.github.ratelimit.RateLimiter;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMvcAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration;
import io.github.ratelimit.testserver.Handlers;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Requests that are charged by their outcome in an application's tests with MockMvc,
 * where no server tells that it has done with a request.
 */
class ChargedRequestsWithoutServerTests {

	@ParameterizedTest
	@CsvSource({ "/free, 200, 5", "/missing, 404, 4", "/fail, 0, 4", "/annotated, 429, 5" })
	void aRequestIsSettledWithItsFilters(String path, int status, long remaining) {
		run((context) -> {
			context.getBean(RateLimiterRegistry.class).decide("Handlers.annotated", "127.0.0.1");
			MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).addFilters(filter(context)).build();
			assertThat(status(mvc, path)).isEqualTo(status);
			RateLimiter errors = context.getBean(RateLimiterRegistry.class).policy("errors");
			assertThat(errors.peek("all").remaining()).isEqualTo(remaining);
			assertThat(errors.settlements(RateLimitSettlement.KEPT)).isEqualTo((remaining < 5) ? 1 : 0);
		});
	}

	@ParameterizedTest
	@CsvSource({ "/free, 99", "/free?export=all, 50", "/free?export=all&export=x, 50", "/free?export=x&export=all, 50",
			"/free?export=x&export=all&export=y, 50", "/missing?export=all&export=x, 100" })
	void aParameterWithSeveralValuesIsChargedByTheDearest(String path, long remaining) {
		String cost = "parameter('export') == 'all' ? 50 : 1";
		runner().withPropertyValues("ratelimit.policies.exports.limit=100", "ratelimit.policies.exports.window=1h",
				"ratelimit.policies.exports.key='all'",
				"ratelimit.policies.exports.charge=status < 400 ? (" + cost + ") : 0", "ratelimit.rules[1].path=/**",
				"ratelimit.rules[1].policy=exports", "ratelimit.rules[1].cost=" + cost)
			.run((context) -> {
				MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).addFilters(filter(context)).build();
				status(mvc, path);
				RateLimiter exports = context.getBean(RateLimiterRegistry.class).policy("exports");
				assertThat(exports.peek("all").remaining()).isEqualTo(remaining);
			});
	}

	@Test
	void aRequestThatAnotherThreadCompletesMeanwhileIsSettled() {
		MockHttpServletRequest completed = new MockHttpServletRequest("GET", "/free") {

			@Override
			public boolean isAsyncStarted() {
				return true;
			}

			@Override
			public AsyncContext getAsyncContext() {
				throw new IllegalStateException("complete");
			}

		};
		run((context) -> {
			filter(context).doFilter(completed, new MockHttpServletResponse(), (request, response) -> {
			});
			RateLimiter errors = context.getBean(RateLimiterRegistry.class).policy("errors");
			assertThat(errors.peek("all").remaining()).isEqualTo(5);
			assertThat(errors.settlements(RateLimitSettlement.RETURNED)).isEqualTo(1);
		});
	}

	@Test
	void aRequestWhoseRejectionCannotBeAnsweredHasFailed() {
		RateLimitRejectionHandler failing = (request, response, policy, decision) -> {
			throw new IllegalStateException("expected by the test");
		};
		runner().withBean(RateLimitRejectionHandler.class, () -> failing).run((context) -> {
			RateLimiterRegistry registry = context.getBean(RateLimiterRegistry.class);
			RateLimiter other = registry.policy("Handlers.annotated");
			RateLimitExceededException rejection = new RateLimitExceededException(other.policy(),
					other.decide("all", 1));
			assertThatIllegalStateException()
				.isThrownBy(() -> filter(context).doFilter(new MockHttpServletRequest("GET", "/free"),
						new MockHttpServletResponse(), (request, response) -> {
							throw rejection;
						}));
			RateLimiter errors = registry.policy("errors");
			assertThat(errors.peek("all").remaining()).isEqualTo(4);
			assertThat(errors.settlements(RateLimitSettlement.KEPT)).isEqualTo(1);
		});
	}

	private static Filter filter(ApplicationContext context) {
		return context.getBean("io.github.ratelimit.RateLimitFilter", FilterRegistrationBean.class).getFilter();
	}

	private static void run(ContextConsumer<AssertableWebApplicationContext> test) {
		runner().run(test);
	}

	private static WebApplicationContextRunner runner() {
		return new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class,
							RateLimitServletAutoConfiguration.class, RateLimitMvcAutoConfiguration.class,
							WebMvcAutoConfiguration.class, DispatcherServletAutoConfiguration.class))
			.withPropertyValues("ratelimit.policies.errors.limit=5", "ratelimit.policies.errors.window=1h",
					"ratelimit.policies.errors.key='all'", "ratelimit.policies.errors.charge=status >= 400",
					"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=errors")
			.withUserConfiguration(Handlers.class);
	}

	private static int status(MockMvc mvc, String path) {
		try {
			MvcResult result = mvc.perform(MockMvcRequestBuilders.get(path)).andReturn();
			return result.getResponse().getStatus();
		}
		catch (Exception ex) {
			assertThat(ex).hasRootCauseMessage("expected by the test");
			return 0;
		}
	}

}
