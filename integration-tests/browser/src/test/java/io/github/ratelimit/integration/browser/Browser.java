package io.github.ratelimit.integration.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * The system's Chromium, steered by its DevTools protocol, so that neither a driver nor
 * another runtime has to fit it.
 */
final class Browser implements WebSocket.Listener {

	private static final String LISTENING = "DevTools listening on ";

	private static final Browser INSTANCE = start();

	private final JsonMapper json = new JsonMapper();

	private final AtomicInteger ids = new AtomicInteger();

	private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

	private final Map<String, BiConsumer<String, JsonNode>> listeners = new ConcurrentHashMap<>();

	private final StringBuilder received = new StringBuilder();

	private final WebSocket socket;

	private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);

	private Browser(String address) {
		this.socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create(address), this).join();
	}

	/**
	 * The one browser of all tests. Without one, a test is skipped, but never where
	 * {@code CI} is set.
	 */
	static Browser get() {
		if (INSTANCE == null) {
			String message = "There is no chromium on the PATH, so that the page is not tested in a browser";
			System.out.println("== SKIPPED: " + message);
			if ("true".equals(System.getenv("CI"))) {
				throw new AssertionError(message);
			}
			Assumptions.abort(message);
		}
		return INSTANCE;
	}

	private static Browser start() {
		Path program = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.flatMap((directory) -> Stream.of("chromium", "chromium-browser", "google-chrome")
				.map((name) -> Path.of(directory, name)))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
		try {
			return (program != null) ? start(program) : null;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Browser start(Path program) throws IOException {
		Path profile = Files.createTempDirectory("ratelimit-browser");
		Process process = new ProcessBuilder(program.toString(), "--headless=new", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
				"--disable-component-update", "--hide-scrollbars", "--remote-debugging-port=0",
				"--user-data-dir=" + profile, "about:blank")
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly().onExit().join();
			FileSystemUtils.deleteRecursively(profile.toFile());
		}));
		BufferedReader log = process.errorReader();
		StringBuilder said = new StringBuilder();
		for (String line = log.readLine(); line != null; line = log.readLine()) {
			if (line.startsWith(LISTENING)) {
				Thread rest = new Thread(() -> log.lines().forEach((each) -> {
				}), "browser-log");
				rest.setDaemon(true);
				rest.start();
				return new Browser(line.substring(LISTENING.length()));
			}
			said.append(line).append('\n');
		}
		throw new IllegalStateException("The browser has ended: " + said);
	}

	/**
	 * Opens a tab with cookies of its own.
	 */
	Tab open() {
		String context = call(null, "Target.createBrowserContext", Map.of()).get("browserContextId").asString();
		String target = call(null, "Target.createTarget", Map.of("url", "about:blank", "browserContextId", context))
			.get("targetId")
			.asString();
		String session = call(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
			.get("sessionId")
			.asString();
		return new Tab(this, context, session);
	}

	void listen(String session, BiConsumer<String, JsonNode> listener) {
		this.listeners.put(session, listener);
	}

	JsonNode call(String session, String method, Map<String, ?> parameters) {
		try {
			return send(session, method, parameters).get(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new IllegalStateException("The browser has not done " + method, ex);
		}
	}

	synchronized CompletableFuture<JsonNode> send(String session, String method, Map<String, ?> parameters) {
		int id = this.ids.incrementAndGet();
		CompletableFuture<JsonNode> answer = new CompletableFuture<>();
		this.answers.put(id, answer);
		Map<String, Object> message = new HashMap<>(Map.of("id", id, "method", method, "params", parameters));
		if (session != null) {
			message.put("sessionId", session);
		}
		String text = this.json.writeValueAsString(message);
		this.sent = this.sent.thenCompose((before) -> this.socket.sendText(text, true));
		return answer;
	}

	@Override
	public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
		this.received.append(data);
		if (last) {
			JsonNode message = this.json.readTree(this.received.toString());
			this.received.setLength(0);
			accept(message);
		}
		socket.request(1);
		return null;
	}

	private void accept(JsonNode message) {
		if (!message.has("id")) {
			BiConsumer<String, JsonNode> listener = this.listeners.get(message.path("sessionId").asString(""));
			if (listener != null) {
				listener.accept(message.get("method").asString(), message.get("params"));
			}
			return;
		}
		CompletableFuture<JsonNode> answer = this.answers.remove(message.get("id").asInt());
		if (message.has("error")) {
			answer.completeExceptionally(new IllegalStateException(message.get("error").toString()));
		}
		else {
			answer.complete(message.get("result"));
		}
	}

}
