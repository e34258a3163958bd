package io.github.ratelimit.actuate;

import io.github.ratelimit.actuate.InvalidOperationException.OperationProblem;
import io.github.ratelimit.actuate.RateLimitHistory.HistoryDescriptor;
import io.github.ratelimit.actuate.RejectedKeysDescriptor.RejectedKeyDescriptor;
import io.github.ratelimit.actuate.SimulationOperation.SimulationDescriptor;
import io.github.ratelimit.advice.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Runtime hints for the files of the page, and for types that the endpoint answers with,
 * or maps requests to, by itself. Spring Boot has those of its operations.
 */
class EndpointHints implements RuntimeHintsRegistrar {

	private static final Class<?>[] ANSWERS = { OperationProblem.class, OverrideDescriptor.class,
			UnknownPolicyDescriptor.class, HistoryDescriptor.class, HistoryDescriptor.RequestsDescriptor.class,
			HourDescriptor.class, AdviceDescriptor.class, Advice.Curve.class, Advice.Suggestion.class,
			Advice.Point.class, RejectedKeysDescriptor.class, RejectedKeyDescriptor.class, InterventionDescriptor.class,
			InterventionDescriptor.BansDescriptor.class, InterventionDescriptor.KindDescriptor.class,
			SimulationDescriptor.class, SimulationDescriptor.SimulatedLimitDescriptor.class };

	/* Each needs the web stack that it is for. */
	private static final String[] HANDLERS = { "io.github.ratelimit.actuate.RateLimitsHandlerMapping$Requests",
			"io.github.ratelimit.actuate.ReactiveRateLimitsHandlerMapping$Requests" };

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/github/ratelimit/actuate/page/*");
		for (Class<?> type : ANSWERS) {
			hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		for (String type : HANDLERS) {
			hints.reflection().registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
	}

}
