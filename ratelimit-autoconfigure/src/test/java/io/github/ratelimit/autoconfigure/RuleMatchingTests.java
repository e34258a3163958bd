package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rules are not there for show: where a handler mapping reads paths as no rule can, the
 * application does not start.
 */
class RuleMatchingTests {

	private static final String RULE = """
			ratelimit:
			  policies: { login: { limits: [{ limit: 5, window: 1m }] } }
			  rules: [{ path: /login, policy: login }]
			""";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class);

	@Test
	void strategyThatMatchesTextIsExplained() {
		assertMatchesText(FailedStart.ofServer(RULE + "spring.mvc.pathmatch.matching-strategy: ant_path_matcher"));
	}

	@ParameterizedTest
	@ValueSource(classes = { WithoutParser.class, WithUrlPathHelper.class, WithPathMatcher.class })
	void configurerThatMatchesTextIsExplained(Class<?> configurer) {
		assertMatchesText(FailedStart.ofServer(RULE, configurer));
	}

	private static void assertMatchesText(FailedStart failed) {
		assertThat(failed.description())
			.startsWith("The property 'ratelimit.rules' cannot be enforced, because the handler mapping '")
			.contains("matches paths as text, by spellings that no rule matches.");
		assertThat(failed.action()).startsWith("Let everything match by parsed patterns")
			.contains("spring.mvc.pathmatch.matching-strategy", "setPatternParser(null)");
	}

	@Test
	void mappingOfAnotherLibraryThatMatchesTextIsNamed() {
		FailedStart failed = FailedStart.ofServer(RULE, OtherMapping.class);
		assertThat(failed.description())
			.contains("the handler mapping 'otherMapping' of type " + SimpleUrlHandlerMapping.class.getName());
	}

	@Test
	void mappingThatIgnoresCaseAloneIsNamed() {
		FailedStart failed = FailedStart.ofServer(RULE, CaseInsensitiveMapping.class);
		assertThat(failed.description()).contains("the handler mapping 'relaxedMapping'", "ignores case");
	}

	@Test
	void mappingOfADispatcherOfItsOwnEndsItsStart() {
		withRule().run((context) -> {
			try (AnnotationConfigWebApplicationContext child = new AnnotationConfigWebApplicationContext()) {
				child.setParent(context);
				child.setServletContext(context.getServletContext());
				child.register(OtherMapping.class);
				assertThatExceptionOfType(InvalidRateLimitException.class).isThrownBy(child::refresh)
					.withMessageContaining("otherMapping");
			}
		});
	}

	@Test
	void lazyMappingsAreLookedAtToo() {
		withRule().withUserConfiguration(OtherMapping.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(context).getFailure().isInstanceOf(InvalidRateLimitException.class));
	}

	@Test
	void withoutRulesEverythingMayMatchText() {
		this.runner.withUserConfiguration(WithoutParser.class, OtherMapping.class)
			.withPropertyValues("spring.mvc.pathmatch.matching-strategy=ant_path_matcher")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void mappingsOfSpringBootAndOfOtherKindsDoNotEndTheStart() {
		withRule().withUserConfiguration(OwnKindOfMapping.class)
			.withPropertyValues("management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static SimpleUrlHandlerMapping mapping(@Nullable PathPatternParser parser) {
		HttpRequestHandler handler = (request, response) -> response.setStatus(204);
		SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping();
		mapping.setPatternParser(parser);
		mapping.setUrlMap(Map.of("/login", handler));
		return mapping;
	}

	private WebApplicationContextRunner withRule() {
		return this.runner.withPropertyValues("ratelimit.policies.login.limits[0].limit=5",
				"ratelimit.policies.login.limits[0].window=1m", "ratelimit.rules[0].path=/login",
				"ratelimit.rules[0].policy=login");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class WithoutParser implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			configurer.setPatternParser(null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@SuppressWarnings("removal")
	static class WithUrlPathHelper implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			configurer.setUrlPathHelper(new org.springframework.web.util.UrlPathHelper());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@SuppressWarnings("removal")
	static class WithPathMatcher implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			configurer.setPathMatcher(new org.springframework.util.AntPathMatcher());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherMapping {

		@Bean
		SimpleUrlHandlerMapping otherMapping() {
			return mapping(null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CaseInsensitiveMapping {

		@Bean
		SimpleUrlHandlerMapping relaxedMapping() {
			PathPatternParser parser = new PathPatternParser();
			parser.setCaseSensitive(false);
			return mapping(parser);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnKindOfMapping {

		@Bean
		HandlerMapping ownKindOfMapping() {
			HttpRequestHandler handler = (request, response) -> response.setStatus(204);
			return (request) -> request.getServletPath().equals("/login") ? new HandlerExecutionChain(handler) : null;
		}

	}

}
