package io.github.ratelimit.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.expression.TestRequest;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods that are called while a request is served.
 */
class CallsWithinRequestTests {

	private final FakeCurrentRequest current = new FakeCurrentRequest();

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class,
			List.of(this.current));

	private final Service service = this.application.bean();

	@Test
	void defaultKeyIsTheClientsAddress() {
		this.service.limited();
		assertThat(remaining("Service.limited", TestRequest.ADDRESS)).isZero();
	}

	@Test
	void keyWithoutTextIsTheClientsAddress() {
		this.service.byUser("");
		assertThat(remaining("Service.byUser", "address:" + TestRequest.ADDRESS)).isZero();
		assertThat(remaining("Service.byUser", "shared:")).isEqualTo(1);
	}

	@Test
	void whatTheWebHasEnforcedIsNotEnforcedAgain() {
		this.current.enforced = true;
		this.service.limited();
		assertThat(remaining("Service.limited", TestRequest.ADDRESS)).isEqualTo(1);
		this.current.enforced = false;
		this.service.limited();
		assertThat(remaining("Service.limited", TestRequest.ADDRESS)).isZero();
	}

	@Test
	void whatPoliciesSayIsReportedForTheHeadersAllowedOrNot() {
		this.service.limited();
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(this.service::limited);
		assertThat(this.current.reported).extracting((acquisition) -> acquisition.entries().get(0).decision().allowed())
			.containsExactly(true, false);
	}

	private long remaining(String policy, String key) {
		return this.application.remaining(policy, key);
	}

	private static final class FakeCurrentRequest implements CurrentRequest, LimitedRequest {

		private final List<Acquisition> reported = new ArrayList<>();

		private boolean enforced;

		@Override
		public LimitedRequest find() {
			return this;
		}

		@Override
		public RequestView view() {
			return TestRequest.anonymous();
		}

		@Override
		public boolean consumeEnforced(Method method) {
			return this.enforced;
		}

		@Override
		public Acquisition acquisition(Method method) {
			return new Acquisition(ManualClock.atMidnight());
		}

		@Override
		public void report(Acquisition acquisition) {
			this.reported.add(acquisition);
		}

	}

	static class Service {

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

		@RateLimited(limit = 1, window = "1m", key = "#user")
		public void byUser(String user) {
		}

	}

}
