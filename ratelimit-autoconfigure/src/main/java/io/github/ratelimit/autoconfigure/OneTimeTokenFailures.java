package io.github.ratelimit.autoconfigure;

import java.util.Map;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.DefaultAuthenticationEventPublisher;
import org.springframework.security.authentication.event.AuthenticationFailureBadCredentialsEvent;
import org.springframework.security.authentication.ott.InvalidOneTimeTokenException;

/**
 * Lets Spring Security publish that a one-time token was wrong, as it does for passwords
 * and bearer tokens: it has no event for these by default.
 */
final class OneTimeTokenFailures implements BeanPostProcessor {

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean.getClass() == DefaultAuthenticationEventPublisher.class) {
			((DefaultAuthenticationEventPublisher) bean).setAdditionalExceptionMappings(
					Map.of(InvalidOneTimeTokenException.class, AuthenticationFailureBadCredentialsEvent.class));
		}
		return bean;
	}

}
