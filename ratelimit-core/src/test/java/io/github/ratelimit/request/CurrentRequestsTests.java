package io.github.ratelimit.request;

import java.lang.reflect.Method;
import java.util.List;

import io.github.ratelimit.test.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CurrentRequestsTests {

	private final ManualClock clock = ManualClock.atMidnight();

	private final WaitingRoom room = new WaitingRoom(this.clock, 1);

	private final LimitedRequest first = LimitedRequest.ofSeparateCalls(null, this.room);

	private final LimitedRequest second = LimitedRequest.ofSeparateCalls(null, new WaitingRoom(this.clock, 2));

	@Test
	void theFirstWayThatFindsARequestSpeaksForAll() {
		assertThat(find(() -> null, () -> this.first, () -> this.second)).isSameAs(this.first);
		assertThat(find(() -> this.second, () -> this.first)).isSameAs(this.second);
	}

	@Test
	void outsideOfARequestEachCallCountsForItself() throws NoSuchMethodException {
		LimitedRequest none = find(() -> null);
		assertThat(none.view()).isNull();
		Method method = Object.class.getMethod("toString");
		Acquisition acquisition = none.acquisition(method);
		assertThat(acquisition).isNotNull().isNotSameAs(none.acquisition(method));
		assertThat(acquisition.room).isSameAs(this.room);
	}

	private LimitedRequest find(CurrentRequest... ways) {
		return new CurrentRequests(List.of(ways), this.room).find();
	}

}
