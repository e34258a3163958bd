package io.github.ratelimit.messaging;

import io.github.ratelimit.request.WaitingRoom;
import io.github.ratelimit.web.address.ClientAddressResolver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.MessageChannel;
import org.springframework.web.socket.config.annotation.DelegatingWebSocketMessageBrokerConfiguration;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;

/**
 * Auto-configuration for STOMP over WebSocket: makes the message available to the keys of
 * its handlers, and sends an error to a client that is rejected.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
		"io.github.ratelimit.autoconfigure.RateLimitServletAutoConfiguration" })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(WebSocketMessageBrokerConfigurer.class)
@ConditionalOnBean({ WaitingRoom.class, DelegatingWebSocketMessageBrokerConfiguration.class })
public final class RateLimitMessagingAutoConfiguration {

	@Bean
	@Order(0)
	MessageCurrentRequest rateLimitMessageCurrentRequest(WaitingRoom room, ClientAddressResolver clientAddresses) {
		return new MessageCurrentRequest(room, clientAddresses);
	}

	@Bean
	RejectedMessageAdvice rateLimitRejectedMessageAdvice(
			@Qualifier("clientOutboundChannel") ObjectProvider<MessageChannel> channel) {
		return new RejectedMessageAdvice(channel::getObject);
	}

}
