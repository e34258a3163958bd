package io.github.ratelimit.autoconfigure;

import java.util.List;

import io.github.ratelimit.RateLimiterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.StaticWebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The mapping is asked first about each request of the application.
 */
class RateLimitsHandlerMappingTests {

	private final ExposableWebEndpoint endpoint = mock();

	@Test
	void requestForSomethingElseLooksForNoBean() throws Exception {
		given(this.endpoint.getEndpointId()).willReturn(EndpointId.of("ratelimits"));
		given(this.endpoint.getRootPath()).willReturn("ratelimits");
		StaticWebApplicationContext context = new StaticWebApplicationContext();
		context.setServletContext(new MockServletContext());
		context.refresh();
		RateLimitsHandlerMapping mapping = new RateLimitsHandlerMapping(() -> List.of(this.endpoint),
				new EndpointMapping("/actuator"), EndpointMediaTypes.DEFAULT, null, this::registry);
		mapping.setApplicationContext(context);
		mapping.afterPropertiesSet();
		assertThat(mapping.getHandlerMethods()).isNotEmpty();
		assertThat(mapping.getHandler(new MockHttpServletRequest("GET", "/owners"))).isNull();
		assertThat(mapping.getHandler(new MockHttpServletRequest("POST", "/owners"))).isNull();
	}

	private RateLimiterRegistry registry() {
		throw new AssertionError("A bean was looked for");
	}

}
