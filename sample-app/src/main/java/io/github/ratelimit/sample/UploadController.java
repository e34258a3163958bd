package io.github.ratelimit.sample;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uploads, which a rule in {@code application.yml} puts in a queue.
 */
@RestController
class UploadController {

	@PostMapping("/uploads")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void upload() {
	}

}
