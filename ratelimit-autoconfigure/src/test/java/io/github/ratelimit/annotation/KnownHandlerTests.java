package io.github.ratelimit.annotation;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is known of the object that a handler is called on.
 */
class KnownHandlerTests {

	private final AtomicInteger searches = new AtomicInteger();

	private final LimitedMethod method = new LimitedMethod(Object.class.getMethods()[0], List.of(), String.class);

	@Test
	void aProxyIsSearchedOnceForItsAdvice() {
		Object proxy = limitedProxy();
		for (int i = 0; i < 3; i++) {
			assertThat(RateLimitedAdvisor.sees(this.method, proxy)).isTrue();
		}
		assertThat(this.searches).hasValue(1);
	}

	@Test
	void anotherHandlerOfTheMethodIsNotTakenForTheFirst() {
		Object proxy = limitedProxy();
		assertThat(RateLimitedAdvisor.sees(this.method, proxy)).isTrue();
		assertThat(RateLimitedAdvisor.sees(this.method, new Object())).isFalse();
		assertThat(RateLimitedAdvisor.sees(this.method, proxy)).isTrue();
	}

	@Test
	void anotherHandlerOfTheSameProxyClassMayHaveNoAdvice() {
		assertThat(RateLimitedAdvisor.sees(this.method, limitedProxy())).isTrue();
		assertThat(RateLimitedAdvisor.sees(this.method, proxy())).isFalse();
	}

	@Test
	void aHandlerThatNobodyUsesIsNotKept() {
		WeakReference<Object> used = used();
		Awaitility.await().until(() -> {
			System.gc();
			return used.refersTo(null);
		});
	}

	private WeakReference<Object> used() {
		Object proxy = limitedProxy();
		assertThat(RateLimitedAdvisor.sees(this.method, proxy)).isTrue();
		return new WeakReference<>(proxy);
	}

	private Object limitedProxy() {
		return proxy(new RateLimitedAdvisor(List.of(), () -> {
			throw new IllegalStateException("No call is made");
		}));
	}

	private Object proxy(Advisor... advisors) {
		return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Advised.class },
				(proxy, called, arguments) -> {
					if (!called.getReturnType().equals(Advisor[].class)) {
						return null;
					}
					this.searches.incrementAndGet();
					return advisors;
				});
	}

}
