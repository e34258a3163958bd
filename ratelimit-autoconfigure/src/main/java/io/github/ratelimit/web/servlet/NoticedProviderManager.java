package io.github.ratelimit.web.servlet;

import java.util.List;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.MessageSource;
import org.springframework.security.authentication.AuthenticationEventPublisher;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;

/**
 * Stands for a manager whose authentications are noticed. Many publish none, and none
 * publishes a failure whose exception Spring Security does not know by its very class.
 */
final class NoticedProviderManager extends ProviderManager {

	private final ProviderManager manager;

	NoticedProviderManager(ProviderManager manager) {
		super(List.of(), manager);
		this.manager = manager;
	}

	@Override
	public Authentication authenticate(Authentication authentication) {
		try {
			Authentication authenticated = this.manager.authenticate(authentication);
			AuthenticationOutcomes.note(false);
			return authenticated;
		}
		catch (AuthenticationException ex) {
			AuthenticationOutcomes.note(true);
			throw ex;
		}
	}

	@Override
	public List<AuthenticationProvider> getProviders() {
		return this.manager.getProviders();
	}

	@Override
	public void setMessageSource(MessageSource messageSource) {
		this.manager.setMessageSource(messageSource);
	}

	@Override
	public void setAuthenticationEventPublisher(AuthenticationEventPublisher publisher) {
		this.manager.setAuthenticationEventPublisher(publisher);
	}

	@Override
	public void setEraseCredentialsAfterAuthentication(boolean erase) {
		this.manager.setEraseCredentialsAfterAuthentication(erase);
	}

	@Override
	public boolean isEraseCredentialsAfterAuthentication() {
		return this.manager.isEraseCredentialsAfterAuthentication();
	}

	/**
	 * Notices the authentications of all beans that are Spring Security's own manager,
	 * and of those that it configures itself, which it passes through here, too.
	 */
	static final class Beans implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean.getClass() == ProviderManager.class) ? new NoticedProviderManager((ProviderManager) bean)
					: bean;
		}

	}

}
