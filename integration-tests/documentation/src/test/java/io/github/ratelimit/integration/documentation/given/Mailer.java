package io.github.ratelimit.integration.documentation.given;

/**
 * Sends the application's mails.
 */
public class Mailer {

	/**
	 * Sends a mail.
	 * @param mail the mail
	 */
	public void send(String mail) {
	}

}
