package io.github.ratelimit.testserver;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * What the application serves, wherever it finds it.
 */
public final class Content {

	/* What WebFlux does not know. */
	private static final Set<String> OF_SERVLETS = Set.of("view", "named", "servletcontext", "plain", "extension",
			"exact");

	private Content() {
	}

	/**
	 * All that is served whatever the variant.
	 * @return the targets
	 */
	public static List<Target> targets() {
		return all().filter((target) -> Stack.CURRENT != Stack.NETTY || !OF_SERVLETS.contains(target.name())).toList();
	}

	private static Stream<Target> all() {
		return Stream.of(Target.of("handler", "/login"), Target.of("item", "/items/7", "/items/{id}", "/items/**"),
				Target.of("rest", "/rest/a/b", "/rest/{*rest}"), Target.of("regex", "/regex/abc", "/regex/{x:[a-z]+}"),
				Target.of("view", "/view"), Target.of("named", "/named"),
				Target.of("simple", "/simple/one", "/simple/*"),
				Target.of("functional", "/functional/one", "/functional/{id}"),
				Target.of("nestedroute", "/outer/inner", "/outer/**"),
				Target.of("static", "/downloads/big.txt", "/downloads/**", "/downloads/*.txt", "/*/big.txt",
						"/downloads/{name}"),
				Target.of("nested", "/downloads/nested/deep.txt", "/downloads/nested/**"),
				Target.of("blank", "/downloads/a file.txt"),
				Target.of("webjar", "/webjars/widgets/1.0/widgets.js", "/webjars/widgets/**"),
				Target.of("classpath", "/classpath/big.txt", "/classpath/**"),
				Target.of("filesystem", "/filesystem/sub/big.txt", "/filesystem/sub/**", "/filesystem/{*file}"),
				Target.of("url", "/url/sub/big.txt", "/url/sub/**"),
				Target.of("jar", "/jar/sub/big.txt", "/jar/sub/**"),
				Target.of("servletcontext", "/servletcontext/big.txt", "/servletcontext/**"),
				Target.of("routedfile", "/routed/file/sub/big.txt", "/routed/file/sub/*"),
				Target.of("routedurl", "/routed/url/sub/big.txt", "/routed/url/sub/*"),
				Target.of("routedclass", "/routed/class/big.txt", "/routed/class/*"), Target.of("welcome", "/"),
				Target.ofServlet("plain", "/plain/login", "/plain/**"), Target.ofServlet("extension", "/any/thing.raw"),
				Target.ofServlet("exact", "/exact"));
	}

	/**
	 * Writes the files that are not on the class path.
	 * @param directory an empty directory
	 * @throws IOException if it cannot be written to
	 */
	public static void write(Path directory) throws IOException {
		for (String name : List.of("filesystem", "url", "routedfile", "routedurl")) {
			Path sub = Files.createDirectories(directory.resolve(name).resolve("sub"));
			Files.writeString(sub.resolve("big.txt"), "served:" + name);
		}
		Path root = Files.createDirectories(directory.resolve("root").resolve("public"));
		Files.writeString(root.resolve("big.txt"), "served:servletcontext");
		try (OutputStream out = Files.newOutputStream(directory.resolve("content.jar"));
				JarOutputStream jar = new JarOutputStream(out)) {
			for (String directoryEntry : List.of("content/", "content/sub/")) {
				jar.putNextEntry(new JarEntry(directoryEntry));
			}
			jar.putNextEntry(new JarEntry("content/sub/big.txt"));
			jar.write("served:jar".getBytes(StandardCharsets.US_ASCII));
		}
	}

	/**
	 * The rules that limit targets, each with a policy of its own.
	 * @param targets the targets
	 * @return the properties
	 */
	public static Map<String, Object> rules(List<Target> targets) {
		Map<String, Object> properties = new TreeMap<>();
		int rule = 0;
		for (Target target : targets) {
			for (int i = 0; i < target.patterns().size(); i++) {
				String limit = "ratelimit.policies." + target.policy(i) + ".limits[0].";
				properties.put(limit + "limit", 1_000_000);
				properties.put(limit + "window", "1s");
				properties.put("ratelimit.rules[" + rule + "].path", target.patterns().get(i));
				properties.put("ratelimit.rules[" + rule + "].policy", target.policy(i));
				rule++;
			}
		}
		return properties;
	}

}
