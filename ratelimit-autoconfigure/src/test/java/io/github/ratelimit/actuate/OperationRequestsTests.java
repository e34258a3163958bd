package io.github.ratelimit.actuate;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.github.ratelimit.RateLimit;
import io.github.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * What is answered where the application is not to do what it is asked for just now.
 */
class OperationRequestsTests {

	private static final String SIMULATION = "{\"limits\": [{\"limit\": 1, \"window\": \"1m\"}], \"gaps\": [0]}";

	private final CountDownLatch computing = new CountDownLatch(1);

	private final CountDownLatch released = new CountDownLatch(1);

	private final OverrideReader reader = mock(OverrideReader.class,
			(call) -> List.of(RateLimit.of(RateLimitAlgorithm.TOKEN_BUCKET, 1, Duration.ofMinutes(1))));

	private final SimulationOperation operation = new SimulationOperation((json) -> {
		if (json.isEmpty()) {
			this.computing.countDown();
			try {
				assertThat(this.released.await(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return SentJson.simulation(SIMULATION, this.reader);
	});

	@Test
	void oneSimulationIsComputedAtATimeAndTheOthersAreToldWhenToTryAgain() throws Exception {
		FutureTask<WebEndpointResponse<Object>> first = new FutureTask<>(() -> this.operation.simulate(""));
		new Thread(first).start();
		assertThat(this.computing.await(60, TimeUnit.SECONDS)).isTrue();
		ResponseEntity<?> refused = simulate();
		this.released.countDown();
		assertThat(refused.getStatusCode().value()).isEqualTo(503);
		assertThat(refused.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
		assertThat(refused.getHeaders().getContentType()).hasToString("application/problem+json");
		assertThat(refused.getBody()).hasToString("OperationProblem[title=Not simulated, status=503, "
				+ "detail=Another simulation is being computed., action=Try again in a second., path=null, current=null]");
		assertThat(first.get().getStatus()).isEqualTo(200);
		assertThat(simulate().getStatusCode().value()).isEqualTo(200);
	}

	@Test
	void aSimulationThatFailsMakesWayForTheNext() {
		SimulationOperation failing = new SimulationOperation((json) -> {
			throw new IllegalStateException("for this test");
		});
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(() -> failing.simulate("")).withMessage("for this test");
		}
	}

	private ResponseEntity<?> simulate() throws IOException {
		return RateLimitsOperations.response(this.operation.simulate(SIMULATION));
	}

}
