package io.github.ratelimit.integration.devtools;

import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that restarts itself when it is asked to. Runs in a process of its own,
 * and prints the port of each start.
 */
@SpringBootApplication
@RestController
public class Application {

	private static final PrintStream OUT = System.out;

	public static void main(String[] args) {
		loaders().add(new WeakReference<>(Application.class.getClassLoader()));
		SpringApplication.run(Application.class, "--server.port=0", "--spring.main.banner-mode=off",
				"--logging.level.root=error", "--ratelimit.policies.rule.limits[0].limit=2",
				"--ratelimit.policies.rule.limits[0].window=1d", "--ratelimit.rules[0].path=/rule",
				"--ratelimit.rules[0].policy=rule");
	}

	@EventListener
	void onStart(WebServerInitializedEvent event) {
		OUT.println("port " + event.getWebServer().getPort());
	}

	@GetMapping("/handler")
	@RateLimited(limit = 2, window = "1d")
	String handler() {
		return "handler";
	}

	@GetMapping("/argument/{id}")
	@RateLimited(limit = 2, window = "1d", key = "#id")
	String argument(@PathVariable String id) {
		return id;
	}

	@GetMapping("/rule")
	String rule() {
		return "rule";
	}

	@GetMapping("/loader")
	String loader() {
		return getClass().getClassLoader().getClass().getSimpleName();
	}

	@GetMapping("/restart")
	void restart() {
		new Thread(() -> Restarter.getInstance().restart()).start();
	}

	/*
	 * How many class loaders are still there of all that this class was ever loaded by.
	 */
	@GetMapping("/loaders")
	long remaining() {
		System.gc();
		return loaders().stream().filter((loader) -> loader.get() != null).count();
	}

	@SuppressWarnings("unchecked")
	private static List<WeakReference<ClassLoader>> loaders() {
		return (List<WeakReference<ClassLoader>>) System.getProperties()
			.computeIfAbsent("class loaders of starts", (absent) -> new CopyOnWriteArrayList<>());
	}

}
