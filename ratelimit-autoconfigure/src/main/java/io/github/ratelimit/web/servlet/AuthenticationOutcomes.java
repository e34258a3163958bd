package io.github.ratelimit.web.servlet;

import java.util.List;

import io.github.ratelimit.request.LimitedHttpRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.authentication.event.InteractiveAuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Notes whether somebody could log in with a request, for charges. It does so on the
 * thread that serves the request or runs its {@code Callable}, whatever the application's
 * events are passed on by.
 */
final class AuthenticationOutcomes implements ApplicationListener<AbstractAuthenticationEvent>, BeanPostProcessor {

	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		if (event instanceof AbstractAuthenticationFailureEvent) {
			note(true);
		}
		else if (event instanceof AuthenticationSuccessEvent
				|| event instanceof InteractiveAuthenticationSuccessEvent) {
			note(false);
		}
	}

	/*
	 * The managers that Spring Security configures itself come here, too.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean.getClass() != ProviderManager.class) {
			return bean;
		}
		return new NoticedProviderManager((ProviderManager) bean);
	}

	/**
	 * Notes how an authentication has ended, for the request that the calling thread
	 * serves.
	 * @param failed whether it has failed
	 */
	static void note(boolean failed) {
		LimitedHttpRequest limited = current();
		if (limited != null) {
			limited.noteAuthentication(failed);
		}
	}

	private static @Nullable LimitedHttpRequest current() {
		LimitedHttpRequest concurrent = ConcurrentHandling.current();
		if (concurrent != null) {
			return concurrent;
		}
		return LimitedServletRequest.served(RequestContextHolder.getRequestAttributes());
	}

	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	/**
	 * Stands for a manager whose authentications are noticed. Many publish none, and none
	 * publishes a failure whose exception Spring Security does not know by its very
	 * class.
	 */
	private static final class NoticedProviderManager extends ProviderManager {

		private final ProviderManager manager;

		NoticedProviderManager(ProviderManager manager) {
			super(List.of(), manager);
			this.manager = manager;
			setEraseCredentialsAfterAuthentication(manager.isEraseCredentialsAfterAuthentication());
		}

		@Override
		public Authentication authenticate(Authentication authentication) {
			enforcePostponed();
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

		private static void enforcePostponed() {
			if (!(current() instanceof LimitedServletRequest limited)) {
				return;
			}
			Runnable decision = limited.takePostponed();
			if (decision != null) {
				decision.run();
			}
		}

		@Override
		public List<AuthenticationProvider> getProviders() {
			return this.manager.getProviders();
		}

	}

}
