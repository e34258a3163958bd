package org.springframework.samples.petclinic;

import io.github.ratelimit.annotation.RateLimited;

/**
 * What an application has whose package is below Spring's, as that of Spring's samples
 * is.
 */
public class Visits {

	/**
	 * Can be called once.
	 */
	@RateLimited(limit = 1, window = "1d")
	public void book() {
	}

}
