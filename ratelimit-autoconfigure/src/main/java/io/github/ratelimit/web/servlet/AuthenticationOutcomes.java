package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.concurrent.Callable;

import jakarta.servlet.http.HttpServletRequest;
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
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;

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
		LimitedServletRequest limited = current();
		if (limited != null) {
			limited.noteAuthentication(failed);
		}
	}

	private static @Nullable LimitedServletRequest current() {
		LimitedServletRequest concurrent = ConcurrentAuthentication.CURRENT.get();
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
	 * Knows the request that a thread of Spring MVC runs the handler's {@code Callable}
	 * for, so that a failed authentication is noted there too.
	 *
	 * @param limited the request
	 */
	record ConcurrentAuthentication(LimitedServletRequest limited) implements CallableProcessingInterceptor {

		private static final ThreadLocal<@Nullable LimitedServletRequest> CURRENT = new ThreadLocal<>();

		/**
		 * Watches what a handler may return, if its request is charged.
		 * @param request the request, before its handler is called
		 * @param limited what is known of it
		 */
		static void watch(HttpServletRequest request, LimitedServletRequest limited) {
			WebAsyncUtils.getAsyncManager(request)
				.registerCallableInterceptor(ConcurrentAuthentication.class, new ConcurrentAuthentication(limited));
		}

		@Override
		public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
			CURRENT.set(this.limited);
			this.limited.noteWorking(true);
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object concurrentResult) {
			CURRENT.remove();
			this.limited.noteWorking(false);
		}

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
			LimitedServletRequest limited = current();
			if (limited != null) {
				limited.enforcePostponed();
			}
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

	}

}
