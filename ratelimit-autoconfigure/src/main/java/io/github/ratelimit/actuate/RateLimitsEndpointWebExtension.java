package io.github.ratelimit.actuate;

import java.security.Principal;
import java.util.Set;

import io.github.ratelimit.actuate.RateLimitsEndpoint.KeyDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * Web extension of {@link RateLimitsEndpoint}, which adds the HTTP status.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = RateLimitsEndpoint.class)
public final class RateLimitsEndpointWebExtension {

	private static final int LONGEST_NAME = 200;

	private final RateLimitsEndpoint delegate;

	private final Show showKeys;

	private final Set<String> roles;

	/**
	 * Creates the extension.
	 * @param delegate the endpoint
	 */
	public RateLimitsEndpointWebExtension(RateLimitsEndpoint delegate) {
		this(delegate, Show.NEVER, Set.of());
	}

	/**
	 * Creates the extension.
	 * @param delegate the endpoint
	 * @param showKeys when to show the keys that were rejected most
	 * @param roles the roles that see them when authorized
	 */
	public RateLimitsEndpointWebExtension(RateLimitsEndpoint delegate, Show showKeys, Set<String> roles) {
		this.delegate = delegate;
		this.showKeys = showKeys;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * Shows the state of a key, without changing it, or the page.
	 * @param policy the policy's name, or the word {@code page}, without a key
	 * @param key the key's value
	 * @return 200 and the key's state or the page, or 404 and the policies that exist
	 */
	@ReadOperation
	public WebEndpointResponse<Object> key(@Selector String policy, @Nullable String key) {
		if (key == null && policy.equals(PageFile.WORD)) {
			return PageFile.PAGE.answer();
		}
		KeyDescriptor found = this.delegate.key(policy, key);
		return (found != null) ? new WebEndpointResponse<>(found) : unknown(policy);
	}

	/**
	 * Resets a key, so that it has all its permits.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return 204, or 404 and the policies that exist
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> reset(@Selector String policy, @Nullable String key) {
		return (this.delegate.reset(policy, key) != null)
				? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT) : unknown(policy);
	}

	/**
	 * Shows what is overridden, or something else about a policy, or a file of the page.
	 * @param context who asks
	 * @param policy the policy's name, or the word {@code page}
	 * @param override the word {@code override}, {@code history}, {@code advice} or
	 * {@code rejected}, or the file's name
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @return 200 and what was asked for, or 404
	 */
	@ReadOperation
	public WebEndpointResponse<Object> overridden(SecurityContext context, @Selector String policy,
			@Selector String override, @Nullable String key, @Nullable String plan) {
		PageFile file = PageFile.find(policy, override);
		if (file != null) {
			return file.answer();
		}
		OperationResponseBody view = this.delegate.view(policy, override, this.showKeys.isShown(context, this.roles));
		return (view != null) ? new WebEndpointResponse<>(view)
				: answer(this.delegate.overrides().get(policy, override, key, plan), policy);
	}

	/**
	 * Overrides a policy, or a plan or a key of it.
	 * @param context who asks
	 * @param policy the policy's name
	 * @param override what is to be in force, as a JSON object
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override that it replaces, or {@code null}
	 * @return 200 or 201 and the override, or the problem
	 */
	@WriteOperation
	public WebEndpointResponse<Object> override(SecurityContext context, @Selector String policy, String override,
			@Nullable String key, @Nullable String plan, @Nullable String version) {
		return answer(this.delegate.overrides().put(policy, override, key, plan, version, who(context)), policy);
	}

	/**
	 * Takes an override back.
	 * @param context who asks
	 * @param policy the policy's name
	 * @param override the word {@code override}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override, or {@code null}
	 * @return 204, or the problem
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> takeBack(SecurityContext context, @Selector String policy,
			@Selector String override, @Nullable String key, @Nullable String plan, @Nullable String version) {
		return answer(this.delegate.overrides().remove(policy, override, key, plan, version, who(context)), policy);
	}

	private WebEndpointResponse<Object> answer(OverrideOperations.@Nullable Answer answer, String policy) {
		if (answer == null) {
			return this.delegate.knows(policy) ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
					: unknown(policy);
		}
		OperationResponseBody body = answer.body();
		if (body == null) {
			return new WebEndpointResponse<>(answer.status());
		}
		return (body instanceof OperationProblem)
				? new WebEndpointResponse<>(body, answer.status(), OperationProblem.TYPE)
				: new WebEndpointResponse<>(body, answer.status());
	}

	private static @Nullable String who(SecurityContext context) {
		Principal principal = context.getPrincipal();
		String name = (principal != null) ? principal.getName() : null;
		return (name != null) ? name.substring(0, Math.min(name.length(), LONGEST_NAME)) : null;
	}

	/**
	 * The version that an answer tells, for its entity tag.
	 * @param body the answer's body
	 * @return the version, or {@code null} if it has none
	 */
	public static @Nullable Long version(@Nullable Object body) {
		return (body instanceof OverrideDescriptor override) ? override.version() : null;
	}

	/**
	 * Answers an override that cannot be read.
	 * @param invalid the mistake
	 * @return the problem
	 */
	public static WebEndpointResponse<OperationResponseBody> problem(InvalidOperationException invalid) {
		return new WebEndpointResponse<>(OverrideOperations.problem(invalid), invalid.status(), OperationProblem.TYPE);
	}

	private WebEndpointResponse<Object> unknown(String policy) {
		return new WebEndpointResponse<>(this.delegate.unknown(policy), WebEndpointResponse.STATUS_NOT_FOUND);
	}

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

}
