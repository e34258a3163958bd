package io.github.ratelimit.integration.springdoc;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * A document that is made after rules and modes have changed.
 */
@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "springdoc.cache.disabled=true", "ratelimit.policies.api.limits[0].limit=10",
				"ratelimit.policies.api.limits[0].window=1m", "ratelimit.policies.tried.limits[0].limit=10",
				"ratelimit.policies.tried.limits[0].window=1m", "ratelimit.policies.tried.mode=${tried-mode:shadow}",
				"ratelimit.rules[0].path=${limited-path:/api/**}", "ratelimit.rules[0].policy=api",
				"ratelimit.rules[1].path=/tried/*", "ratelimit.rules[1].policy=tried" })
@AutoConfigureRestTestClient
@DirtiesContext
class RefreshedApiDocsTests {

	private static final String BELOW = "$.paths['/api/{id}/items'].get.responses['429']";

	private static final String NUMBER = "$.paths['/number/{id}'].get.responses['429']";

	private static final String TRIED = "$.paths['/tried/by-rule'].get.responses['429']";

	@Autowired
	private RestTestClient client;

	@Autowired
	private ConfigurableApplicationContext context;

	@Test
	void rulesThatAreInForceAreDocumented() {
		document().jsonPath(BELOW).exists().jsonPath(NUMBER).doesNotExist().jsonPath(TRIED).doesNotExist();
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("changed", Map.of("limited-path", "/number/**", "tried-mode", "enforce")));
		this.context.publishEvent(new EnvironmentChangeEvent(this.context, Set.of("limited-path", "tried-mode")));
		document().jsonPath(BELOW).doesNotExist().jsonPath(NUMBER).exists().jsonPath(TRIED).exists();
	}

	private RestTestClient.BodyContentSpec document() {
		return this.client.get().uri("/v3/api-docs").exchange().expectStatus().isOk().expectBody();
	}

}
