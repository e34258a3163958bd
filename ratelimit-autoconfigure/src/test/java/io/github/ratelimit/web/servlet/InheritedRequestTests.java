package io.github.ratelimit.web.servlet;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.ratelimit.findings.RateLimitFindings;
import io.github.ratelimit.local.LocalRateLimitStore;
import io.github.ratelimit.policy.StoreRateLimiterRegistry;
import io.github.ratelimit.request.RequestView;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;
import io.github.ratelimit.web.HeaderSettings;
import io.github.ratelimit.web.PolicyNames;
import io.github.ratelimit.web.ResetFormat;
import io.github.ratelimit.web.address.ClientAddressResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.ServletRequestAttributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A request that a thread has inherited tells nothing once it is over, because the server
 * may use its object for another client's.
 */
class InheritedRequestTests {

	private final ServletRequestAttributes attributes = new ServletRequestAttributes(
			new MockHttpServletRequest("GET", "/inherited"));

	private final InheritedServletRequest request = new InheritedServletRequest(limits(), this.attributes);

	private static ServletRateLimits limits() {
		ManualClock clock = ManualClock.atMidnight();
		return new ServletRateLimits(new ClientAddressResolver(List.of(), 64, null, new RateLimitFindings()),
				new HeaderSettings(List.of(), true, ResetFormat.SECONDS, PolicyNames.FULL, clock),
				new StoreRateLimiterRegistry(new LocalRateLimitStore(clock, 10), List.of()), new WaitingRoom(clock, 1),
				Duration.ofSeconds(1).toNanos(), null);
	}

	static Stream<Function<RequestView, Object>> reads() {
		return Stream.of(RequestView::clientAddress, RequestView::principal, RequestView::path, RequestView::method,
				RequestView::session, RequestView::request, (view) -> view.header("a"), (view) -> view.parameter("a"),
				(view) -> view.cookie("a"), (view) -> view.pathVariable("a"));
	}

	@Test
	void aRequestThatIsServedTellsWhatItIs() {
		assertThat(this.request.path()).isEmpty();
		assertThat(this.request.method()).isEqualTo("GET");
		assertThat(this.request.clientAddress()).isEqualTo("127.0.0.1");
	}

	@ParameterizedTest
	@MethodSource("reads")
	void aRequestThatIsOverTellsNothing(Function<RequestView, Object> read) {
		this.attributes.requestCompleted();
		assertThatIllegalStateException().isThrownBy(() -> read.apply(this.request)).withMessageContaining("is over");
	}

}
