package io.github.ratelimit.integration.browser;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;

/**
 * A tab of the browser, with what it has asked for and complained about.
 */
final class Tab implements AutoCloseable {

	private final List<String> requests = new CopyOnWriteArrayList<>();

	private final List<String> problems = new CopyOnWriteArrayList<>();

	private final Map<String, String> answers = new ConcurrentHashMap<>();

	private final Browser browser;

	private final String context;

	private final String session;

	Tab(Browser browser, String context, String session) {
		this.browser = browser;
		this.context = context;
		this.session = session;
		browser.listen(session, this::accept);
		for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
			call(domain + ".enable", Map.of());
		}
		size(1200, 900);
	}

	private void accept(String event, JsonNode details) {
		switch (event) {
			case "Network.requestWillBeSent" -> this.requests.add(details.get("request").get("url").asString());
			case "Runtime.exceptionThrown" -> this.problems.add(details.get("exceptionDetails").toString());
			case "Log.entryAdded" -> {
				JsonNode entry = details.get("entry");
				if (!entry.get("source").asString().equals("network")) {
					this.problems.add(entry.toString());
				}
			}
			case "Fetch.requestPaused" ->
				answer(details.get("requestId").asString(), details.get("request").get("url").asString());
			default -> {
			}
		}
	}

	private void answer(String request, String url) {
		String body = this.answers.get(url.substring(url.lastIndexOf('/') + 1));
		this.browser.send(this.session, "Fetch.fulfillRequest",
				Map.of("requestId", request, "responseCode", 200, "responseHeaders",
						List.of(Map.of("name", "Content-Type", "value", "application/json")), "body",
						Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8))));
	}

	/**
	 * Answers requests whose path ends with a word in the server's place.
	 */
	Tab answering(String word, String body) {
		this.answers.put(word, body);
		call("Fetch.enable", Map.of("patterns",
				this.answers.keySet().stream().map((each) -> Map.of("urlPattern", "*/" + each)).toList()));
		return this;
	}

	Tab sending(String header, String value) {
		call("Network.setExtraHTTPHeaders", Map.of("headers", Map.of(header, value)));
		return this;
	}

	Tab size(int width, int height) {
		call("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
		return this;
	}

	Tab dark(boolean dark) {
		call("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
		return this;
	}

	/**
	 * Lets the page read and write the clipboard.
	 */
	Tab withClipboard() {
		this.browser.call(null, "Browser.grantPermissions", Map.of("browserContextId", this.context, "permissions",
				List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
		return this;
	}

	Tab go(String url) {
		call("Page.navigate", Map.of("url", url));
		return this;
	}

	JsonNode call(String method, Map<String, ?> parameters) {
		return this.browser.call(this.session, method, parameters);
	}

	/**
	 * Evaluates an expression, whose promise is awaited.
	 */
	JsonNode eval(String script) {
		JsonNode result = call("Runtime.evaluate",
				Map.of("expression", script, "awaitPromise", true, "returnByValue", true));
		if (result.has("exceptionDetails")) {
			throw new AssertionError(result.get("exceptionDetails").toString());
		}
		return result.get("result").path("value");
	}

	/**
	 * Waits until an expression is true.
	 */
	Tab until(String script) {
		try {
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.pollInterval(Duration.ofMillis(50))
				.ignoreExceptions()
				.until(() -> eval("Boolean(" + script + ")").asBoolean());
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("Not so: " + script + "\nThe page says:\n" + text() + "\n" + this.problems, ex);
		}
		return this;
	}

	/**
	 * Waits until the page shows a text.
	 */
	Tab shows(String text) {
		return until("document.body.innerText.replace(/\\s+/g, ' ').includes(" + quoted(text) + ")");
	}

	/**
	 * Clicks on what is called so, or begins so, as a person does.
	 */
	Tab click(String name) {
		String element = "[(all, name) => all.find((each) => each.name === name)"
				+ " ?? all.find((each) => each.name.startsWith(name))][0]([...(document.querySelector('dialog')"
				+ " ?? document).querySelectorAll('button, a, summary')].map((element) =>"
				+ " ({ element, name: (element.ariaLabel ?? element.innerText).trim() })), " + quoted(name)
				+ ").element";
		JsonNode at = still(element);
		for (String type : List.of("mousePressed", "mouseReleased")) {
			call("Input.dispatchMouseEvent", Map.of("type", type, "x", at.get("x").asDouble(), "y",
					at.get("y").asDouble(), "button", "left", "clickCount", 1));
		}
		return this;
	}

	/*
	 * Scrolls to an element, and waits until nothing that is still loading moves or
	 * covers it.
	 */
	private JsonNode still(String element) {
		String at = "(async () => { const it = " + element + "; const place = () => { const { x, y, width, height } ="
				+ " it.getBoundingClientRect(); return { x: x + Math.min(width / 2, 60), y: y + height / 2 }; };"
				+ " it.scrollIntoView({ block: 'center' }); const before = place();"
				+ " await new Promise((done) => setTimeout(done, 150)); const { x, y } = place();"
				+ " return x === before.x && y === before.y && it.contains(document.elementFromPoint(x, y))"
				+ " ? { x, y } : null; })()";
		return Awaitility.await(element)
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptions()
			.until(() -> eval(at), (found) -> found.has("x"));
	}

	/**
	 * Types into the field whose label begins so.
	 */
	Tab fill(String label, String text) {
		String field = "[...document.querySelectorAll('label')].find((each) => each.innerText.trim().startsWith("
				+ quoted(label) + ") && each.checkVisibility()).querySelector('input, select')";
		until(field);
		Awaitility.await(label).atMost(Duration.ofMinutes(1)).until(() -> {
			eval("(() => { const field = " + field + "; field.scrollIntoView({ block: 'center' }); field.focus();"
					+ " field.select?.(); })()");
			call("Input.insertText", Map.of("text", text));
			return eval(field + ".value").asString().equals(text);
		});
		return this;
	}

	Tab press(String key, int code) {
		Map<String, Object> event = Map.of("type", "rawKeyDown", "key", key, "code", key, "windowsVirtualKeyCode",
				code);
		call("Input.dispatchKeyEvent", event);
		if (key.equals("Enter")) {
			call("Input.dispatchKeyEvent",
					Map.of("type", "char", "key", key, "text", "\r", "windowsVirtualKeyCode", code));
		}
		call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key, "windowsVirtualKeyCode", code));
		return this;
	}

	String text() {
		return eval("document.body.innerText").asString().replaceAll("\\s+", " ");
	}

	List<String> requests() {
		return this.requests;
	}

	List<String> problems() {
		return this.problems;
	}

	void picture(Path file) {
		try {
			Files.write(file,
					Base64.getDecoder()
						.decode(call("Page.captureScreenshot", Map.of("format", "png", "optimizeForSpeed", false))
							.get("data")
							.asString()));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String quoted(String text) {
		return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
	}

	@Override
	public void close() {
		this.browser.call(null, "Target.disposeBrowserContext", Map.of("browserContextId", this.context));
	}

}
