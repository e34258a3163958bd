package io.github.ratelimit.web.servlet;

import java.util.List;
import java.util.Objects;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.annotation.Interception;
import io.github.ratelimit.request.LimitedHttpRequest;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.context.ApplicationListener;
import org.springframework.core.NativeDetector;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.authentication.event.InteractiveAuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Notes whether somebody could log in with a request, for charges. It does so on the
 * thread that serves the request or runs its {@code Callable}, whatever the application's
 * events are passed on by.
 */
final class AuthenticationOutcomes extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements ApplicationListener<AbstractAuthenticationEvent> {

	/* Of managers that ask one another, the first one says how it has ended. */
	private static final ThreadLocal<@Nullable Boolean> UNDER_WAY = new ThreadLocal<>();

	AuthenticationOutcomes() {
		this.advisor = new DefaultPointcutAdvisor((MethodInterceptor) (call) -> {
			if (call.getMethod().getName().equals("authenticate")) {
				return notice(() -> (Authentication) call.proceed());
			}
			return call.proceed();
		});
		setProxyTargetClass(true);
	}

	/*
	 * Beans of other classes may be asked for by their class. A native image has no
	 * subclass of one whose declared type is the interface.
	 */
	@Override
	protected boolean isEligible(Class<?> type) {
		if (!AuthenticationManager.class.isAssignableFrom(type)) {
			return false;
		}
		if (ClassUtils.isLambdaClass(type)) {
			return true;
		}
		return !NativeDetector.inNativeImage() && Interception.isReplaceable(type);
	}

	private static <X extends Throwable> @Nullable Authentication notice(Attempt<X> attempt) throws X {
		if (UNDER_WAY.get() != null) {
			return attempt.make();
		}

		UNDER_WAY.set(true);
		try {
			enforcePostponed();
			Authentication result = attempt.make();
			noteResult(result);
			return result;
		}
		catch (Throwable ex) {
			noteFailure(ex);
			throw ex;
		}
		finally {
			UNDER_WAY.remove();
		}
	}

	/*
	 * What nobody is known by yet, such as the first of two factors, is no success.
	 */
	private static void noteResult(@Nullable Authentication result) {
		if (result != null && result.isAuthenticated()) {
			note(false);
		}
	}

	/*
	 * A manager that breaks has found nobody, whatever it fails with.
	 */
	private static void noteFailure(Throwable failure) {
		if (RateLimitExceededException.find(failure) == null) {
			note(true);
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

	/*
	 * What a manager publishes that another one has asked is not the end.
	 */
	@Override
	public void onApplicationEvent(AbstractAuthenticationEvent event) {
		if (UNDER_WAY.get() != null) {
			return;
		}
		if (event instanceof AbstractAuthenticationFailureEvent) {
			note(true);
		}
		else if (event instanceof AuthenticationSuccessEvent
				|| event instanceof InteractiveAuthenticationSuccessEvent) {
			note(false);
		}
	}

	/*
	 * The managers that Spring Security configures itself come here, too. They are many,
	 * and all of one class, of which a subclass costs a start less than a proxy.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean.getClass() == ProviderManager.class) {
			return new NoticedProviderManager((ProviderManager) bean);
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	@Override
	public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
		if (beanClass == ProviderManager.class) {
			return beanClass;
		}
		return super.determineBeanType(beanClass, beanName);
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
	 * Asks a manager.
	 *
	 * @param <X> the type of what it fails with
	 */
	private interface Attempt<X extends Throwable> {

		@Nullable Authentication make() throws X;

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
			return Objects.requireNonNull(notice(() -> this.manager.authenticate(authentication)));
		}

		@Override
		public List<AuthenticationProvider> getProviders() {
			return this.manager.getProviders();
		}

	}

}
