package io.github.ratelimit.annotation;

import io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration;
import io.github.ratelimit.autoconfigure.RateLimitMethodAutoConfiguration;
import io.github.ratelimit.request.CurrentRequest;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.test.ManualClock;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Applications without a web server, whose clock stands still and whose calls wait only
 * as a test says.
 */
final class LimitedBeans {

	private LimitedBeans() {
	}

	static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RateLimitAutoConfiguration.class, RateLimitMethodAutoConfiguration.class))
			.withUserConfiguration(ManualTime.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class ManualTime {

		@Bean
		ManualClock clock() {
			return ManualClock.atMidnight();
		}

		@Bean
		ManualDelayScheduler delayScheduler(ManualClock clock) {
			return new ManualDelayScheduler(clock);
		}

		@Bean
		static BeanPostProcessor manualWaiting(BeanFactory beans) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return (bean instanceof RateLimitedInterceptor) ? waitingByHand(beans) : bean;
				}

			};
		}

		private static RateLimitedInterceptor waitingByHand(BeanFactory beans) {
			CurrentRequests current = new CurrentRequests(
					beans.getBeanProvider(CurrentRequest.class).orderedStream().toList(),
					beans.getBean(WaitingRoom.class));
			return new RateLimitedInterceptor(beans.getBean(RateLimitedMethods.class), current,
					beans.getBean(ManualDelayScheduler.class));
		}

	}

}
