package io.github.ratelimit.autoconfigure;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * All that is on the class path, configured, and open to all.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(OpenToAll.class)
public class WholeApplication {

}
