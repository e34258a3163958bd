package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * The files that the page consists of. There are no others, whatever a path says.
 */
enum PageFile {

	PAGE("page.html", "text/html"),

	ICON("icon.svg", "image/svg+xml"),

	STYLE("page.css", "text/css"),

	SCRIPT("page.js", "text/javascript"),

	POLICY_SCRIPT("policy.js", "text/javascript"),

	CHANGES_SCRIPT("changes.js", "text/javascript"),

	ADVICE_SCRIPT("advice.js", "text/javascript"),

	CHART("chart.js", "text/javascript"),

	WORDS("words.js", "text/javascript"),

	API("api.js", "text/javascript"),

	PLAYGROUND_STYLE("playground.css", "text/css"),

	PLAYGROUND_SCRIPT("playground.js", "text/javascript"),

	PREACT("preact.js", "text/javascript"),

	UPLOT("uPlot.iife.min.js", "text/javascript");

	/* What stands in place of a policy. */
	static final String WORD = "page";

	private static final PageFile[] ALL = values();

	private final String name;

	private final Resource resource;

	private final MimeType type;

	PageFile(String name, String type) {
		this.name = name;
		this.resource = new ClassPathResource("page/" + name, PageFile.class);
		this.type = MimeType.valueOf(type + ";charset=UTF-8");
	}

	static @Nullable PageFile find(String policy, String name) {
		if (policy.equals(WORD)) {
			for (PageFile file : ALL) {
				if (file.name.equals(name) && file.resource.exists()) {
					return file;
				}
			}
		}
		return null;
	}

	WebEndpointResponse<Object> answer() {
		return new WebEndpointResponse<>(this.resource, this.type);
	}

}
