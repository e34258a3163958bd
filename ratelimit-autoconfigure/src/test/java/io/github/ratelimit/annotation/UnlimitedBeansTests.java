package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.LimitedServices.Service;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Beans that come to be otherwise than others, beside post-processors or by them, are
 * limited, left alone, or fail start-up.
 */
class UnlimitedBeansTests {

	@Test
	void objectThatIsRegisteredFailsStartUp() {
		LimitedBeans.runner()
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("service", new Service()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage("@RateLimited on Service.limited() would have no effect, because the bean 'service' was "
						+ "registered as an object, which post-processors do not see"));
	}

	@Test
	void beanThatPostProcessorsPassOverFailsStartUp() {
		LimitedBeans.runner().withInitializer((context) -> {
			RootBeanDefinition definition = new RootBeanDefinition(Service.class);
			definition.setSynthetic(true);
			((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("service", definition);
		})
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("the bean 'service' has a synthetic bean definition"));
	}

	@Test
	void objectThatStandsInForADefinedBeanIsLeftAlone() {
		LimitedBeans.runner()
			.withBean("service", Service.class)
			.withBean("standingIn", BeanFactoryPostProcessor.class,
					() -> (beans) -> beans.registerSingleton("service", new Service()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(AopUtils.isAopProxy(context.getBean("service"))).isFalse();
			});
	}

	@Test
	void configurationClassMayHaveLimitedMethods() {
		LimitedBeans.runner().withUserConfiguration(LimitedConfiguration.class).run((context) -> {
			LimitedConfiguration configuration = context.getBean(LimitedConfiguration.class);
			configuration.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(configuration::limited);
			assertThat(context.getBean("one")).isSameAs(context.getBean("other"));
		});
	}

	@Test
	void wrapperOfALimitedBeanIsLeftAlone() {
		LimitedBeans.runner().withUserConfiguration(Wrapping.class).run((context) -> {
			AnnotatedContract service = context.getBean(AnnotatedContract.class);
			assertThat(AopUtils.isAopProxy(service)).isFalse();
			service.limited();
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(service::limited);
		});
	}

	static class Other {

	}

	@Configuration
	static class LimitedConfiguration {

		@Bean
		Other one() {
			return new Other();
		}

		@Bean
		Other other() {
			return one();
		}

		@RateLimited(limit = 1, window = "1m")
		public void limited() {
		}

	}

	interface AnnotatedContract {

		@RateLimited(limit = 1, window = "1m")
		void limited();

	}

	static class AnnotatedService implements AnnotatedContract {

		@Override
		public void limited() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapping {

		@Bean
		AnnotatedService service() {
			return new AnnotatedService();
		}

		@Bean
		static BeanPostProcessor wrapping() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return (bean instanceof AnnotatedContract contract) ? new Wrapper(contract) : bean;
				}

			};
		}

	}

	static class Wrapper implements AnnotatedContract {

		private final AnnotatedContract wrapped;

		Wrapper(AnnotatedContract wrapped) {
			this.wrapped = wrapped;
		}

		@Override
		public void limited() {
			this.wrapped.limited();
		}

	}

}
