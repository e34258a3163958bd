package io.github.ratelimit.actuate;

import java.security.Principal;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitOverride;
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
 * Web extension of {@link RateLimitsEndpoint}, which adds the HTTP status. Parameters are
 * called as in the endpoint's links: {@code override} is the word behind the policy in a
 * path, and of a POST its body.
 */
@EndpointWebExtension(endpoint = RateLimitsEndpoint.class)
final class RateLimitsEndpointWebExtension {

	private static final int MAX_NAME_LENGTH = 200;

	/* Stands in place of a policy. */
	private static final String PAGE = "page";

	/* Stands in place of a policy, too. */
	private static final String HISTORY = "history";

	private static final Map<String, String> TYPES = Map.of("html", "text/html", "svg", "image/svg+xml", "css",
			"text/css", "js", "text/javascript");

	private static final Pattern FILE = Pattern.compile("[\\w.]+\\.(" + String.join("|", TYPES.keySet()) + ")");

	private final RateLimitsEndpoint delegate;

	private final Show showKeys;

	private final Set<String> roles;

	/**
	 * Creates the extension.
	 * @param delegate the endpoint
	 * @param showKeys when to show the keys that were rejected most
	 * @param roles the roles that see them when authorized
	 */
	RateLimitsEndpointWebExtension(RateLimitsEndpoint delegate, Show showKeys, Set<String> roles) {
		this.delegate = delegate;
		this.showKeys = showKeys;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * Shows the state of a key, without changing it, or the page, or what all policies
	 * decided in the last hour.
	 * @param policy the policy's name, or without a key the word {@code page} or
	 * {@code history}
	 * @param key the key's value
	 * @return 200 and the key's state or what else was asked for, or 404 and the policies
	 * that exist
	 */
	@ReadOperation
	public WebEndpointResponse<Object> key(@Selector String policy, @Nullable String key) {
		if (key == null) {
			WebEndpointResponse<Object> page = pageFile(policy, "page.html");
			if (page != null) {
				return page;
			}
			HourDescriptor hour = policy.equals(HISTORY) ? this.delegate.hour() : null;
			if (hour != null) {
				return new WebEndpointResponse<>(hour);
			}
		}
		return answer(() -> {
			KeyDescriptor found = this.delegate.key(policy, key);
			if (found == null) {
				return unknown(policy);
			}
			return new WebEndpointResponse<>(found);
		});
	}

	/**
	 * Resets a key, so that it has all its permits.
	 * @param policy the policy's name
	 * @param key the key's value
	 * @return 204, or 404 and the policies that exist
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> reset(@Selector String policy, @Nullable String key) {
		return answer(() -> {
			if (!this.delegate.forget(policy, key)) {
				return unknown(policy);
			}
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		});
	}

	/**
	 * Shows a detail of a policy: what is overridden, or something else, or a file of the
	 * page. The parameter that names the detail is called as in the endpoint's links.
	 * @param context who asks
	 * @param policy the policy's name, or the word {@code page}
	 * @param override the word {@code override}, {@code ban}, {@code history},
	 * {@code advice} or {@code rejected}, or the file's name
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @return 200 and what was asked for, or 404
	 */
	@ReadOperation
	public WebEndpointResponse<Object> detail(SecurityContext context, @Selector String policy,
			@Selector String override, @Nullable String key, @Nullable String plan) {
		WebEndpointResponse<Object> file = pageFile(policy, override);
		if (file != null) {
			return file;
		}
		if (override.equals(InterventionOperations.BAN)) {
			return answer(() -> bans(policy, key));
		}
		OperationResponseBody view = this.delegate.view(policy, override, this.showKeys.isShown(context, this.roles));
		if (view != null) {
			return new WebEndpointResponse<>(view);
		}
		return answerFor(policy, override, key, plan, (target) -> {
			OverrideDescriptor found = this.delegate.overrides.find(target);
			if (found == null) {
				return OverrideOperations.notFound().answer();
			}
			return new WebEndpointResponse<>(found);
		});
	}

	private WebEndpointResponse<Object> bans(String policy, @Nullable String key) {
		OperationResponseBody bans = this.delegate.interventions.bans(policy, key);
		if (bans != null) {
			return new WebEndpointResponse<>(bans);
		}
		if (this.delegate.isPolicy(policy)) {
			throw InterventionOperations.noBan();
		}
		return unknown(policy);
	}

	/**
	 * Bans a key of a policy.
	 * @param context who asks
	 * @param policy the policy's name
	 * @param word the word {@code ban}
	 * @param override how long, and why, as a JSON object
	 * @param key the key's value, or {@code null} beside a hash
	 * @param hash the hash of a key that this instance has rejected, or {@code null}
	 * @return 200 and the ban, or the problem
	 */
	@WriteOperation
	public WebEndpointResponse<Object> ban(SecurityContext context, @Selector String policy, @Selector String word,
			String override, @Nullable String key, @Nullable String hash) {
		return answer(() -> {
			if (!word.equals(InterventionOperations.BAN)) {
				return problemOrUnknown(this.delegate.notPut(policy, word), policy);
			}
			InterventionDescriptor ban = this.delegate.interventions.ban(policy, key, hash, override, who(context));
			return (ban != null) ? new WebEndpointResponse<>(ban) : unknown(policy);
		});
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
		return answerFor(policy, OverrideOperations.WORD, key, plan, (target) -> {
			OverrideOperations.Put put = this.delegate.overrides.put(target, override, version, who(context));
			int status = put.replaces() ? 200 : 201;
			return new WebEndpointResponse<>(put.override(), status);
		});
	}

	/**
	 * Takes an override back, or ends a ban.
	 * @param context who asks
	 * @param policy the policy's name
	 * @param override the word {@code override} or {@code ban}
	 * @param key the key's value, or {@code null}
	 * @param plan the plan's name, or {@code null}
	 * @param version the version of the override, or {@code null}
	 * @return 204, or the problem
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> takeBack(SecurityContext context, @Selector String policy,
			@Selector String override, @Nullable String key, @Nullable String plan, @Nullable String version) {
		InvalidOperationException readOnly = this.delegate.readOnly(override);
		if (readOnly != null) {
			return readOnly.answer();
		}
		if (override.equals(InterventionOperations.BAN)) {
			return answer(() -> endBan(policy, key, who(context)));
		}
		return answerFor(policy, override, key, plan, (target) -> {
			this.delegate.overrides.remove(target, version, who(context));
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		});
	}

	private WebEndpointResponse<Object> endBan(String policy, @Nullable String key, @Nullable String who) {
		if (!this.delegate.interventions.endBan(policy, key, who)) {
			return unknown(policy);
		}
		return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
	}

	private WebEndpointResponse<Object> answerFor(String policy, String word, @Nullable String key,
			@Nullable String plan, Function<RateLimitOverride.Target, WebEndpointResponse<Object>> operation) {
		return answer(() -> {
			RateLimitOverride.Target target = this.delegate.overrides.target(policy, word, key, plan);
			if (target == null) {
				return absent(policy, word);
			}
			return operation.apply(target);
		});
	}

	private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
		try {
			return operation.get();
		}
		catch (InvalidOperationException ex) {
			return ex.answer();
		}
	}

	static @Nullable String who(SecurityContext context) {
		Principal principal = context.getPrincipal();
		String name = (principal != null) ? principal.getName() : null;
		if (name == null || name.length() <= MAX_NAME_LENGTH) {
			return name;
		}
		return name.substring(0, MAX_NAME_LENGTH);
	}

	private WebEndpointResponse<Object> absent(String policy, String word) {
		return problemOrUnknown(this.delegate.absent(policy, word), policy);
	}

	private WebEndpointResponse<Object> problemOrUnknown(@Nullable InvalidOperationException problem, String policy) {
		return (problem != null) ? problem.answer() : unknown(policy);
	}

	private WebEndpointResponse<Object> unknown(String policy) {
		return new WebEndpointResponse<>(this.delegate.unknown(policy), WebEndpointResponse.STATUS_NOT_FOUND);
	}

	/*
	 * A file that the page consists of. There are no others, whatever a path says.
	 */
	static @Nullable WebEndpointResponse<Object> pageFile(String policy, String name) {
		Matcher file = FILE.matcher(name);
		if (!policy.equals(PAGE) || !file.matches()) {
			return null;
		}
		Resource resource = new ClassPathResource("page/" + name, RateLimitsEndpointWebExtension.class);
		if (!resource.exists()) {
			return null;
		}
		MimeType type = MimeType.valueOf(TYPES.get(file.group(1)) + ";charset=UTF-8");
		return new WebEndpointResponse<>(resource, type);
	}

}
