package io.github.ratelimit.web.servlet;

import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationEvent;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.authentication.event.InteractiveAuthenticationSuccessEvent;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Notes of requests whether somebody could log in with them, for charges. On the thread
 * that serves the request or runs its {@code Callable}, whatever the application's events
 * are passed on by.
 */
final class AuthenticationOutcomes implements ApplicationListener<AbstractAuthenticationEvent> {

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

	/**
	 * Notes how an authentication has ended, of the request that the calling thread
	 * serves.
	 * @param failed whether it has failed
	 */
	static void note(boolean failed) {
		LimitedServletRequest concurrent = ConcurrentAuthentication.current();
		LimitedServletRequest limited = (concurrent != null) ? concurrent
				: LimitedServletRequest.served(RequestContextHolder.getRequestAttributes());
		if (limited != null) {
			limited.noteAuthentication(failed);
		}
	}

	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}
