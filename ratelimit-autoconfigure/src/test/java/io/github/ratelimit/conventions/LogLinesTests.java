package io.github.ratelimit.conventions;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaMethodCall;
import io.github.ratelimit.Production;
import org.apache.commons.logging.Log;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever a client does, it fills no log: a new line needs its bound here. At the levels
 * DEBUG and TRACE there may be a line for each request.
 */
class LogLinesTests {

	/* The calls of each class that write a line, and what bounds their lines. */
	private static final List<String> CAUSED_BY_TRAFFIC = """
			policy.DecisionReports 1: once for each policy and class of listeners
			policy.KnownPlans 1: three for each policy
			policy.ThresholdDelivery 1: three a minute of failures, and of what is left out
			policy.RejectionLog 1: three a minute for each policy
			expression.ExpressionFailures 4: once for each expression of a location
			findings.RateLimitFindings 3: a hundred, and once that there are more
			redis.RedisDecider 1: once for each policy and override
			redis.RedisOverrides 1: once
			remote.Breaker 2: three outages a minute for each server, two lines each
			web.address.EitherForwardedList 1: once
			web.address.ClientAddressResolver 1: once
			web.reactive.ApplicationAnswers 1: once
			web.servlet.DelayedDispatch 1: once
			web.servlet.ErrorPage 1: once
			""".lines().toList();

	/* Written at the start, or when somebody changes limits. */
	private static final List<String> NOT_CAUSED_BY_TRAFFIC = """
			actuate.InstanceReports 1: once, when two instances have the same name
			autoconfigure.ConfiguredPolicies 1: once for each policy, when an annotation is read
			autoconfigure.Reconfiguration 3: when the environment changes
			autoconfigure.RateLimitSwitchAutoConfiguration 1: when the environment changes
			autoconfigure.StartFindings 2: at the start
			expression.PolicyBinder 1: once, when an expression is read
			policy.InterventionLog 2: when somebody bans, exempts or denies, or these end
			policy.OverrideLog 8: when somebody overrides limits, or Redis cannot be asked for that
			policy.StoreRateLimiterRegistry 1: when a policy is defined
			""".lines().toList();

	private static final Set<String> WRITING = Set.of("info", "warn", "error", "fatal");

	@Test
	void everyLineHasItsBound() {
		Map<String, Long> calls = Production.CLASSES.stream()
			.flatMap((type) -> type.getMethodCallsFromSelf().stream())
			.filter((call) -> call.getTargetOwner().isEquivalentTo(Log.class) && WRITING.contains(call.getName()))
			.collect(Collectors.groupingBy(LogLinesTests::caller, TreeMap::new, Collectors.counting()));
		assertThat(calls.entrySet()).extracting((each) -> each.getKey() + " " + each.getValue())
			.containsExactlyInAnyOrderElementsOf(listed());
	}

	private static List<String> listed() {
		return Stream.concat(CAUSED_BY_TRAFFIC.stream(), NOT_CAUSED_BY_TRAFFIC.stream())
			.map((line) -> line.split(": ")[0])
			.toList();
	}

	@Test
	void nothingIsWrittenInAnotherWay() {
		assertThat(Production.CLASSES.stream()
			.flatMap((type) -> type.getDirectDependenciesFromSelf().stream())
			.map((dependency) -> dependency.getTargetClass().getName())).doesNotContain("org.slf4j.Logger",
					"java.util.logging.Logger", "java.lang.System$Logger", "java.io.PrintStream");
	}

	private static String caller(JavaMethodCall call) {
		return call.getOriginOwner().getName().substring(Production.ROOT.length() + 1).replaceAll("\\$.*", "");
	}

}
