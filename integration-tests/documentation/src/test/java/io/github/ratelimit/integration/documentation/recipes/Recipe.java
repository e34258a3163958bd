package io.github.ratelimit.integration.documentation.recipes;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.ratelimit.integration.documentation.Snippet;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * An application on a real server that has the configuration of one recipe, as the page
 * shows it, and the beans of the recipe's test. Its clock stands still, unless there is
 * another among them.
 */
public final class Recipe implements AutoCloseable {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private Recipe(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts the application.
	 * @param heading the recipe's heading
	 * @param beans the classes of the beans
	 * @return the application
	 */
	public static Recipe start(String heading, Class<?>... beans) {
		Stream<Class<?>> classes = Stream.concat(Stream.of(beans), Stream.of(RecipeApplication.class));
		return start(WebApplicationType.SERVLET, RecipePage.snippets(heading), classes);
	}

	/**
	 * Starts a reactive application.
	 * @param heading the recipe's heading
	 * @param beans the classes of the beans
	 * @return the application
	 */
	public static Recipe startReactive(String heading, Class<?>... beans) {
		return start(WebApplicationType.REACTIVE, RecipePage.snippets(heading), Stream.of(beans));
	}

	/**
	 * Starts a reactive application that has the configuration of a page.
	 * @param page the path of the page
	 * @param beans the classes of the beans
	 * @return the application
	 */
	public static Recipe startReactive(Path page, Class<?>... beans) {
		return startReactive(Snippet.of(page).stream(), beans);
	}

	/**
	 * Starts a reactive application that has the configuration of some snippets.
	 * @param snippets the snippets
	 * @param beans the classes of the beans
	 * @return the application
	 */
	public static Recipe startReactive(Stream<Snippet> snippets, Class<?>... beans) {
		return start(WebApplicationType.REACTIVE, snippets, Stream.of(beans));
	}

	private static Recipe start(WebApplicationType type, Stream<Snippet> snippets, Stream<Class<?>> classes) {
		SpringApplication application = new SpringApplication(classes.toArray(Class<?>[]::new));
		application.setWebApplicationType(type);
		application.addInitializers((context) -> {
			MutablePropertySources sources = context.getEnvironment().getPropertySources();
			snippets.filter((snippet) -> snippet.language().equals("yaml"))
				.flatMap(Recipe::load)
				.forEach(sources::addLast);
		});
		return new Recipe(
				application.run("--server.port=0", "--spring.main.banner-mode=off", "--ratelimit.plans.timeout=10s"));
	}

	private static Stream<PropertySource<?>> load(Snippet snippet) {
		try {
			return new YamlPropertySourceLoader()
				.load(snippet.toString(), new ByteArrayResource(snippet.text().getBytes(StandardCharsets.UTF_8)))
				.stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns a bean.
	 * @param <T> the bean's type
	 * @param type the bean's type
	 * @return the bean
	 */
	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Returns the server's port.
	 * @return the port
	 */
	public int port() {
		return this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	/**
	 * Begins a request.
	 * @param path the path
	 * @param headers names and values
	 * @return the request
	 */
	public HttpRequest.Builder request(String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
		return (headers.length > 0) ? request.headers(headers) : request;
	}

	/**
	 * Sends a GET request.
	 * @param path the path
	 * @param headers names and values
	 * @return the status of the answer
	 */
	public int get(String path, String... headers) {
		return send(request(path, headers)).statusCode();
	}

	/**
	 * Sends a GET request that is answered.
	 * @param path the path
	 * @param headers names and values
	 * @return the answer
	 */
	public String read(String path, String... headers) {
		HttpResponse<String> response = send(request(path, headers));
		if (response.statusCode() != HttpURLConnection.HTTP_OK) {
			throw new IllegalStateException(path + " is answered with " + response.statusCode());
		}
		return response.body();
	}

	/**
	 * Posts a form.
	 * @param path the path
	 * @param form the form, encoded
	 * @param headers names and values
	 * @return the status of the answer
	 */
	public int post(String path, String form, String... headers) {
		return send(form(path, form, headers)).statusCode();
	}

	/**
	 * Posts a form.
	 * @param path the path
	 * @param form the form, encoded
	 * @return the cookies of the answer, with their names
	 */
	public String cookiesAfter(String path, String form) {
		return send(form(path, form)).headers()
			.allValues("Set-Cookie")
			.stream()
			.map((cookie) -> cookie.replaceAll(";.*", ""))
			.collect(Collectors.joining("; "));
	}

	private HttpRequest.Builder form(String path, String form, String... headers) {
		return request(path, headers).header("Content-Type", "application/x-www-form-urlencoded")
			.POST(HttpRequest.BodyPublishers.ofString(form));
	}

	/**
	 * Sends requests at once, and waits for their answers.
	 * @param count how many
	 * @param request the request
	 * @return the answers' statuses, sorted
	 */
	public List<Integer> sendAtOnce(int count, HttpRequest.Builder request) {
		return Stream.generate(request::copy)
			.limit(count)
			.map((one) -> HTTP.sendAsync(one.build(), BodyHandlers.discarding()))
			.toList()
			.stream()
			.map((answer) -> answer.join().statusCode())
			.sorted()
			.toList();
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return HTTP.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

}
