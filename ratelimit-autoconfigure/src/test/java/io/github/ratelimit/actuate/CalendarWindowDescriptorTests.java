package io.github.ratelimit.actuate;

import io.github.ratelimit.CalendarModel;
import io.github.ratelimit.actuate.RateLimitsEndpoint.LimitDescriptor;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint says of a calendar's windows.
 */
class CalendarWindowDescriptorTests {

	@Test
	void aWindowOfACalendarIsAPeriodOfAZone() {
		assertThat(LimitDescriptor.of(CalendarModel.limit(10, "P1M", "Europe/Berlin", "15")))
			.isEqualTo(new LimitDescriptor("fixed-window-counter", 10, null, "month", "Europe/Berlin", "15", null, null,
					null, null));
		assertThat(LimitDescriptor.of(CalendarModel.limit(10, "P1W", "UTC", null))).isEqualTo(
				new LimitDescriptor("fixed-window-counter", 10, null, "week", "UTC", null, null, null, null, null));
	}

}
