package io.github.ratelimit.integration.aot;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimiterRegistry;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.NestedExceptionUtils;

/**
 * Starts the application among the classes that were made ahead of time, asks three times
 * in each way where two are allowed, and tells what came of it in words that every class
 * loader knows.
 */
public class Probe implements Function<List<String>, Map<String, String>> {

	private final HttpClient client = HttpClient.newHttpClient();

	/*
	 * There is one for all class loaders of a process.
	 */
	static {
		TomcatURLStreamHandlerFactory.disable();
	}

	@Override
	public Map<String, String> apply(List<String> arguments) {
		try {
			LimitedApplication.main(arguments.toArray(String[]::new));
		}
		catch (RuntimeException ex) {
			return Map.of("failure", String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()));
		}
		try (var context = LimitedApplication.context) {
			return report(context, context.getEnvironment().getRequiredProperty("local.server.port"));
		}
	}

	private Map<String, String> report(ListableBeanFactory beans, String port) {
		RateLimiterRegistry limiter = beans.getBean(RateLimiterRegistry.class);
		LimitedApplication.Final bean = beans.getBean(LimitedApplication.Final.class);
		Map<String, String> report = new LinkedHashMap<>();
		report.put("store", limiter.storeName());
		report.put("annotation", threeTimes(() -> status(port, "/annotated")));
		report.put("bean of the expression", threeTimes(() -> status(port, "/argument?id=A")));
		report.put("interface", threeTimes(() -> call(bean)));
		report.put("service", threeTimes(() -> call(beans.getBean(LimitedApplication.Orders.class))));
		report.put("rule", threeTimes(() -> status(port, "/plain")));
		report.put("hand", (limiter.find("twice") != null)
				? threeTimes(() -> limiter.decide("twice", "hand").allowed() ? 200 : 429) : "unknown policy");
		report.put("headers", String.valueOf(get(port, "/plain").headers().firstValue("RateLimit").isPresent()));
		report.put("filters", String.join(" ", beans.getBeanNamesForType(FilterRegistrationBean.class)));
		report.put("beans", String.join(" ", Arrays.stream(beansOf(beans)).toList()));
		return report;
	}

	private static String[] beansOf(ListableBeanFactory beans) {
		return Stream.of(beans.getBeanDefinitionNames())
			.filter((name) -> name.toLowerCase().contains("ratelimit"))
			.sorted()
			.toArray(String[]::new);
	}

	private static int call(LimitedApplication.Final bean) {
		try {
			bean.call();
			return 200;
		}
		catch (RateLimitExceededException ex) {
			return 429;
		}
	}

	private static int call(LimitedApplication.Orders orders) {
		try {
			orders.place(new LimitedApplication.Order(new LimitedApplication.Customer("ada")));
			return 200;
		}
		catch (RateLimitExceededException ex) {
			return 429;
		}
	}

	private int status(String port, String path) {
		return get(port, path).statusCode();
	}

	private HttpResponse<String> get(String port, String path) {
		try {
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
			return this.client.send(request, HttpResponse.BodyHandlers.ofString());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String threeTimes(Callable<Integer> status) {
		StringBuilder statuses = new StringBuilder();
		for (int i = 0; i < 3; i++) {
			try {
				statuses.append((i > 0) ? " " : "").append(status.call());
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
		return statuses.toString();
	}

}
