package io.github.ratelimit.testserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.ratelimit.annotation.RateLimited;
import io.github.ratelimit.web.reactive.RateLimitRejectionHandler;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.FileUrlResource;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.authentication.UserDetailsRepositoryReactiveAuthenticationManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.AuthenticationWebFilter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.UrlBasedCorsConfigurationSource;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.CorsRegistry;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.ResourceHandlerRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.WebSession;

/**
 * What applications say to Spring WebFlux. {@link ServletParts} has the same parts.
 */
public final class ReactiveParts {

	private ReactiveParts() {
	}

	private static Mono<Void> write(ServerHttpResponse response, String text) {
		return response.writeWith(Mono.just(response.bufferFactory().wrap(text.getBytes(StandardCharsets.US_ASCII))));
	}

	@Configuration(proxyBeanMethods = false)
	static class Functions {

		@Bean
		RouterFunction<ServerResponse> functions() {
			return RouterFunctions.route()
				.GET("/functional/{id}", (request) -> ServerResponse.ok().bodyValue(request.pathVariable("id")))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Sorry {

		@Bean
		RateLimitRejectionHandler sorry(List<HandlerMapping> mappings) {
			return (exchange, policy, decision) -> {
				exchange.getResponse().setRawStatusCode(503);
				return write(exchange.getResponse(), "sorry: " + policy.name() + " " + decision.retryAfter());
			};
		}

	}

	@RestController
	static class Sessions {

		@GetMapping("/session")
		String session(WebSession session) {
			session.start();
			return session.getId();
		}

	}

	@RestController
	static class Uploads {

		@RateLimited(limit = 1, window = "1h")
		@PostMapping("/upload")
		Mono<String> upload(@RequestPart String title, @RequestPart FilePart file) {
			return DataBufferUtils.join(file.content())
				.map((content) -> title + " " + content.toString(StandardCharsets.US_ASCII));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(SecuredUsers.class)
	static class Secured {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/admin").hasRole("ADMIN").anyExchange().authenticated())
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
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.formLogin(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

	}

	/**
	 * Users log in with each request, by a field that is none of HTTP's own. Pages of all
	 * origins are told so by Spring WebFlux.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ SecuredUsers.class, CorsMappings.class })
	static class LoginsByField {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http, ReactiveUserDetailsService users,
				PasswordEncoder passwords) {
			UserDetailsRepositoryReactiveAuthenticationManager manager = new UserDetailsRepositoryReactiveAuthenticationManager(
					users);
			manager.setPasswordEncoder(passwords);
			AuthenticationWebFilter filter = new AuthenticationWebFilter(manager);
			filter.setServerAuthenticationConverter((exchange) -> Mono.justOrEmpty(
					SecuredUsers.credentials(exchange.getRequest().getHeaders().getFirst(SecuredUsers.FIELD))));
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
				.addFilterAt(filter, SecurityWebFiltersOrder.AUTHENTICATION)
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CorsMappings implements WebFluxConfigurer {

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
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.cors(Customizer.withDefaults())
				.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CorsFilter {

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		CorsWebFilter corsFilter() {
			return new CorsWebFilter(new CorsOfSecurity().corsConfigurationSource());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		WebFilter early() {
			return (exchange, chain) -> exchange.getRequest().getHeaders().containsHeader("X-Answer")
					? Mono.fromRunnable(() -> exchange.getResponse().setRawStatusCode(403)) : chain.filter(exchange);
		}

	}

	/** Shows in the answer that it has seen the request. */
	@Configuration(proxyBeanMethods = false)
	static class Seeing {

		@Bean
		@Order(-1000)
		WebFilter seeing() {
			return (exchange, chain) -> {
				exchange.getResponse().getHeaders().set("X-Seen", "true");
				return chain.filter(exchange);
			};
		}

	}

	/**
	 * Serves something in each of the ways that Spring WebFlux knows.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Paths implements WebFluxConfigurer {

		private final Path directory;

		Paths(@Value("${paths.directory}") Path directory) {
			this.directory = directory;
		}

		@Override
		public void addResourceHandlers(ResourceHandlerRegistry registry) {
			registry.addResourceHandler("/classpath/**").addResourceLocations("classpath:/classpath-content/");
			registry.addResourceHandler("/filesystem/**")
				.addResourceLocations("file:" + this.directory + "/filesystem/");
			registry.addResourceHandler("/url/**").addResourceLocations("file:" + this.directory + "/url/");
			registry.addResourceHandler("/jar/**")
				.addResourceLocations("jar:file:" + this.directory + "/content.jar!/content/");
		}

		@Bean
		SimpleUrlHandlerMapping simpleMapping() {
			WebHandler handler = (exchange) -> {
				PathContainer within = exchange
					.getRequiredAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE);
				return within.value().equals("one") ? write(exchange.getResponse(), "served:simple") : Mono.empty();
			};
			return new SimpleUrlHandlerMapping(Map.of("/simple/*", handler), 0);
		}

		@Bean
		RouterFunction<ServerResponse> routes() throws IOException {
			return RouterFunctions.route()
				.GET("/functional/{id}", (request) -> request.pathVariable("id").equals("one")
						? ServerResponse.ok().bodyValue("served:functional") : ServerResponse.notFound().build())
				.path("/outer",
						(outer) -> outer.GET("/inner",
								(request) -> ServerResponse.ok().bodyValue("served:nestedroute")))
				.resources("/routed/file/**", new FileSystemResource(this.directory + "/routedfile/"))
				.resources("/routed/url/**", new FileUrlResource(this.directory + "/routedurl/"))
				.resources("/routed/class/**", new ClassPathResource("routed-content/"))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CaseInsensitive implements WebFluxConfigurer {

		@Override
		public void configurePathMatching(PathMatchConfigurer configurer) {
			configurer.setUseCaseSensitiveMatch(false);
		}

	}

	/**
	 * Logins that check passwords themselves, and end in all ways.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(ReactiveLogins.class)
	static class EndedLogins {

	}

}
