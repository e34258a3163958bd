package io.github.ratelimit.web.servlet;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.authentication.ProviderManager;

/**
 * Notices the authentications of all beans that are Spring Security's own manager, and of
 * those that it configures itself, which it passes through here, too.
 */
final class NoticedAuthentications implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean.getClass() == ProviderManager.class) ? new NoticedProviderManager((ProviderManager) bean) : bean;
	}

}
