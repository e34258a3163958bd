package io.github.ratelimit.request;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A request, or none, whose calls each count for themselves, and which has no header
 * fields.
 *
 * @param view who asks, or {@code null} outside of a request
 * @param room where calls wait without a thread
 * @param isExempt whether no policy is asked
 */
record SeparateCalls(@Nullable RequestView view, WaitingRoom room, boolean isExempt) implements LimitedRequest {

	@Override
	public Acquisition acquisition(Method method) {
		Acquisition acquisition = separate();
		if (this.isExempt) {
			acquisition.exempt();
		}
		return acquisition;
	}

	private Acquisition separate() {
		RequestView view = this.view;
		if (view == null) {
			return new Acquisition(this.room);
		}
		return new Acquisition(this.room) {

			@Override
			String client() {
				return view.clientAddress();
			}

		};
	}

}
