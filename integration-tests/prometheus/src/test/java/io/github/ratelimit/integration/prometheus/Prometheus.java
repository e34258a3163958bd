package io.github.ratelimit.integration.prometheus;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.ratelimit.integration.fixtures.FreePort;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * A Prometheus in a process of its own, which scrapes every second.
 */
final class Prometheus implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String PORT_TAKEN = "address already in use";

	/* Its input ends when it is closed, and when this process dies, however it does. */
	private static final String UNTIL_INPUT_ENDS = "\"$@\" & cat; kill -9 $!";

	private final HttpClient client = HttpClient.newHttpClient();

	private final JsonMapper json = new JsonMapper();

	private final Process process;

	private final int port;

	private final Path log;

	private Prometheus(Path directory, Path configuration, int port) throws IOException {
		this.port = port;
		this.log = directory.resolve("prometheus-" + port + ".log");
		this.process = new ProcessBuilder("sh", "-c", UNTIL_INPUT_ENDS, "sh", "prometheus",
				"--config.file=" + configuration, "--storage.tsdb.path=" + directory.resolve("data-" + port),
				"--web.listen-address=127.0.0.1:" + port)
			.redirectErrorStream(true)
			.redirectOutput(this.log.toFile())
			.start();
	}

	/**
	 * Starts the server.
	 * @param directory where it keeps everything
	 * @param targets what it scrapes: addresses and ports
	 */
	static Prometheus start(Path directory, List<String> targets) throws IOException {
		Path configuration = Files.writeString(directory.resolve("prometheus.yml"), """
				global: { scrape_interval: 1s, scrape_timeout: 1s }
				scrape_configs:
				  - job_name: shop
				    metrics_path: /actuator/prometheus
				    static_configs: [ { targets: [ %s ] } ]
				""".formatted(targets.stream().map("'%s'"::formatted).collect(Collectors.joining(", "))));
		return FreePort.start((port) -> started(new Prometheus(directory, configuration, port)));
	}

	private static Prometheus started(Prometheus prometheus) throws IOException {
		if (prometheus.starts()) {
			return prometheus;
		}
		prometheus.close();
		throw new IOException("Prometheus did not start:\n" + prometheus.printed());
	}

	private boolean starts() throws IOException {
		try {
			await().atMost(PATIENCE).ignoreExceptions().until(() -> isReady() || printed().contains(PORT_TAKEN));
			return !printed().contains(PORT_TAKEN);
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private boolean isReady() throws InterruptedException {
		try {
			return get("/-/ready").statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private String printed() throws IOException {
		return Files.readString(this.log);
	}

	/**
	 * Ends a test where a program of Prometheus is not there: it fails in a build that
	 * has installed it, and is skipped elsewhere.
	 * @param program the program
	 * @param what what is then not tested
	 */
	static void assumeInstalled(String program, String what) {
		boolean installed = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, program)));
		if (!installed) {
			String skipped = "SKIPPED: " + what + ", because there is no " + program + " on the PATH";
			System.out.println(skipped);
			assertThat(System.getenv("CI")).as(skipped).isNotEqualTo("true");
			abort(skipped);
		}
	}

	/**
	 * Waits until an instance has been scraped once more from now on.
	 * @param instance the address and port
	 * @return when that was, in seconds since the epoch
	 */
	String awaitScrape(String instance) {
		double now = System.currentTimeMillis() / 1000.0;
		String query = "timestamp(ratelimit_waiting{instance=\"%s\"})".formatted(instance);
		return await().atMost(PATIENCE)
			.until(() -> value(ask(query, null)), (time) -> time != null && Double.parseDouble(time) > now);
	}

	/**
	 * Answers a query.
	 * @param query the query
	 * @param time the point of time, or {@code null} for now
	 * @return the series
	 */
	List<Series> ask(String query, String time) throws IOException, InterruptedException {
		String at = (time != null) ? "&time=" + time : "";
		HttpResponse<String> response = get(
				"/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8) + at);
		assertThat(response.statusCode()).as(query + ": " + response.body()).isEqualTo(200);
		return this.json.readTree(response.body()).path("data").path("result").valueStream().map(Series::of).toList();
	}

	/**
	 * Returns the values that a variable of the dashboard offers.
	 * @param label the label
	 * @param metric the metric that has it
	 * @return the values
	 */
	List<String> values(String label, String metric) throws IOException, InterruptedException {
		String body = get("/api/v1/label/" + label + "/values?match[]=".replace("[]", "%5B%5D")
				+ URLEncoder.encode(metric, StandardCharsets.UTF_8))
			.body();
		return this.json.readTree(body).path("data").valueStream().map(JsonNode::asString).toList();
	}

	private static String value(List<Series> series) {
		return series.isEmpty() ? null : series.get(0).text();
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.port + path);
		return this.client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
	}

	@Override
	public void close() throws IOException {
		this.process.getOutputStream().close();
		try {
			this.process.waitFor(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A series at one point of time.
	 *
	 * @param labels its labels
	 * @param text its value
	 */
	record Series(TreeMap<String, String> labels, String text) {

		static Series of(JsonNode result) {
			TreeMap<String, String> labels = new TreeMap<>();
			result.path("metric").forEachEntry((name, value) -> labels.put(name, value.asString()));
			return new Series(labels, result.path("value").path(1).asString());
		}

		double value() {
			return Double.parseDouble(this.text);
		}

		/**
		 * Names the series as Grafana does.
		 * @param legend the name, with labels in braces
		 * @return the name
		 */
		String name(String legend) {
			String name = legend;
			for (String label : this.labels.keySet()) {
				name = name.replace("{{" + label + "}}", this.labels.get(label));
			}
			return name;
		}

	}

}
