package io.github.ratelimit.integration.paths;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.ConfigurableServletWebServerFactory;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.FileUrlResource;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * Serves something in each of the ways that Spring MVC knows, and with other servlets.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class PathsApplication implements WebMvcConfigurer {

	private final Path directory;

	PathsApplication(@Value("${paths.directory}") Path directory) {
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
			public void render(@Nullable Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
					throws IOException {
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
			.path("/outer", (outer) -> outer.GET("/inner", (request) -> ServerResponse.ok().body("served:nestedroute")))
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
		ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(new PlainServlet(name, path),
				mapping);
		registration.setName(name);
		return registration;
	}

	@RestController
	static class Handlers {

		@GetMapping("/login")
		String login() {
			return "served:handler";
		}

		@GetMapping("/items/{id}")
		String item(@PathVariable String id) {
			return id.equals("7") ? "served:item" : "another";
		}

		@GetMapping("/rest/{*rest}")
		String rest(@PathVariable String rest) {
			return rest.equals("/a/b") ? "served:rest" : "another";
		}

		@GetMapping("/regex/{x:[a-z]+}")
		String regex(@PathVariable String x) {
			return x.equals("abc") ? "served:regex" : "another";
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

}
