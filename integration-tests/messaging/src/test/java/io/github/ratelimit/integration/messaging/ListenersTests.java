package io.github.ratelimit.integration.messaging;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * Listeners that Spring Boot has enabled.
 */
@SpringBootTest(classes = MessagingApplication.class, properties = "test.queue=boot")
class ListenersTests extends ListenersContract {

}
