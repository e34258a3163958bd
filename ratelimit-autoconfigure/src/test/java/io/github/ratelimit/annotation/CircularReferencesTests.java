package io.github.ratelimit.annotation;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.annotation.LimitedServices.Service;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A bean that others get before it has its proxy fails start-up.
 */
class CircularReferencesTests {

	@Test
	void circularReferenceFailsStartUp() {
		circular().withUserConfiguration(Circular.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessage(
						"@RateLimited on CircularService would have no effect for beans that the bean 'service' needs "
								+ "itself, because they get it before it has its proxy"));
	}

	@Test
	void circularReferenceThatNobodyDeclaresFailsStartUp() {
		circular().withUserConfiguration(LookedUp.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("'service'"));
	}

	@Test
	void circularReferenceOfABeanThatIsProxiedAnywayFailsStartUp() {
		circular().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(Advised.class, Circular.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidRateLimitException.class)
				.hasMessageContaining("'service'"));
	}

	@Test
	void circularReferenceOfOtherBeansIsLeftAlone() {
		circular().withUserConfiguration(CircularOthers.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static ApplicationContextRunner circular() {
		return LimitedBeans.runner().withAllowCircularReferences(true);
	}

	@Configuration(proxyBeanMethods = false)
	static class Advised {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor advisor() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("limited");
			return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) MethodInvocation::proceed);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Circular {

		@Bean
		CircularService service() {
			return new CircularService();
		}

		@Bean
		Other other(CircularService service) {
			return new Other();
		}

	}

	static class CircularService extends Service {

		@Autowired
		Other other;

	}

	static class Other {

	}

	@Configuration(proxyBeanMethods = false)
	static class LookedUp {

		@Bean
		CircularService service() {
			return new CircularService();
		}

		@Bean
		Other other(ConfigurableApplicationContext context) {
			context.getBean("service");
			return new Other();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CircularOthers {

		@Bean
		One one() {
			return new One();
		}

		@Bean
		Two two() {
			return new Two();
		}

		@Bean
		Service service() {
			return new Service();
		}

	}

	static class One {

		@Autowired
		Two two;

	}

	static class Two {

		@Autowired
		One one;

	}

}
