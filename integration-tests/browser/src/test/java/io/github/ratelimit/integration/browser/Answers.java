package io.github.ratelimit.integration.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What applications may answer the page, in place of what this one does.
 */
final class Answers {

	static final String HOSTILE = "<img src=x onerror=\"document.title='owned'\">";

	static final String ADVICE = """
			{"policy":"login","since":"2026-01-01T00:00:00Z","seconds":259200,"callers":41000,"requests":1200000,
			"sampledCallers":2011,"curves":[{"limit":20,"window":60,"points":[
			{"burst":0,"callers":0.21,"requests":0.3},{"burst":5,"callers":0.08,"requests":0.12},
			{"burst":10,"callers":0.02,"requests":0.05},{"burst":20,"callers":0.008,"requests":0.02},
			{"burst":40,"callers":0.003,"requests":0.012},{"burst":80,"callers":0.001,"requests":0.004}]}],
			"suggestion":{"limit":20,"window":60,"burst":40,"callers":0.003,"requests":0.012,
			"text":"20 a minute, burst 40: 0.3 % of callers, 1.2 % of requests",
			"yaml":"ratelimit:\\n  policies:\\n    login:\\n      mode: shadow\\n","doubts":["Only three days were observed."]}}""";

	static final String NO_ADVICE = """
			{"policy":"login","since":"2026-01-01T00:00:00Z","seconds":120,"callers":3,"requests":12,
			"sampledCallers":3,"curves":[{"limit":1,"window":60,"points":[
			{"burst":20,"callers":0.9,"requests":0.9},{"burst":40,"callers":0.8,"requests":0.8}]},
			{"limit":20,"window":60,"points":[
			{"burst":20,"callers":0.02,"requests":0.05},{"burst":40,"callers":0.003,"requests":0.012},
			{"burst":80,"callers":0,"requests":0}]},
			{"limit":50,"window":60,"points":[{"burst":20,"callers":0,"requests":0}]}],
			"missing":["Too few callers were observed."]}""";

	static final String REJECTED = """
			{"policy":"login","keys":[{"key":"203.0.113.7","hash":"9f2c","rejected":412,"error":0},
			{"key":"<b>bold</b>","hash":"77aa","rejected":31,"error":4}]}""";

	/* One policy has rejected for three minutes, another for the whole hour. */
	static final String HOUR = """
			{"step":60,"end":"2026-03-05T11:00:00Z","policies":{"policy-0":{"rejected":[%s]},
			"policy-1":{"rejected":[%s,100,100,100]}}}""".formatted(String.join(",", Collections.nCopies(60, "1")),
			String.join(",", Collections.nCopies(57, "0")));

	private static final String SERIES = """
			"policy-%d":{"allowed":[%s],"rejected":[%s]}""";

	private static final String POLICY = """
			"policy-%d":{"key":"clientAddress","limits":[{"algorithm":"token-bucket","limit":20,"window":60,"burst":20}],
			"appliedTo":[],"mode":"enforce","evictions":0,"requests":{"allowed":1000},"recent":{"allowed":%d,"delayed":0,
			"rejected":%d,"banned":%d,"queue_full":%d,"unavailable":%d,"returned":0,"exceeded":0,"wouldBeRejected":%d}}""";

	private Answers() {
	}

	/**
	 * Policies of which the last is worst, and the third is tried in shadow.
	 */
	static String policies(int number) {
		return IntStream.range(0, number).mapToObj((i) -> {
			boolean last = i == number - 1;
			int[] others = last ? new int[] { 1, 2, 3 } : new int[3];
			int wouldBeRejected = (i == 2) ? 7 : 0;
			return POLICY.formatted(i, Math.max(0, 100 - i - IntStream.of(others).sum()), i, others[0], others[1],
					others[2], wouldBeRejected);
		})
			.collect(Collectors.joining(",", "{\"store\":\"caffeine\",\"writable\":true,\"findings\":[],\"policies\":{",
					"}}"));
	}

	/**
	 * The last hour of so many policies, in which all have decided in each minute.
	 */
	static String hour(int policies) {
		return IntStream.range(0, policies)
			.mapToObj((i) -> SERIES.formatted(i, minutes((minute) -> 1000 + minute * i % 70),
					minutes((minute) -> minute * i % 7)))
			.collect(Collectors.joining(",", "{\"step\":60,\"end\":\"2026-03-05T11:00:00Z\",\"policies\":{", "}}"));
	}

	private static String minutes(IntUnaryOperator requests) {
		return IntStream.range(0, 60).map(requests).mapToObj(String::valueOf).collect(Collectors.joining(","));
	}

	/**
	 * What the application answers, with findings and without its store.
	 * @param page the address of the page
	 */
	static String withFindings(String page) throws Exception {
		String body = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(page.replace("/page", ""))).build(),
					HttpResponse.BodyHandlers.ofString())
			.body();
		return body.replace("\"findings\":", "\"found\":")
			.replaceFirst("\\{",
					"""
							{"health":{"available":false,"outages":2,"failure":"connection refused"},"findings":[{"code":"RL002","level":"warning","policy":"login","message":"Nobody uses it.",\
							"action":"Remove it.","link":"https://docs.example/findings.md#rl002"},{"code":"RL007","level":"info","policy":null,\
							"message":"One instance.","action":"Nothing to do.","link":"#rl007"}],""");
	}

}
