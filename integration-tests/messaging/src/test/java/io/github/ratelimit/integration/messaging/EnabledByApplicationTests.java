package io.github.ratelimit.integration.messaging;

import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Listeners that the application has enabled itself, so that what looks for them was
 * registered before our auto-configuration.
 */
@SpringBootTest(classes = EnabledByApplicationTests.Application.class, properties = "test.queue=application")
class EnabledByApplicationTests extends ListenersContract {

	@Test
	void limitsScheduledMethod() {
		assertThirdIsRejected("scheduled");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableKafka
	@EnableRabbit
	@EnableJms
	@EnableScheduling
	@Import({ MessagingApplication.class, ScheduledJob.class })
	static class Application {

	}

}
