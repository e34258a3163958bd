package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Reports that customers pay for: each API key has a quota of pages, whatever the size of
 * the single report.
 */
@RestController
class ReportController {

	private final ReportService reports;

	ReportController(ReportService reports) {
		this.reports = reports;
	}

	/*
	 * On WebFlux, limits that read arguments are for what returns a Mono or a Flux.
	 */
	@RateLimited(policy = "reports", cost = "#pages > 0 ? #pages : 1")
	@GetMapping("/reports")
	Mono<Report> report(@RequestParam(defaultValue = "1") int pages) {
		if (pages < 1) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "A report has at least one page");
		}
		return this.reports.create(pages);
	}

}
