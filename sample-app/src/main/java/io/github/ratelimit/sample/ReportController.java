package io.github.ratelimit.sample;

import io.github.ratelimit.annotation.RateLimited;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

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

	@RateLimited(policy = "reports", cost = "#pages")
	@GetMapping("/reports")
	Report report(@RequestParam(defaultValue = "1") int pages) {
		return this.reports.create(pages);
	}

}
