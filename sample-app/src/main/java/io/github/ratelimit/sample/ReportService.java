package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Service;

/**
 * Creates reports with a slow dependency, which is shielded by one budget for all
 * callers.
 */
@Service
class ReportService {

	@RateLimited(limit = 50, window = "1s", key = "'global'")
	Mono<Report> create(int pages) {
		return Mono.just(new Report(pages));
	}

}
