package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * What is found when {@link PetClinic} starts: the code of each finding, and the policy
 * that it is about.
 */
final class FindingCodes {

	static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
			+ "org.springframework.boot.graphql.autoconfigure.GraphQlAutoConfiguration,"
			+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

	static final String[] POLICY = { "ratelimit.policies.login.limits[0].limit=5",
			"ratelimit.policies.login.limits[0].window=1m" };

	/** A rule for what the application has. */
	static final String OWNERS = "ratelimit.rules[0].path=/owners/{id}";

	private FindingCodes() {
	}

	/*
	 * The first rule needs no policy.
	 */
	static List<String> of(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		if (all.stream().anyMatch((property) -> property.startsWith("ratelimit.rules"))) {
			all.add("ratelimit.rules[0].policy=login");
		}
		return of(WebApplicationType.SERVLET, all.toArray(String[]::new));
	}

	static List<String> of(WebApplicationType type, String... properties) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PetClinic.class).web(type)
			.properties("server.port=0", "spring.main.banner-mode=off", "logging.level.root=warn", WITHOUT_SECURITY)
			.properties(POLICY)
			.properties(properties)
			.run()) {
			return of(context);
		}
	}

	static List<String> of(ConfigurableApplicationContext context) {
		return context.getBean(RateLimitFindings.class)
			.list()
			.stream()
			.map((finding) -> finding.code().id() + " " + finding.policy())
			.toList();
	}

}
