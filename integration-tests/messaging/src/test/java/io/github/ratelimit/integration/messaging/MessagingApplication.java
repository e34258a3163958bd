package io.github.ratelimit.integration.messaging;

import com.rabbitmq.client.Channel;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.kafka.clients.admin.NewTopic;

import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.test.TestRabbitTemplate;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Listeners of everything that Spring Boot configures by itself. There is no RabbitMQ:
 * its containers are called as if a message had come.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ Calls.class, Listeners.class })
class MessagingApplication {

	@Bean
	NewTopic topic(@Value("${test.queue}") String name) {
		return new NewTopic(name, 1, (short) 1);
	}

	@Bean
	DefaultErrorHandler kafkaErrorHandler() {
		return new DefaultErrorHandler(new FixedBackOff(0, 0));
	}

	@Bean
	ConnectionFactory jmsConnectionFactory() {
		return new ActiveMQConnectionFactory(Brokers.JMS);
	}

	@Bean
	org.springframework.amqp.rabbit.connection.ConnectionFactory rabbitConnectionFactory() {
		Channel channel = mock(Channel.class);
		given(channel.isOpen()).willReturn(true);
		Connection connection = mock(Connection.class);
		given(connection.isOpen()).willReturn(true);
		given(connection.createChannel(anyBoolean())).willReturn(channel);
		var factory = mock(org.springframework.amqp.rabbit.connection.ConnectionFactory.class);
		given(factory.createConnection()).willReturn(connection);
		return factory;
	}

	@Bean
	TestRabbitTemplate rabbitTemplate(org.springframework.amqp.rabbit.connection.ConnectionFactory factory) {
		return new TestRabbitTemplate(factory);
	}

}
