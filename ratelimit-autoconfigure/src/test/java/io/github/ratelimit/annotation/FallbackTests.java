package io.github.ratelimit.annotation;

import java.lang.reflect.InvocationHandler;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.ratelimit.RateLimitAlgorithm;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitIntervention;
import io.github.ratelimit.RateLimitIntervention.Kind;
import io.github.ratelimit.RateLimitIntervention.Target;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.request.WaitingRoom;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests calls that a fallback answers in place of a rejection.
 */
class FallbackTests {

	@AutoClose
	private final LimitedApplication<Service> application = new LimitedApplication<>(Service.class);

	private final Service service = this.application.bean();

	@Test
	void fallbackAnswersWhatIsRejectedAndNothingElse() {
		assertThat(this.service.find("a", 1)).isEqualTo("a1");
		assertThat(this.service.find("b", 2)).isEqualTo("cached b2");
		assertThat(this.application.count("find", RateLimitOutcome.REJECTED)).isOne();
	}

	@Test
	void fallbackLearnsWhyTheCallIsRejected() {
		this.service.explain("a");
		assertThat(this.service.explain("b")).isEqualTo("b: explain, null, 60");
	}

	@Test
	void fallbackIsCalledOnTheBeanItselfAndIsNotLimited() {
		this.service.twice();
		for (int i = 0; i < 3; i++) {
			assertThat(this.service.twice()).isEqualTo("limited otherwise");
		}
		assertThat(this.service.limitedOtherwise()).isEqualTo("limited otherwise");
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(this.service::limitedOtherwise);
	}

	@Test
	void fallbackMayOverrideAGenericMethod() {
		try (LimitedApplication<TextStore> texts = new LimitedApplication<>(TextStore.class)) {
			texts.bean().get("a");
			assertThat(texts.bean().get("b")).isEqualTo("cached b");
		}
	}

	@Test
	void whatTheFallbackThrowsIsTheCalls() {
		this.service.failing();
		assertThatIllegalStateException().isThrownBy(this.service::failing).withMessage("nothing is cached");
	}

	@Test
	void futureOfTheFallbackIsTheCalls() {
		assertThat(this.service.later("a").toCompletableFuture().join()).isEqualTo("a");
		assertThat(this.service.later("b").toCompletableFuture().join()).isEqualTo("cached b");
		assertThat(this.application.get(WaitingRoom.class).waiting()).isZero();
	}

	@Test
	void eachSubscriptionIsAnsweredForItself() {
		Mono<String> mono = this.service.mono("a");
		Flux<Integer> flux = this.service.flux();
		assertThat(mono.block()).isEqualTo("a");
		assertThat(mono.block()).isEqualTo("cached a");
		assertThat(mono.block()).isEqualTo("cached a");
		assertThat(flux.collectList().block()).containsExactly(1, 2);
		assertThat(flux.collectList().block()).containsExactly(0);
	}

	@Test
	void ofSeveralLimitsTheFallbackOfTheOneThatRejectsAnswers() {
		assertThat(this.service.several("a")).isEqualTo("several");
		assertThat(this.service.several("a")).isEqualTo("of a");
		assertThat(this.service.several("b")).isEqualTo("several");
		assertThat(this.service.several("c")).isEqualTo("of all");
		assertThat(this.service.several("a")).as("both reject, and the first is written first").isEqualTo("of a");
	}

