package io.github.ratelimit.autoconfigure;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
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

/**
 * An application with views, files, a servlet of its own and the actuator, as the
 * well-known one.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(PetClinic.OwnerController.class)
class PetClinic {

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
