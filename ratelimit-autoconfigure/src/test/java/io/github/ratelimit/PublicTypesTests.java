package io.github.ratelimit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A public type is a decision: it is either for users, or an entry through which packages
 * meet, with the reason.
 */
class PublicTypesTests {

	private static final String FOR_USERS = """
			CalendarWindow
			InvalidRateLimitException
			LimitStanding
			LimitStatus
			RateLimit
			RateLimitAlgorithm
			RateLimitBan
			RateLimitClock
			RateLimitDecision
			RateLimitExceededException
			RateLimitExpression
			RateLimitListener
			RateLimitMode
			RateLimitOutcome
			RateLimitOverride
			RateLimitOverrideException
			RateLimitOverrides
			RateLimitPlan
			RateLimitPlanResolver
			RateLimitPolicy
			RateLimitSettlement
			RateLimitShadow
			RateLimitStanding
			RateLimiter
			RateLimiterRegistry
			actuate.RateLimitsEndpoint
			algorithm.Algorithm
			algorithm.KeyState
			algorithm.Tick
			annotation.RateLimited
			autoconfigure.RateLimitAutoConfiguration
			autoconfigure.RateLimitEndpointAutoConfiguration
			autoconfigure.RateLimitGraphQlAutoConfiguration
			autoconfigure.RateLimitHealthAutoConfiguration
			autoconfigure.RateLimitMessagingAutoConfiguration
			autoconfigure.RateLimitMethodAutoConfiguration
			autoconfigure.RateLimitMetricsAutoConfiguration
			autoconfigure.RateLimitMvcAutoConfiguration
			autoconfigure.RateLimitProperties
			autoconfigure.RateLimitReactiveAutoConfiguration
			autoconfigure.RateLimitRedisAutoConfiguration
			autoconfigure.RateLimitRefreshAutoConfiguration
			autoconfigure.RateLimitServletAutoConfiguration
			autoconfigure.RateLimitSpringDocAutoConfiguration
			autoconfigure.RateLimitSwitchAutoConfiguration
			expression.KeyResolver
			expression.RateLimitContext
			request.RequestView
			local.LocalRateLimitStore
			redis.RedisRateLimitStore
			redis.RedisSettings
			remote.Deadline
			remote.FailureMode
			remote.RemoteStore
			remote.ResilienceSettings
			remote.ResilientStore
			remote.StoreCallException
			store.JointDecision
			store.KeyMemory
			store.RateLimitDecisions
			store.RateLimitReceipt
			store.RateLimitSession
			store.PolicyDecider
			store.RateLimitStore
			store.RateLimitStoreAvailability
			store.SharedOverrides
			web.HeaderFamily
			web.PolicyNames
			web.ResetFormat
			web.servlet.RateLimitRejectionHandler
			""";

