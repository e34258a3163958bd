package io.github.ratelimit.integration.messaging;

import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * The brokers that all tests share, in this process.
 */
final class Brokers {

	static final String KAFKA = startKafka();

	static final String JMS = startJms();

	private Brokers() {
	}

	private static String startKafka() {
		EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, 1)
			.brokerProperty("group.initial.rebalance.delay.ms", "0");
		broker.afterPropertiesSet();
		Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy));
		return broker.getBrokersAsString();
	}

	private static String startJms() {
		try {
			EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
			broker.setConfiguration(new ConfigurationImpl().setPersistenceEnabled(false)
				.setSecurityEnabled(false)
				.addAcceptorConfiguration("in-vm", "vm://0"));
			broker.start();
			return "vm://0";
		}
		catch (Exception ex) {
			throw new IllegalStateException("The JMS broker did not start", ex);
		}
	}

}
