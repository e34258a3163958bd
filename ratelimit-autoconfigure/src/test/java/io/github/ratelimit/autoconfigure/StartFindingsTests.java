package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.ratelimit.findings.RateLimitFindings;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.resource.PathResourceResolver;
import org.springframework.web.servlet.view.InternalResourceView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is found when an application starts: each mistake gives its code and no other, and
 * an application without a mistake gives none.
 */
class StartFindingsTests {

	private static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
			+ "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration,"
			+ "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration,"
			+ "org.springframework.boot.graphql.autoconfigure.GraphQlAutoConfiguration,"
			+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

	private static final String[] POLICY = { "ratelimit.policies.login.limits[0].limit=5",
			"ratelimit.policies.login.limits[0].window=1m" };

	private static final String OWNERS = "ratelimit.rules[0].path=/owners/{id}";

	private static final String KUBERNETES = "spring.main.cloud-platform=kubernetes";

	private static final String OWN_STORE = "test.store=true";

	@Test
	void applicationWithoutMistakesGivesNone() {
		assertThat(codes(OWNERS, "management.endpoints.web.exposure.include=*")).isEmpty();
	}

	@Test
	void rulesOfPathsThatAreServedGiveNone() {
		assertThat(codes(rules("/**", "/owners/**", "/owners/*/pets", "/OWNERS/new", "/own*/{*rest}", "/styles.css",
				"/", "/error", "/outside/it", "/actuator/health")))
			.isEmpty();
	}

	@Test
	void rulesThatMatchNoHandlerAreFound() {
		assertThat(codes(rules("/onwers/{id}", "/owners", "/owners/1/pets/2", "/login"))).containsExactly("RL001 login",
				"RL001 login", "RL001 login", "RL001 login");
	}

	@Test
	void ruleWhoseMethodIsNoHandlersIsFound() {
		assertThat(codes(OWNERS, "ratelimit.rules[0].methods=DELETE")).containsExactly("RL001 login");
	}

