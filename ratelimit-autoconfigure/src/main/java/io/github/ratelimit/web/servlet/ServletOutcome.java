package io.github.ratelimit.web.servlet;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.DisconnectedClientHelper;

/**
 * How a servlet request has ended, as far as its response shows it.
 *
 * @param response the server's own response, unless it is not known
 * @param exception what the request has failed with, if it has
 * @param thrown whether it has left its filters with an exception
 * @param errorShown whether an exception has its status by now
 */
record ServletOutcome(@Nullable HttpServletResponse response, @Nullable Throwable exception, boolean thrown,
		boolean errorShown) {

	/**
	 * Whether the client has seen a status.
	 */
	boolean isSent() {
		return this.response != null && this.response.isCommitted();
	}

	/**
	 * Asks the server whether the client has left before it had all of the response,
	 * which may send what is left of it. Whoever writes bytes is told by an exception,
	 * and whoever writes text is not. An error page that is still to come is not asked
	 * for its writer, because Jetty would take that for the page.
	 * @return whether the client is known to have left
	 */
	boolean detectLostReader() {
		HttpServletResponse response = this.response;
		if (response == null || !response.isCommitted()) {
			return false;
		}
		if (!this.errorShown && response.getStatus() >= HttpServletResponse.SC_BAD_REQUEST) {
			return false;
		}

		try {
			return response.getWriter().checkError();
		}
		catch (IOException | IllegalStateException ex) {
			// it has written bytes
			return false;
		}
	}

	/**
	 * Returns the status that the client gets.
	 */
	int status() {
		HttpServletResponse response = this.response;
		int status = (response != null) ? response.getStatus() : HttpServletResponse.SC_OK;
		if (status == HttpServletResponse.SC_OK && !isSent() && hasUnansweredFailure()) {
			return HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
		}
		return status;
	}

	/*
	 * Spring MVC answers nothing to an exception whose message reads like a lost
	 * connection.
	 */
	private boolean hasUnansweredFailure() {
		if (this.thrown && !this.errorShown) {
			return true;
		}
		return DisconnectedClientHelper.isClientDisconnectedException(this.exception);
	}

}
