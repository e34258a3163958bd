package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application has what the figures are said to be of.
 */
@Tag("slow")
class EndpointServerTests {

	private static final int KEYS = 4000;

	@Test
	void theApplicationHasManyPoliciesAndKeysAndADayOfTraffic() throws IOException {
		try (EndpointServer server = EndpointServer.start(KEYS,
				List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"))) {
			JsonNode policies = json(server, EndpointRequest.LIST).get("policies");
			assertThat(policies).hasSize(EndpointServer.POLICIES);
			assertThat(policies).extracting((policy) -> policy.get("keys").asInt())
				.allMatch((keys) -> keys > 0)
				.satisfies((keys) -> assertThat(keys.stream().mapToInt((each) -> each).sum()).isEqualTo(KEYS));
			assertThat(json(server, EndpointRequest.KEY).get("standing").get("remaining").asInt()).isZero();
			JsonNode advice = json(server, EndpointRequest.ADVICE);
			assertThat(advice.get("callers").asInt()).isEqualTo(KEYS / 2);
			assertThat(advice.get("missing")).isEmpty();
			assertThat(json(server, EndpointRequest.REJECTED).get("keys")).hasSize(20);
			assertThat(json(server, EndpointRequest.HISTORY).get("step").asInt()).isEqualTo(5);
		}
	}

	private static JsonNode json(EndpointServer server, EndpointRequest request) throws IOException {
		EndpointServer.Answer answer = server.send(request);
		assertThat(answer.status()).as(request.title()).isEqualTo(200);
		return JsonMapper.shared().readTree(answer.body());
	}

}
