package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.InvalidRateLimitException
import io.github.ratelimit.annotation.RateLimited
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.Arguments.arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.WebApplicationType
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController

/**
 * What Kotlin makes easy to get wrong fails start-up with advice for Kotlin.
 */
class MistakeTests {

    @ParameterizedTest
    @MethodSource("mistakes")
    fun `mistake fails start-up`(bean: Class<*>, reason: String, advice: String) {
        val type = if (bean == PlainHandler::class.java) WebApplicationType.REACTIVE else WebApplicationType.NONE
        val failure = assertThrows<InvalidRateLimitException> { start(type, bean).close() }
        assertThat(failure.message).isEqualTo(reason)
        assertThat(failure.action()).contains(advice)
    }

    internal class FinalClass {

        @RateLimited(limit = 1, window = "1m")
        suspend fun find(id: String) = id
    }

    internal open class FinalFunction {

        @RateLimited(limit = 1, window = "1m")
        suspend fun find(id: String) = id
    }

    internal open class PrivateFunction {

        @RateLimited(limit = 1, window = "1m")
        private suspend fun find(id: String) = id
    }

    @RateLimited(limit = 1, window = "1m")
    internal open class FinalProperty(val name: String = "")

    internal open class MisspeltName {

        @RateLimited(limit = 1, window = "1m", key = "#user")
        open suspend fun find(userId: String) = userId
    }

    internal open class KeyOfTheCompiler {

        @RateLimited(limit = 1, window = "1m", key = "#p1")
        open suspend fun find(userId: String) = userId
    }

    @RestController
    internal open class PlainHandler {

        @GetMapping("/find/{id}")
        @RateLimited(limit = 1, window = "1m", key = "#id")
        open fun find(@PathVariable("id") id: String) = id
    }

    companion object {

        @JvmStatic
        fun mistakes(): List<Arguments> {
            val open = "In Kotlin, write open before class and fun, or apply the compiler plugin kotlin-spring"
            return listOf(
                arguments(
                    FinalClass::class.java, "@RateLimited on FinalClass.find(String) would have no effect, because a proxy "
                            + "cannot intercept a final method", open
                ),
                arguments(
                    FinalFunction::class.java, "@RateLimited on FinalFunction.find(String) would have no effect, because a "
                            + "proxy cannot intercept a final method", open
                ),
                arguments(
                    PrivateFunction::class.java, "@RateLimited on PrivateFunction.find(String) would have no effect, because "
                            + "a proxy cannot intercept a private final method", "Make it a public method"
                ),
                arguments(
                    FinalProperty::class.java, "@RateLimited on FinalProperty.getName() would have no effect, because a "
                            + "proxy cannot intercept a final method", open
                ),
                arguments(
                    MisspeltName::class.java, "The key expression '#user' of MisspeltName.find(String) reads '#user', which "
                            + "is not a parameter of the method", "Its parameters are #userId, #p0, #a0."
                ),
                arguments(
                    KeyOfTheCompiler::class.java, "The key expression '#p1' of KeyOfTheCompiler.find(String) reads '#p1', "
                            + "which is not a parameter of the method", "Its parameters are #userId, #p0, #a0."
                ),
                arguments(
                    PlainHandler::class.java, "@RateLimited on PlainHandler.find(String) reads arguments of a handler that "
                            + "returns neither a Mono nor a Flux, whose call nothing connects with its request in a reactive "
                            + "web application", "let the function suspend"
                )
            )
        }
    }
}
