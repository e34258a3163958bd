package io.github.ratelimit.testserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.web.servlet.RateLimitRejectionHandler;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.ConfigurableServletWebServerFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.FileUrlResource;
import org.springframework.http.MediaType;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * What applications say to Spring MVC and the servlet API. {@link ReactiveParts} has the
 * same parts.
 */
public final class ServletParts {

	private ServletParts() {
	}

	@Configuration(proxyBeanMethods = false)
	static class Functions {

		@Bean
		RouterFunction<ServerResponse> functions() {
			return RouterFunctions.route()
				.GET("/functional/{id}", (request) -> ServerResponse.ok().body(request.pathVariable("id")))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Sorry {

		/* It may need Spring MVC itself. */
		@Bean
		RateLimitRejectionHandler sorry(List<HandlerMapping> mappings) {
			return (request, response, policy, decision) -> {
				response.setStatus(503);
				response.getWriter().write("sorry: " + policy.name() + " " + decision.retryAfter());
			};
		}

	}

	@RestController
	static class Sessions {

		@GetMapping("/session")
		String session(HttpSession session) {
			return session.getId();
		}

	}

	@RestController
	static class Uploads {

		@RateLimited(limit = 1, window = "1h")
		@PostMapping("/upload")
		String upload(@RequestPart String title, @RequestPart MultipartFile file) throws IOException {
			return title + " " + new String(file.getBytes(), StandardCharsets.US_ASCII);
		}

	}

	/**
	 * Everybody has a name and the password {@code secret}, and nobody is an
	 * administrator.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(SecuredUsers.class)
	static class Secured {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/admin").hasRole("ADMIN").anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * Users log in by a form, or with each request.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(SecuredUsers.class)
	static class Logins {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.formLogin(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * Users log in with each request, by a field that is none of HTTP's own. Pages of all
	 * origins are told so by Spring MVC.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ SecuredUsers.class, CorsMappings.class })
	static class LoginsByField {

		@Bean
		AuthenticationManager manager(UserDetailsService users, PasswordEncoder passwords) {
			return SecuredUsers.manager(users, passwords);
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http, AuthenticationManager manager) {
			AuthenticationFilter filter = new AuthenticationFilter(manager,
					(request) -> SecuredUsers.credentials(request.getHeader(SecuredUsers.FIELD)));
			filter.setSuccessHandler((request, response, user) -> {
			});
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.addFilterBefore(filter, AuthorizationFilter.class)
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CorsMappings implements WebMvcConfigurer {

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**").allowedOrigins(Stack.ORIGIN);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CorsOfSecurity {

		@Bean
		UrlBasedCorsConfigurationSource corsConfigurationSource() {
			CorsConfiguration configuration = new CorsConfiguration();
			configuration.setAllowedOrigins(List.of(Stack.ORIGIN));
			configuration.setAllowedMethods(List.of("GET"));
			UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
			source.registerCorsConfiguration("/**", configuration);
			return source;
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.cors(Customizer.withDefaults())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CorsFilter {

		@Bean
		FilterRegistrationBean<org.springframework.web.filter.CorsFilter> corsFilter() {
			FilterRegistrationBean<org.springframework.web.filter.CorsFilter> registration = new FilterRegistrationBean<>(
					new org.springframework.web.filter.CorsFilter(new CorsOfSecurity().corsConfigurationSource()));
			registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		FilterRegistrationBean<Filter> early() {
			return Registrations.filter(Ordered.HIGHEST_PRECEDENCE, (request, response, chain) -> {
				if (request.getHeader("X-Answer") != null) {
					response.setStatus(403);
				}
				else {
					chain.doFilter(request, response);
				}
			});
		}

	}

	/** Shows in the answer that it has seen the request. */
	@Configuration(proxyBeanMethods = false)
	static class Seeing {

		@Bean
		FilterRegistrationBean<Filter> seeing() {
			return Registrations.filter(-1000, (request, response, chain) -> {
				response.setHeader("X-Seen", "true");
				chain.doFilter(request, response);
			});
		}

	}

	/**
	 * Serves something in each of the ways that Spring MVC knows, and with other
	 * servlets.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Paths implements WebMvcConfigurer {

		private final Path directory;

		Paths(@Value("${paths.directory}") Path directory) {
			this.directory = directory;
		}

		@Override
		public void addViewControllers(ViewControllerRegistry registry) {
			registry.addViewController("/view").setViewName("servedView");
		}

		@Override
		public void addResourceHandlers(ResourceHandlerRegistry registry) {
			registry.addResourceHandler("/classpath/**").addResourceLocations("classpath:/classpath-content/");
			registry.addResourceHandler("/filesystem/**")
				.addResourceLocations(new FileSystemResource(this.directory + "/filesystem/"));
			registry.addResourceHandler("/url/**").addResourceLocations("file:" + this.directory + "/url/");
			registry.addResourceHandler("/jar/**")
				.addResourceLocations("jar:file:" + this.directory + "/content.jar!/content/");
			registry.addResourceHandler("/servletcontext/**").addResourceLocations("/public/");
		}

		@Bean
		WebServerFactoryCustomizer<ConfigurableServletWebServerFactory> documentRoot() {
			return (factory) -> factory.setDocumentRoot(this.directory.resolve("root").toFile());
		}

		@Bean
		View servedView() {
			return new View() {

				@Override
				public String getContentType() {
					return MediaType.TEXT_PLAIN_VALUE;
				}

				@Override
				public void render(@Nullable Map<String, ?> model, HttpServletRequest request,
						HttpServletResponse response) throws IOException {
					response.getWriter().write("served:view");
				}

			};
		}

		@Bean("/named")
		HttpRequestHandler named() {
			return (request, response) -> response.getWriter().write("served:named");
		}

		@Bean
		SimpleUrlHandlerMapping simpleMapping() {
			HttpRequestHandler handler = (request, response) -> {
				if ("one".equals(request.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE))) {
					response.getWriter().write("served:simple");
				}
			};
			return new SimpleUrlHandlerMapping(Map.of("/simple/*", handler), 0);
		}

		@Bean
		RouterFunction<ServerResponse> routes() throws IOException {
			return RouterFunctions.route()
				.GET("/functional/{id}",
						(request) -> request.pathVariable("id").equals("one")
								? ServerResponse.ok().body("served:functional") : ServerResponse.notFound().build())
				.path("/outer",
						(outer) -> outer.GET("/inner", (request) -> ServerResponse.ok().body("served:nestedroute")))
				.resources("/routed/file/**", new FileSystemResource(this.directory + "/routedfile/"))
				.resources("/routed/url/**", new FileUrlResource(this.directory + "/routedurl/"))
				.resources("/routed/class/**", new ClassPathResource("routed-content/"))
				.build();
		}

		@Bean
		ServletRegistrationBean<HttpServlet> plainServlet() {
			return servlet("plain", "/login", "/plain/*");
		}

		@Bean
		ServletRegistrationBean<HttpServlet> extensionServlet() {
			return servlet("extension", "/any/thing.raw", "*.raw");
		}

		@Bean
		ServletRegistrationBean<HttpServlet> exactServlet() {
			return servlet("exact", "/exact", "/exact");
		}

		private static ServletRegistrationBean<HttpServlet> servlet(String name, String path, String mapping) {
			ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(
					new PlainServlet(name, path), mapping);
			registration.setName(name);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CaseInsensitive implements WebMvcConfigurer {

		@Override
		public void configurePathMatch(PathMatchConfigurer configurer) {
			PathPatternParser parser = new PathPatternParser();
			parser.setCaseSensitive(false);
			configurer.setPatternParser(parser);
		}

	}

	/**
	 * Serves one path, as the container has decoded it.
	 */
	static class PlainServlet extends HttpServlet {

		private final String name;

		private final String path;

		PlainServlet(String name, String path) {
			this.name = name;
			this.path = path;
		}

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
			String path = (request.getPathInfo() != null) ? request.getPathInfo() : request.getServletPath();
			if (path.equals(this.path)) {
				response.getWriter().write("served:" + this.name);
			}
			else {
				response.sendError(HttpServletResponse.SC_NOT_FOUND);
			}
		}

	}

	/**
	 * Logins that check passwords themselves, and end in all ways.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(ServletLogins.class)
	static class EndedLogins {

	}

}
