package io.github.ratelimit.web.rules;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;

import io.github.ratelimit.CpuTime;
import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * What is read of a request before it is decided takes a time that grows with its length,
 * and not with its square.
 */
class LongFieldTests {

	private final PathPattern pattern = PathPatternParser.defaultInstance.parse("/a/{*rest}");

	@ParameterizedTest
	@ValueSource(strings = { "\"", ",", "\",", ",\"", "for=", ";", ";\"", "\";", "for=10.0.0.1,", "for=\"",
			"for=\"\\\",", "10.0.0.1,", "10.0.0.1, \"", " ", "[", ":", "[::1]:", "\t,", "%" })
	void forwardedFields(String hostile) {
		for (String header : new String[] { null, "forwarded", "x-forwarded-for", "x-real-ip" }) {
			ClientAddressResolver resolver = new ClientAddressResolver(List.of("10.0.0.0/8"), 64, header,
					new RateLimitFindings());
			CpuTime.assertLinear(hostile,
					(text) -> resolver.resolve("10.0.0.1", (name) -> Collections.enumeration(List.of(text, text))));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "//", "/.", "/..", "../", "/a/..", "..", ";", ";/", "%2e", "%252e%252e/", "%25", "%",
			"\\", "\\..", "/%2f..", "\u0001", " /", "a;b=", "/a;..", "%C3", "/;/.." })
	void paths(String hostile) {
		CpuTime.assertLinear(hostile, (text) -> {
			LinkedHashSet<String> readings = new LinkedHashSet<>();
			CleanedPath.addSent("/a" + text, readings);
			readings
				.forEach((path) -> this.pattern.matchAndExtract(PathContainer.parsePath(path, RequestedPath.DECODED)));
		});
	}

}
