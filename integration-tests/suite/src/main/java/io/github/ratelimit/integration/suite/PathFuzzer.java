package io.github.ratelimit.integration.suite;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

import io.github.ratelimit.testserver.Target;
import org.jspecify.annotations.Nullable;

/**
 * Asks for what is limited by paths spelled in every way, and looks whether all that was
 * served was counted.
 */
public final class PathFuzzer {

	private final RawClient client;

	private final List<Target> targets;

	private final Function<Target, String> paths;

	/**
	 * Creates a fuzzer.
	 * @param client sends the requests
	 * @param targets what is limited
	 * @param paths where the server has it
	 */
	public PathFuzzer(RawClient client, List<Target> targets, Function<Target, String> paths) {
		this.client = client;
		this.targets = targets;
		this.paths = paths;
	}

	/**
	 * What is limited.
	 * @return the names of the targets
	 */
	public List<String> names() {
		return this.targets.stream().map(Target::name).toList();
	}

	/**
	 * Asks for each target by its own path, and by random ones.
	 * @param seed of what is random
	 * @param requests how many are random
	 * @return what came of it
	 * @throws IOException if the server cannot be reached
	 */
	public Findings run(long seed, int requests) throws IOException {
		Random random = new Random(seed);
		PathMutator mutator = new PathMutator(random);
		Findings findings = new Findings(new LinkedHashMap<>(), new ArrayList<>());
		for (Target target : this.targets) {
			ask(this.paths.apply(target), findings);
		}
		for (int i = 0; i < requests; i++) {
			Target target = this.targets.get(random.nextInt(this.targets.size()));
			ask(mutator.mutate(this.paths.apply(target)), findings);
		}
		return findings;
	}

	/**
	 * Asks for one path.
	 * @param path the path
	 * @param findings where to note what came of it
	 * @throws IOException if the server cannot be reached
	 */
	public void ask(String path, Findings findings) throws IOException {
		if (path.chars().anyMatch((c) -> c == '\r' || c == '\n' || c == ' ')) {
			return;
		}
		RawClient.Response response = response(path);
		Target served = (response != null) ? served(response) : null;
		if (response == null || served == null) {
			return;
		}
		findings.served().computeIfAbsent(served.name(), (name) -> new LinkedHashSet<>()).add(path);
		String policies = response.header("RateLimit-Policy");
		for (int i = 0; i < served.patterns().size(); i++) {
			if (policies == null || !policies.contains("\"" + served.policy(i) + "\"")) {
				findings.uncounted()
					.add("GET " + path + " served " + served.path() + ", and the rule " + served.patterns().get(i)
							+ " did not count it");
			}
		}
	}

	private RawClient.@Nullable Response response(String path) throws IOException {
		try {
			return this.client.get(path);
		}
		catch (EOFException ex) {
			this.client.close();
			return null;
		}
	}

	private @Nullable Target served(RawClient.Response response) {
		String body = response.body().strip();
		return this.targets.stream().filter((target) -> body.equals(target.body())).findFirst().orElse(null);
	}

	/**
	 * What came of many requests.
	 *
	 * @param served by what spellings each target was served
	 * @param uncounted what was served and not counted
	 */
	public record Findings(Map<String, Set<String>> served, List<String> uncounted) {

	}

}