	private static final String BETWEEN_PACKAGES = """
			BackgroundThreads: every package names its threads alike
			LogBudget: bans, outages and failures fill no log
			Probation: keys and client addresses are watched alike
			ReadableText: one way to show text that somebody else has sent
			DurationText: one way to write durations in all messages and in the endpoint
			Suggestion: one "did you mean" for all mistakes
			actuate.EndpointParts: what the endpoint is given of what it shows
			actuate.InvalidOperationException: what is told of a mistake in an override or a simulation
			actuate.OverrideAudit: a bean
			actuate.OverrideReader: reads overrides as configuration files are read
			actuate.RateLimitHistory: a bean
			actuate.RateLimitMetrics: a bean
			actuate.RateLimitStoreHealthIndicator: a bean
			actuate.RateLimitsEndpointWebExtension: a bean
			actuate.SimulationOperation: what is answered to a simulation, for whatever maps it
			advice.Advice: what the endpoint describes
			advice.Advisor: a bean
			advice.ObservedTraffic: what a limiter tells of its requests
			advice.RejectedKey: what the endpoint describes
			algorithm.ExactRate: the scripts count in the same units
			algorithm.FixedWindowCounter: the scripts' answers are put into words by it
			algorithm.LogSize: every store checks the size of a log alike
			algorithm.SlidingEstimate: the scripts' answers are put into words by it
			algorithm.WordAlgorithm: local states change one word
			annotation.Interception: which methods a proxy can intercept, for the post-processor
			annotation.RateLimitedBeans: the entry to the check at start-up
			annotation.RateLimitedMethods: the limits of a method, for every way in
			annotation.EarlyBeans: registered before any bean is made
			annotation.OutermostAdvice: a bean
			annotation.RateLimitedBeanPostProcessor: a bean
			annotation.RateLimitedInterceptor: a bean
			request.Acquisition: what every way in acquires, and what header fields are made of
			policy.AppliedPlace: what the endpoint shows of a binding
			request.CurrentRequest: how each way in tells of the request that a thread serves
			request.CurrentRequests: all of these as one
			request.LimitedHttpRequest: what a servlet request and a reactive one share
			annotation.LimitedMethod: the limits of a method, found once
			request.LimitedRequest: what every way in enters
			policy.OverrideChange: what is published for audits
			request.PermitRequest: what is asked of one policy
			policy.PlanSettings: how the registry finds out who has which plan
			expression.PolicyBinder: binds rules and methods to their policies
			expression.PolicyBinding: a policy where it is applied
			policy.PlanQuestion: how an expression tells the plan of a caller
			policy.PolicyVersion: the numbers that decide on a request
			policy.PolicyChange: a policy that is defined while requests are decided on
			request.SeparateCalls: calls outside of requests, for GraphQL and messages
			policy.StoreRateLimiter: the limiter behind a binding
			policy.StoreRateLimiterRegistry: a bean
			request.SystemDelayScheduler: a bean's part
			request.DelayScheduler: waiting is the same for calls and requests
			request.WaitingRoom: a bean
			request.CallOutcome: how a call has ended, for its charge
			expression.KeyNormalizer: the key that somebody typed, for the endpoint
			request.Charge: what a call is charged, kept until it is over
			expression.ExpressionHints: what a native image needs, for both kinds of expressions
			findings.FindingCode: every package says by it what it has found
			findings.RateLimitFinding: what the endpoint shows
			findings.RateLimitFindings: a bean
			findings.TrafficFindings: a bean's part
			graphql.AuthenticatedUser: a bean's part, with and without Security
			graphql.GraphQlRequests: a bean
			graphql.RateLimitErrors: a bean
			messaging.MessageCurrentRequest: a bean
			messaging.RejectedMessageAdvice: a bean
			redis.RedisServerCheck: a bean
			simulation.SimulatedLimit: what is answered of one limit
			simulation.Simulation: what is simulated, read from JSON and answered in JSON
			springdoc.LimitedOperations: a bean, which makes the others of its package
			web.ClientAddressResolver: a bean
			web.HeaderFieldSetter: where header fields go, whichever the web stack
			web.HeaderName: names header fields for both web stacks and CORS
			web.RateLimitHeaders: a bean
			web.RateLimitProblem: the body of a 429, whichever the web stack
			web.RateLimitRule: a rule, whichever the web stack
			web.RequestedPath: the path that rules match, whichever the web stack
			annotation.RateLimitedAdvisor: advice by which limited proxies are known
			web.reactive.RateLimitExceptionHandler: a bean
			web.servlet.DelayedDispatch: a bean
			web.servlet.MvcRateLimits: the entry to what is added to Spring MVC
			web.servlet.RateLimitFilter: a bean's part
			web.servlet.RateLimitRejections: a bean
			web.servlet.RejectionCors: a bean's part
			web.servlet.ServletRateLimits: a bean
			""";

	@Test
	void everyPublicTypeIsListed() {
		List<String> types = publicTypes().map((type) -> type.getName().substring(Production.ROOT.length() + 1))
			.toList();
		List<String> between = BETWEEN_PACKAGES.lines().map((line) -> line.split(": ")[0]).toList();
		assertThat(types)
			.containsExactlyInAnyOrderElementsOf(Stream.concat(FOR_USERS.lines(), between.stream()).toList());
	}

	/*
	 * A share of all types would forbid to merge those that are not public.
	 */
	@Test
	void atMost158TypesArePublic() {
		assertThat(publicTypes().count()).isLessThanOrEqualTo(158);
	}

	@Test
	void everyPublicTypeSaysSinceWhenItIsThere() {
		assertThat(publicTypes().map(PublicTypesTests::source)).isNotEmpty()
			.allSatisfy((source) -> assertThat(source).contains("\n * @since "));
	}

	private static Stream<JavaClass> publicTypes() {
		return Production.CLASSES.stream()
			.filter((type) -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC));
	}

	private static String source(JavaClass type) {
		try {
			return Files.readString(Path.of("src", "main", "java").resolve(type.getName().replace('.', '/') + ".java"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
