package io.github.ratelimit.test.assertj;

import org.assertj.core.api.AbstractObjectAssert;

/**
 * Assertions about a response.
 *
 * @since 0.1.0
 */
public final class RateLimitResponseAssert extends AbstractObjectAssert<RateLimitResponseAssert, Object>
		implements ResponseAssertions<RateLimitResponseAssert> {

	private final Answer answer;

	RateLimitResponseAssert(Object response, Answer answer) {
		super(response, RateLimitResponseAssert.class);
		this.answer = answer;
	}

	@Override
	public Answer answer() {
		return this.answer;
	}

}
