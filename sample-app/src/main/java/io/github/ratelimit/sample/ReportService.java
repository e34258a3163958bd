package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.stereotype.Service;

/**
 * Creates reports with a slow dependency, which is shielded by one budget for all
 * callers.
 */
@Service
class ReportService {

	@RateLimited(limit = 50, window = "1s", key = "'global'")
	Report create(int pages) {
		return new Report(pages);
	}

}
