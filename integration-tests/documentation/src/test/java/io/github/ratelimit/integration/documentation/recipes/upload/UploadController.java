package io.github.ratelimit.integration.documentation.recipes.upload;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/**
 * An upload, which knows nothing of limits.
 */
@RestController
class UploadController {

	@PostMapping("/uploads")
	long upload(@RequestParam MultipartFile file) {
		return file.getSize();
	}

}
