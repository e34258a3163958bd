package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.RateLimiterRegistry
import io.github.ratelimit.test.ManualClock
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ApplicationContext
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/**
 * Starts an application whose rate limits see time only when a test moves it.
 */
internal fun start(
    type: WebApplicationType,
    vararg beans: Class<*>,
    properties: List<String> = emptyList()
): ConfigurableApplicationContext = SpringApplicationBuilder(Application::class.java, *beans)
    .web(type)
    .run(
        "--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off",
        "--logging.level.root=off", *properties.map { "--$it" }.toTypedArray()
    )

internal fun ApplicationContext.remaining(policy: String, key: String): Long =
    getBean<RateLimiterRegistry>().peek(policy, key).remaining()

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
internal open class Application {

    @Bean
    open fun clock() = ManualClock.atMidnight()
}
