package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;

import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.util.DigestUtils;

/**
 * Header fields of the page's files: nothing from elsewhere is loaded, nobody frames the
 * page, and browsers ask whether a file has changed.
 */
final class PageHeaders {

	private static final String SECURITY_POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; "
			+ "form-action 'self'; frame-ancestors 'none'";

	private PageHeaders() {
	}

	static void add(Resource file, ResponseEntity.BodyBuilder answer) throws IOException {
		try (InputStream content = file.getInputStream()) {
			answer.eTag("\"" + DigestUtils.md5DigestAsHex(content) + "\"");
		}
		answer.cacheControl(CacheControl.noCache())
			.header("Content-Security-Policy", SECURITY_POLICY)
			.header("X-Content-Type-Options", "nosniff")
			.header("Referrer-Policy", "no-referrer");
	}

}