	@Test
	void pathsThatSpringSecurityAnswersAreServed() {
		assertThat(codes("spring.autoconfigure.exclude=", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].methods=POST"))
			.isEmpty();
	}

	@Test
	void pathThatOnlyBeginsAsOneOfSpringSecurityIsFound() {
		assertThat(codes("spring.autoconfigure.exclude=", "test.security=true", "ratelimit.rules[0].path=/ent"))
			.containsExactly("RL001 login");
	}

	@Test
	void patternThatMatchesAPathOfSpringSecurityIsServed() {
		assertThat(codes("spring.autoconfigure.exclude=", "test.security=true", "ratelimit.rules[0].path=/{form}er"))
			.isEmpty();
	}

	@Test
	void pathsThatFormsOfSpringSecurityAreSentToAreServed() {
		assertThat(codes("spring.autoconfigure.exclude=", "test.security=true", "ratelimit.rules[0].path=/enter",
				"ratelimit.rules[0].methods=POST", "ratelimit.rules[1].path=/leave", "ratelimit.rules[1].policy=login"))
			.isEmpty();
	}

	@Test
	void ruleThatMatchesNoHandlerBehindSpringSecurityIsFound() {
		assertThat(codes("spring.autoconfigure.exclude=", "test.security=true", "ratelimit.rules[0].path=/entre"))
			.containsExactly("RL001 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "test.proxy=/*", "test.proxy=/shop/*", "test.servlet=/shop/*", "test.router=true",
			"test.fallback=true", "test.default-handler=true", "test.proxy-bean=true" })
	void pathsThatMayBeServedInAnotherWayGiveNone(String property) {
		assertThat(codes("ratelimit.rules[0].path=/shop/orders", property)).isEmpty();
	}

	@Test
	void pathsThatAFilterIsNotMappedToAreFound() {
		assertThat(codes("ratelimit.rules[0].path=/shop/orders", "test.proxy=/stock/*")).containsExactly("RL001 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "page", "simulate" })
	void policyWithANameOfTheEndpointIsFound(String name) {
		assertThat(codes(OWNERS, "management.endpoints.web.exposure.include=*",
				"ratelimit.policies." + name + ".limit=5", "ratelimit.policies." + name + ".window=1m",
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=" + name))
			.containsExactly("RL025 " + name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "pages", "override" })
	void policyWithAnotherNameGivesNone(String name) {
		assertThat(codes(OWNERS, "management.endpoints.web.exposure.include=*",
				"ratelimit.policies." + name + ".limit=5", "ratelimit.policies." + name + ".window=1m",
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=" + name))
			.isEmpty();
	}

	@Test
	void policyWithANameOfAnEndpointThatIsNotThereGivesNone() {
		assertThat(codes("ratelimit.policies.simulate.limit=5", "ratelimit.policies.simulate.window=1m", OWNERS,
				"ratelimit.rules[1].path=/owners/*/pets", "ratelimit.rules[1].policy=simulate"))
			.isEmpty();
	}

	@Test
	void policyThatNobodyUsesIsFound() {
		assertThat(codes()).containsExactly("RL002 login");
	}

	@Test
	void rulesThatNothingEnforcesAreFound() {
		assertThat(codes(WebApplicationType.NONE, OWNERS, "ratelimit.rules[0].policy=login"))
			.containsExactly("RL003 null");
	}

	@Test
	void propertiesOfNoPolicyAreFound() {
		StandardEnvironment environment = new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of("RATELIMIT_POLICIES_SEARCHCONTROLLER_SEARCH_LIMIT", "10");
			}

		};
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(RateLimitAutoConfiguration.class)
			.web(WebApplicationType.NONE)
			.environment(environment)
			.run()) {
			assertThat(codes(context)).containsExactly("RL004 null");
		}
	}

	@Test
	void rulesForPreflightsAreFound() {
		assertThat(codes(OWNERS, "ratelimit.rules[0].methods=GET, OPTIONS")).containsExactly("RL006 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/**", "/actuator/health", "/actuator/{endpoint}/liveness" })
	void rulesForProbesOfAPlatformAreFound(String path) {
		assertThat(codes("ratelimit.rules[0].path=" + path, KUBERNETES, OWN_STORE)).containsExactly("RL007 login");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ratelimit.rules[0].methods=POST", "ratelimit.rules[0].condition=true",
			"management.server.port=0", "server.address=127.0.0.1", "ratelimit.policies.login.mode=shadow" })
	void rulesThatLeaveProbesOutGiveNone(String property) {
		assertThat(codes("ratelimit.rules[0].path=/**", KUBERNETES, OWN_STORE, property)).isEmpty();
	}

	@Test
	void endpointThatAnybodyCanUseIsFound() {
		assertThat(codes(OWNERS, KUBERNETES, OWN_STORE, "management.endpoints.web.exposure.include=ratelimits"))
			.containsExactly("RL008 null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.ratelimits.access=read-only", "management.server.port=0",
			"server.address=127.0.0.1", "spring.autoconfigure.exclude=" })
	void endpointThatNotAnybodyCanUseGivesNone(String property) {
		assertThat(
				codes(OWNERS, KUBERNETES, OWN_STORE, "management.endpoints.web.exposure.include=ratelimits", property))
			.isEmpty();
	}

	@Test
	void localStoreOnAPlatformIsFound() {
		assertThat(codes(OWNERS, KUBERNETES)).containsExactly("RL009 null");
	}

	@Test
	void forwardedFieldsThatTomcatAppliesTooAreFound() {
		assertThat(codes(OWNERS, "ratelimit.client-address.trusted-proxies=10.0.0.0/8",
				"server.tomcat.remoteip.remote-ip-header=X-Forwarded-For"))
			.containsExactly("RL013 null");
	}

	@Test
	void forwardedFieldsThatAFilterAppliesTooAreFound() {
		assertThat(codes(OWNERS, "ratelimit.client-address.trusted-proxies=10.0.0.0/8", "test.forwarded=true"))
			.containsExactly("RL013 null");
	}

	/**
	 * A test without a server, which may have only a part of the application.
	 */
	@Nested
	@SpringBootTest(classes = PetClinic.class,
			properties = { WITHOUT_SECURITY, "ratelimit.policies.login.limit=5", "ratelimit.policies.login.window=1m",
					"ratelimit.rules[0].path=/console", "ratelimit.rules[0].policy=login" })
	class WithoutServerTests {

		@Test
		void rulesOfWhatIsNotThereGiveNone(@Autowired ConfigurableApplicationContext context) {
			assertThat(codes(context)).isEmpty();
		}

	}

	/**
	 * A test on a machine of Kubernetes, such as that of a build, which is no deployment.
	 */
	@Nested
	@SpringBootTest(classes = PetClinic.class,
			properties = { WITHOUT_SECURITY, "ratelimit.policies.login.limit=5", "ratelimit.policies.login.window=1m",
					"ratelimit.rules[0].path=/**", "ratelimit.rules[0].policy=login",
					"management.endpoints.web.exposure.include=ratelimits,health" })
	@ContextConfiguration(initializers = OnKubernetes.class)
	class OnKubernetesTests {

		@Test
		void testThatRunsOnAPlatformIsNoDeployment(@Autowired ConfigurableApplicationContext context) {
			assertThat(CloudPlatform.getActive(context.getEnvironment())).isEqualTo(CloudPlatform.KUBERNETES);
			assertThat(codes(context)).isEmpty();
		}

		@Test
		void applicationThatRunsThereIsOne() {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PetClinic.class)
				.initializers(new OnKubernetes())
				.properties("server.port=0", "logging.level.root=warn", WITHOUT_SECURITY,
						"management.endpoints.web.exposure.include=ratelimits,health", "ratelimit.rules[0].path=/**",
						"ratelimit.rules[0].policy=login")
				.properties(POLICY)
				.run()) {
				assertThat(codes(context)).containsExactlyInAnyOrder("RL007 login", "RL008 null", "RL009 null");
			}
		}

	}

	static class OnKubernetes implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			context.getEnvironment()
				.getPropertySources()
				.replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment",
						Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1", "KUBERNETES_SERVICE_PORT", "443")));
		}

	}

	private static String[] rules(String... paths) {
		return IntStream.range(0, paths.length)
			.boxed()
			.flatMap((i) -> Stream.of("ratelimit.rules[" + i + "].path=" + paths[i],
					"ratelimit.rules[" + i + "].policy=login"))
			.toArray(String[]::new);
	}

	private static List<String> codes(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		if (all.stream().anyMatch((property) -> property.startsWith("ratelimit.rules"))) {
			all.add("ratelimit.rules[0].policy=login");
		}
		return codes(WebApplicationType.SERVLET, all.toArray(String[]::new));
	}

	private static List<String> codes(WebApplicationType type, String... properties) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PetClinic.class).web(type)
			.properties("server.port=0", "spring.main.banner-mode=off", "logging.level.root=warn", WITHOUT_SECURITY)
			.properties(POLICY)
			.properties(properties)
			.run()) {
			return codes(context);
		}
	}

	private static List<String> codes(ConfigurableApplicationContext context) {
		return context.getBean(RateLimitFindings.class)
			.list()
			.stream()
			.map((finding) -> finding.code().id() + " " + finding.policy())
			.toList();
	}

	/**
	 * An application with views, files, a servlet of its own and the actuator, as the
	 * well-known one.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OwnerController.class)
	static class PetClinic {

		@Bean
		@ConditionalOnProperty("test.store")
		FixedAnswerStore store() {
			return new FixedAnswerStore();
		}

		@Bean
		ServletRegistrationBean<HttpServlet> outside() {
			return new ServletRegistrationBean<>(new HttpServlet() {
			}, "/outside/*");
		}

		@Bean
		@ConditionalOnProperty("test.proxy")
		FilterRegistrationBean<Filter> proxy(@Value("${test.proxy}") String pattern) {
			FilterRegistrationBean<Filter> proxy = new FilterRegistrationBean<>(
					(request, response, chain) -> chain.doFilter(request, response));
			proxy.addUrlPatterns(pattern);
			return proxy;
		}

		@Bean
		@ConditionalOnProperty("test.proxy-bean")
		DelegatingFilterProxyRegistrationBean proxyBean() {
			return new DelegatingFilterProxyRegistrationBean("mvcProxy");
		}

		@Bean
		@ConditionalOnProperty("test.servlet")
		ServletRegistrationBean<HttpServlet> shop(@Value("${test.servlet}") String pattern) {
			return new ServletRegistrationBean<>(new HttpServlet() {
			}, pattern);
		}

		@Bean
		@ConditionalOnProperty("test.router")
		RouterFunction<ServerResponse> router() {
			return RouterFunctions.route().GET("/shop/{page}", (request) -> ServerResponse.ok().build()).build();
		}

		@Bean
		@ConditionalOnProperty("test.default-handler")
		SimpleUrlHandlerMapping defaultHandler() {
			SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping();
			mapping.setDefaultHandler((HttpRequestHandler) (request, response) -> response.setStatus(204));
			mapping.setOrder(Ordered.LOWEST_PRECEDENCE);
			return mapping;
		}

		@Bean
		@ConditionalOnProperty("test.fallback")
		WebMvcConfigurer fallback() {
			return new WebMvcConfigurer() {

				@Override
				public void addResourceHandlers(ResourceHandlerRegistry registry) {
					registry.addResourceHandler("/**")
						.addResourceLocations("classpath:/static/")
						.resourceChain(false)
						.addResolver(new PathResourceResolver() {
						});
				}

			};
		}

		@Bean
		@ConditionalOnProperty("test.security")
		SecurityFilterChain security(HttpSecurity http) {
			return http.formLogin((form) -> form.loginPage("/owners/1").loginProcessingUrl("/enter"))
				.logout((logout) -> logout.logoutUrl("/leave"))
				.build();
		}

		@Bean
		@ConditionalOnProperty("test.forwarded")
		FilterRegistrationBean<ForwardedHeaderFilter> forwarded() {
			return new FilterRegistrationBean<>(new ForwardedHeaderFilter());
		}

	}

	@Controller
	static class OwnerController {

		@GetMapping("/")
		InternalResourceView welcome() {
			return new InternalResourceView("/welcome.html");
		}

		@GetMapping("/owners/{ownerId}")
		@ResponseBody
		String owner() {
			return "George";
		}

		@PostMapping("/owners/new")
		@ResponseBody
		String create() {
			return "created";
		}

		@GetMapping("/owners/{ownerId}/pets")
		@ResponseBody
		String pets() {
			return "Leo";
		}

	}

}
