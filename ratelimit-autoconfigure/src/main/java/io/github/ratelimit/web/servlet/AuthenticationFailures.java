package io.github.ratelimit.web.servlet;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationListener;
import org.springframework.security.authentication.event.AbstractAuthenticationFailureEvent;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Notes the requests that somebody tried to log in with and could not, for charges. On
 * the thread that serves the request or runs its {@code Callable}, whatever the
 * application's events are passed on by.
 */
final class AuthenticationFailures implements ApplicationListener<AbstractAuthenticationFailureEvent> {

	@Override
	public void onApplicationEvent(AbstractAuthenticationFailureEvent event) {
		LimitedServletRequest concurrent = ConcurrentAuthentication.current();
		LimitedServletRequest limited = (concurrent != null) ? concurrent : served();
		if (limited != null) {
			limited.noteFailedAuthentication();
		}
	}

	private static @Nullable LimitedServletRequest served() {
		RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
		try {
			LimitedServletRequest limited = (attributes != null) ? LimitedServletRequest.find(attributes) : null;
			return (limited != null && limited.servedBy == Thread.currentThread()) ? limited : null;
		}
		catch (IllegalStateException ex) {
			return null;
		}
	}

	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

}
