package io.github.ratelimit.integration.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.FluentWait;
import org.openqa.selenium.support.ui.Select;
import tools.jackson.databind.json.JsonMapper;

/**
 * A tab of the system's Chromium, and what it has asked for and complained about.
 */
final class Tab implements AutoCloseable {

	private static final JsonMapper JSON = new JsonMapper();

	/* One browser for all tests, or null where there is none. */
	private static final ChromeDriver DRIVER = start();

	private final ChromeDriver driver = DRIVER;

	private final String other = this.driver.getWindowHandle();

	private Tab() {
		this.driver.switchTo().newWindow(WindowType.TAB);
		call("Network.enable", Map.of());
		call("Network.clearBrowserCookies", Map.of());
		size(1200, 900);
		requests();
		problems();
	}

	static Tab open() {
		assumeInstalled();
		return new Tab();
	}

	/**
	 * Skips a test where the browser or its driver is missing, but never where {@code CI}
	 * is set.
	 */
	static void assumeInstalled() {
		if (DRIVER == null) {
			String message = "There is no chromium or no chromedriver on the PATH: the page is not tested in a browser";
			System.out.println("== SKIPPED: " + message);
			Assertions.assertThat(System.getenv("CI")).as(message).isNotEqualTo("true");
			Assumptions.abort(message);
		}
	}

	private static ChromeDriver start() {
		Path browser = program("chromium");
		Path driver = program("chromedriver");
		if (browser == null || driver == null) {
			return null;
		}
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		logs.enable(LogType.PERFORMANCE, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(browser.toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
				"--disable-background-networking", "--disable-component-update", "--hide-scrollbars");
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		ChromeDriver started = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(driver.toFile()).withSilent(true).build(),
				options);
		Runtime.getRuntime().addShutdownHook(new Thread(started::quit));
		return started;
	}

	private static Path program(String name) {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Answers requests whose path ends with a word in the server's place.
	 */
	Tab answering(String word, String body) {
		call("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				{
					const before = window.fetch;
					window.fetch = (url, ...options) => String(url).endsWith('/%s')
						? Promise.resolve(new Response(%s, { headers: { 'Content-Type': 'application/json' } }))
						: before(url, ...options);
				}""".formatted(word, JSON.writeValueAsString(body))));
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
		call("Browser.grantPermissions",
				Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
		return this;
	}

	Tab go(String url) {
		this.driver.get(url);
		return this;
	}

	/**
	 * Calls the browser by its DevTools protocol.
	 */
	void call(String method, Map<String, Object> parameters) {
		this.driver.executeCdpCommand(method, parameters);
	}

	/**
	 * Runs a script, and awaits the promise that it returns.
	 */
	@SuppressWarnings("unchecked")
	<T> T run(String script, Object... arguments) {
		return (T) this.driver.executeScript(script, arguments);
	}

	String string(String expression) {
		return run("return " + expression);
	}

	int number(String expression) {
		return this.<Number>run("return " + expression).intValue();
	}

	/**
	 * Waits until an expression is true.
	 */
	Tab until(String expression, Object... arguments) {
		return await(expression, () -> this.<Boolean>run("return Boolean(" + expression + ")", arguments));
	}

	private Tab await(String what, Condition condition) {
		new FluentWait<>(condition).withTimeout(Duration.ofMinutes(1))
			.pollingEvery(Duration.ofMillis(50))
			.ignoring(WebDriverException.class)
			.withMessage(() -> "Not so: " + what + "\nThe page says:\n" + text())
			.until(Condition::holds);
		return this;
	}

	/**
	 * Waits until the page shows a text.
	 */
	Tab shows(String text) {
		return await("shows " + text, () -> text().contains(text));
	}

	/**
	 * Clicks on what is called so, or begins so, as a person does.
	 */
	Tab click(String name) {
		return await("click " + name, () -> {
			this.<WebElement>run(
					"""
							const named = [...(document.querySelector('dialog') ?? document).querySelectorAll('button, a, summary')]
								.map((element) => ({ element, name: (element.ariaLabel ?? element.innerText).trim() }));
							return (named.find((each) => each.name === arguments[0])
								?? named.find((each) => each.name.startsWith(arguments[0]))).element;""",
					name)
				.click();
			return true;
		});
	}

	/**
	 * Types into the field whose label begins so.
	 */
	Tab fill(String label, String text) {
		return await("fill " + label, () -> {
			WebElement field = run(
					"""
							return [...(document.querySelector('dialog') ?? document).querySelectorAll('label')].find((each) =>
								each.innerText.trim().startsWith(arguments[0]) && each.checkVisibility()).querySelector('input');""",
					label);
			field.clear();
			field.sendKeys(text);
			return text.equals(field.getDomProperty("value"));
		});
	}

	/**
	 * Chooses from the list whose label begins so.
	 */
	Tab choose(String label, String text) {
		return await("choose " + text + " of " + label, () -> {
			WebElement list = run(
					"""
							return [...(document.querySelector('dialog') ?? document).querySelectorAll('label')].find((each) =>
								each.innerText.trim().startsWith(arguments[0]) && each.checkVisibility()).querySelector('select');""",
					label);
			Select select = new Select(list);
			select.selectByVisibleText(text);
			return select.getFirstSelectedOption().getText().equals(text);
		});
	}

	/**
	 * Returns what the field or the list whose label begins so shows.
	 */
	String shown(String label) {
		return run(
				"""
						const field = [...(document.querySelector('dialog') ?? document).querySelectorAll('label')].find((each) =>
							each.innerText.trim().startsWith(arguments[0]) && each.checkVisibility()).querySelector('select, input');
						return field.selectedOptions?.[0].text ?? (field.value || field.placeholder);""",
				label);
	}

	Tab press(CharSequence key) {
		new Actions(this.driver).sendKeys(key).perform();
		return this;
	}

	String text() {
		return string("document.body.innerText").replaceAll("[\\s\\u00a0]+", " ");
	}

	/**
	 * Returns what the page has asked for since this was called last.
	 */
	List<String> requests() {
		return entries(LogType.PERFORMANCE).map((entry) -> JSON.readTree(entry.getMessage()).path("message"))
			.filter((event) -> event.path("method").asString().equals("Network.requestWillBeSent"))
			.map((event) -> event.at("/params/request/url").asString())
			.toList();
	}

	/**
	 * Returns what the browser has complained about since this was called last, but for
	 * answers that failed.
	 */
	List<String> problems() {
		return entries(LogType.BROWSER).map(LogEntry::getMessage)
			.filter((message) -> !message.contains("Failed to load resource"))
			.toList();
	}

	private Stream<LogEntry> entries(String type) {
		return this.driver.manage().logs().get(type).getAll().stream();
	}

	byte[] picture() {
		return this.driver.getScreenshotAs(OutputType.BYTES);
	}

	@Override
	public void close() {
		this.driver.close();
		this.driver.switchTo().window(this.other);
	}

	private interface Condition {

		boolean holds();

	}

}