	@Test
	void aLimitWithoutFallbackRejectsBesideOneThatHasOne() {
		assertThat(this.service.partly("a")).isEqualTo("partly");
		assertThat(this.service.partly("a")).isEqualTo("of a");
		assertThat(this.service.partly("b")).isEqualTo("partly");
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.partly("c"));
	}

	@Test
	void whoFindsNoPlaceToWaitInIsAnswered() {
		try (LimitedApplication<Service> full = new LimitedApplication<>(Service.class,
				"ratelimit.waiting.maximum=0")) {
			full.bean().queued();
			assertThat(full.bean().queued().join()).isEqualTo("not queued");
			assertThat(full.count("queued", RateLimitOutcome.QUEUE_FULL)).isOne();
		}
	}

	@Test
	void whoIsBannedIsAnswered() {
		try (LimitedApplication<Service> banning = new LimitedApplication<>(Service.class,
				"ratelimit.policies.find.ban.after=1", "ratelimit.policies.find.ban.within=1h",
				"ratelimit.policies.find.ban.for=1h")) {
			banning.bean().find("a", 1);
			for (int i = 0; i < 3; i++) {
				assertThat(banning.bean().find("b", i)).isEqualTo("cached b" + i);
			}
			assertThat(banning.count("find", RateLimitOutcome.BANNED)).isPositive();
		}
	}

	@Test
	void whoIsDeniedIsNotAnswered() {
		Target target = Target.ofKey(Kind.DENY, "find", "all");
		this.application.get(RateLimiterRegistry.class)
			.interventions()
			.put(new RateLimitIntervention(target, null, null, null));
		assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> this.service.find("a", 1))
			.satisfies((rejection) -> assertThat(rejection.decision().denied()).isTrue());
	}

	@Test
	void aPolicyThatIsConfiguredNotToRejectNeedsNoFallback() {
		for (RateLimitMode mode : List.of(RateLimitMode.SHADOW, RateLimitMode.INFORM)) {
			try (LimitedApplication<Service> lenient = new LimitedApplication<>(Service.class,
					"ratelimit.policies.find.mode=" + mode)) {
				assertThat(lenient.bean().find("a", 1)).isEqualTo("a1");
				assertThat(lenient.bean().find("a", 1)).isEqualTo("a1");
			}
		}
	}

	@Test
	void codeIsToldWhatWasDecidedInTheFallback() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withBean(Asking.class)
			.run((context) -> {
				Asking asking = context.getBean(Asking.class);
				assertThat(asking.method()).isEqualTo("true");
				assertThat(asking.method()).isEqualTo("false");
			});
	}

	@Test
	void chargeOfARejectedCallTakesNothing() {
		assertThat(this.service.charged()).isEqualTo("charged");
		assertThat(this.application.remaining("charged", "all")).isZero();
		assertThat(this.service.charged()).isEqualTo("free");
		assertThat(this.application.remaining("charged", "all")).isZero();
	}

	@Test
	void fallbackOfATypeAnswersForEachOfItsMethodsAndIsNoneOfThem() {
		try (LimitedApplication<OfType> ofType = new LimitedApplication<>(OfType.class)) {
			assertThat(ofType.bean().one("a")).isEqualTo("a");
			assertThat(ofType.bean().one("a")).isEqualTo("cached a");
			assertThat(ofType.bean().two(2)).isEqualTo(-2);
			assertThat(ofType.bean().cached("b")).isEqualTo("cached b");
			assertThat(ofType.count("of-type", RateLimitOutcome.REJECTED)).isEqualTo(2);
		}
	}

	@Test
	void overloadThatFitsNoMethodIsNoFallbackOfTheType() {
		try (LimitedApplication<Overloaded> overloaded = new LimitedApplication<>(Overloaded.class)) {
			assertThat(overloaded.bean().one("a")).isEqualTo("a");
			assertThat(overloaded.bean().cached(1.5)).isEqualTo("rejected");
			assertThat(overloaded.bean().cached("b")).isEqualTo("cached b");
			assertThat(overloaded.count("overloaded", RateLimitOutcome.REJECTED)).isOne();
		}
	}

	@Test
	void fallbackOfAnInterfaceIsAMethodOfTheBean() {
		try (LimitedApplication<Stock> stock = new LimitedApplication<>(Stock.class)) {
			Counting counting = stock.bean();
			assertThat(counting.count("pen")).isEqualTo(3);
			assertThat(counting.count("pen")).isEqualTo(-1);
			assertThat(counting.names()).containsExactly("pen");
			assertThat(counting.names()).isEmpty();
		}
	}

	@Test
	void fallbackOfAClientWithoutTargetIsADefaultMethodOfItsInterface() {
		LimitedBeans.runner().withBean(Client.class, FallbackTests::client).run((context) -> {
			Client client = context.getBean(Client.class);
			assertThat(client.fetch("a")).isEqualTo("fetched a");
			assertThat(client.fetch("a")).isEqualTo("kept a");
		});
	}

	/* Frameworks answer so for an interface. */
	private static Client client() {
		return ProxyFactory.getProxy(Client.class, (MethodInterceptor) (call) -> {
			if (call.getMethod().isDefault()) {
				return InvocationHandler.invokeDefault(((ProxyMethodInvocation) call).getProxy(), call.getMethod(),
						call.getArguments());
			}
			return "fetched " + call.getArguments()[0];
		});
	}

	public interface Client {

		@RateLimited(limit = 1, window = "1m", fallback = "kept")
		String fetch(String id);

		default String kept(String id) {
			return "kept " + id;
		}

	}

	interface Counting {

		@RateLimited(limit = 1, window = "1m", fallback = "uncounted")
		int count(String item);

		@RateLimited(limit = 1, window = "1m", fallback = "noNames")
		List<String> names();

		default List<String> noNames() {
			return List.of();
		}

	}

	static class Stock implements Counting {

		@Override
		public int count(String item) {
			return item.length();
		}

		Integer uncounted(String item) {
			return -1;
		}

		@Override
		public List<String> names() {
			return List.of("pen");
		}

	}

	@RateLimited(name = "of-type", limit = 1, window = "1m", fallback = "cached")
	static class OfType {

		String one(String id) {
			return id;
		}

		int two(int number) {
			return number;
		}

		String cached(String id) {
			return "cached " + id;
		}

		int cached(int number) {
			return -number;
		}

	}

	@RateLimited(name = "overloaded", limit = 1, window = "1m", fallback = "cached")
	static class Overloaded {

		String one(String id) {
			return id;
		}

		String cached(String id) {
			return "cached " + id;
		}

		String cached(double price) {
			return "for " + price;
		}

		String cached(double price, RateLimitExceededException rejection) {
			return "rejected";
		}

	}

	static class Asking {

		private final RateLimitInfo info;

		Asking(RateLimitInfo info) {
			this.info = info;
		}

		@RateLimited(name = "asking", limit = 1, window = "1m", fallback = "told")
		String method() {
			return told();
		}

		String told() {
			return String.valueOf(Objects.requireNonNull(this.info.decision("asking")).allowed());
		}

	}

	static class Service {

		@RateLimited(name = "find", limit = 1, window = "1m", key = "'all'", fallback = "cached")
		String find(String id, int page) {
			return id + page;
		}

		protected String cached(String id, int page) {
			return "cached " + id + page;
		}

		@RateLimited(name = "explain", limit = 1, window = "1m", key = "'all'", fallback = "explained")
		String explain(String id) {
			return id;
		}

		String explained(String id, RuntimeException why) {
			RateLimitExceededException rejection = (RateLimitExceededException) why;
			return id + ": " + rejection.policy().name() + ", " + rejection.getCause() + ", "
					+ rejection.decision().retryAfterNanos() / 1_000_000_000;
		}

		@RateLimited(limit = 1, window = "1m", fallback = "limitedOtherwise")
		String twice() {
			return "twice";
		}

		@RateLimited(limit = 1, window = "1m")
		String limitedOtherwise() {
			return "limited otherwise";
		}

		@RateLimited(limit = 1, window = "1m", fallback = "failed")
		void failing() {
		}

		void failed() {
			throw new IllegalStateException("nothing is cached");
		}

		@RateLimited(limit = 1, window = "1m", key = "'all'", fallback = "atOnce")
		CompletionStage<String> later(String id) {
			return CompletableFuture.completedFuture(id);
		}

		CompletableFuture<String> atOnce(String id) {
			return CompletableFuture.completedFuture("cached " + id);
		}

		@RateLimited(limit = 1, window = "1m", key = "'all'", fallback = "cachedMono")
		Mono<String> mono(String id) {
			return Mono.just(id);
		}

		Mono<String> cachedMono(String id) {
			return Mono.just("cached " + id);
		}

		@RateLimited(limit = 1, window = "1m", key = "'all'", fallback = "cachedFlux")
		Flux<Integer> flux() {
			return Flux.just(1, 2);
		}

		Flux<Integer> cachedFlux(RateLimitExceededException rejection) {
			return Flux.just((int) rejection.decision().remaining());
		}

		@RateLimited(limit = 1, window = "1m", key = "#user", fallback = "ofUser")
		@RateLimited(limit = 2, window = "1m", key = "'all'", fallback = "ofAll")
		String several(String user) {
			return "several";
		}

		String ofUser(String user) {
			return "of " + user;
		}

		String ofAll(String user) {
			return "of all";
		}

		@RateLimited(limit = 1, window = "1m", key = "#user", fallback = "ofUser")
		@RateLimited(limit = 2, window = "1m", key = "'all'")
		String partly(String user) {
			return "partly";
		}

		@RateLimited(name = "queued", algorithm = RateLimitAlgorithm.LEAKY_BUCKET, limit = 1, window = "1s", burst = 5,
				fallback = "notQueued")
		CompletableFuture<String> queued() {
			return CompletableFuture.completedFuture("queued");
		}

		CompletableFuture<String> notQueued() {
			return CompletableFuture.completedFuture("not queued");
		}

		@RateLimited(name = "charged", limit = 1, window = "1m", key = "'all'", charge = "result == 'free' ? 0 : 1",
				fallback = "free")
		String charged() {
			return "charged";
		}

		String free() {
			return "free";
		}

	}

	abstract static class CachedStore<T> {

		String cached(T name) {
			return "no " + name;
		}

	}

	static class TextStore extends CachedStore<String> {

		@RateLimited(limit = 1, window = "1m", fallback = "cached")
		String get(String name) {
			return name;
		}

		@Override
		String cached(String name) {
			return "cached " + name;
		}

	}

}
