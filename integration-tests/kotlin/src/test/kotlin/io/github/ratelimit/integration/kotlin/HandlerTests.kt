package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET
import io.github.ratelimit.RateLimitExceededException
import io.github.ratelimit.annotation.RateLimited
import io.github.ratelimit.request.WaitingRoom
import io.github.ratelimit.test.ManualClock
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import org.springframework.boot.WebApplicationType.REACTIVE
import org.springframework.boot.WebApplicationType.SERVLET
import org.springframework.boot.web.server.context.WebServerApplicationContext
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.http.ResponseEntity
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.ExceptionHandler
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

/**
 * Handlers that are suspending functions or return flows, and the suspending functions
 * that they call, over HTTP.
 */
class HandlerTests {

    @BeforeEach
    fun forget() {
        applications.values.forEach { it.getBean<ManualClock>().advance(Duration.ofDays(1)) }
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `rejected handler is answered with 429 and its fields`(type: WebApplicationType) {
        assertThat(get(type, "/orders").body()).isEqualTo("orders")
        val rejected = get(type, "/orders")
        assertThat(rejected.statusCode()).isEqualTo(429)
        assertThat(rejected.headers().firstValue("Content-Type")).contains("application/problem+json")
        assertThat(rejected.headers().firstValue("RateLimit")).contains("\"Shop.orders\";r=0;t=60")
        assertThat(rejected.headers().firstValue("Retry-After")).contains("60")
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `key of a handler is a parameter by its name`(type: WebApplicationType) {
        assertThat(listOf("alice", "alice", "bob").map { get(type, "/orders/$it").statusCode() })
            .containsExactly(200, 429, 200)
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `service that rejects behind a suspended handler is answered with 429`(type: WebApplicationType) {
        assertThat(listOf("pen", "pen", "ink").map { get(type, "/stock/$it").statusCode() })
            .containsExactly(200, 429, 200)
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `flow is limited before it is collected`(type: WebApplicationType) {
        assertThat(get(type, "/numbers").body()).isEqualTo("[1,2,3]")
        assertThat(get(type, "/numbers").statusCode()).isEqualTo(429)
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `rejection is answered by the exception handler of its controller`(type: WebApplicationType) {
        for (path in listOf("/bids/handler", "/bids/service", "/bids/flow")) {
            assertThat(get(type, path).statusCode()).isEqualTo(200)
            val rejected = get(type, path)
            assertThat(rejected.statusCode()).isEqualTo(503)
            assertThat(rejected.body()).isEqualTo("in 60 s")
            assertThat(rejected.headers().firstValue("Retry-After")).contains("60")
        }
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `charge reads what a handler returns at last`(type: WebApplicationType) {
        assertThat(get(type, "/pages/1234567").body()).isEqualTo("1234567")
        // settled when the server has done with the request
        await().atMost(Duration.ofMinutes(1)).until { applications.getValue(type).remaining("pages", "all") == 93L }
    }

    @ParameterizedTest
    @EnumSource(names = ["SERVLET", "REACTIVE"])
    fun `requests wait side by side in an application that serves with one thread`(type: WebApplicationType) {
        val room = applications.getValue(type).getBean<WaitingRoom>()
        val answers = (1..4).map { send(type, "/queue/hour") }
        await().atMost(Duration.ofMinutes(1)).until { room.waiting() == 3 }
        val first = CompletableFuture.anyOf(*answers.toTypedArray()).join() as HttpResponse<*>
        assertThat(first.statusCode()).isEqualTo(200)
        assertThat((1..3).map { get(type, "/queue").statusCode() }).containsOnly(200)
        assertThat(answers.count { it.isDone }).isOne()
    }

    @RestController
    internal open class Shop(private val stock: Stock) {

        @GetMapping("/orders")
        @RateLimited(limit = 1, window = "1m")
        open suspend fun orders(): String {
            delay(1)
            return "orders"
        }

        @GetMapping("/orders/{userId}")
        @RateLimited(limit = 1, window = "1m", key = "#userId")
        open suspend fun ordersOf(@PathVariable("userId") userId: String): String {
            delay(1)
            return userId
        }

        @GetMapping("/stock/{item}")
        open suspend fun stock(@PathVariable("item") item: String): String {
            delay(1)
            return stock.count(item).toString()
        }

        @GetMapping("/numbers", produces = ["application/json"])
        @RateLimited(limit = 1, window = "1m")
        open fun numbers(): Flow<Int> = flowOf(1, 2, 3)

        @GetMapping("/pages/{count}")
        @RateLimited(name = "pages", limit = 100, window = "1h", key = "'all'", cost = "10", charge = "result.length()")
        open suspend fun pages(@PathVariable("count") count: Int): String {
            delay(1)
            return count.toString()
        }

        @GetMapping("/queue")
        @RateLimited(algorithm = LEAKY_BUCKET, limit = 20, window = "1s", burst = 5)
        open suspend fun queue() = "queue"

        @GetMapping("/queue/hour")
        @RateLimited(algorithm = LEAKY_BUCKET, limit = 1, window = "1h", burst = 5)
        open suspend fun queueOfAnHour() = "queue"
    }

    @RestController
    internal open class Auction(private val stock: Stock) {

        @GetMapping("/bids/handler")
        @RateLimited(limit = 1, window = "1m")
        open suspend fun bid() = "bid"

        @GetMapping("/bids/service")
        open suspend fun count() = stock.count("bids").toString()

        @GetMapping("/bids/flow")
        @RateLimited(limit = 1, window = "1m", key = "#all")
        open fun bids(all: String?): Flow<String> = flowOf("1", "2")

        @ExceptionHandler
        open fun handle(rejection: RateLimitExceededException): ResponseEntity<String> =
            ResponseEntity.status(503).body("in ${rejection.retryAfter()?.toSeconds()} s")
    }

    @Service
    internal open class Stock {

        private val calls = AtomicInteger()

        @RateLimited(limit = 1, window = "1m", key = "#item")
        open suspend fun count(item: String): Int {
            delay(1)
            return item.length + calls.incrementAndGet()
        }
    }

    companion object {

        private val client = HttpClient.newHttpClient()

        private val applications: Map<WebApplicationType, ConfigurableApplicationContext> =
            listOf(SERVLET, REACTIVE).associateWith {
                start(
                    it, Shop::class.java, Auction::class.java, Stock::class.java,
                    properties = listOf(
                        "server.tomcat.threads.max=1", "server.tomcat.threads.min-spare=1", "server.shutdown=immediate"
                    )
                )
            }

        @AfterAll
        @JvmStatic
        fun stop() = applications.values.forEach { it.close() }

        private fun get(type: WebApplicationType, path: String): HttpResponse<String> = send(type, path).join()

        private fun send(type: WebApplicationType, path: String): CompletableFuture<HttpResponse<String>> {
            val port = (applications.getValue(type) as WebServerApplicationContext).webServer!!.port
            val request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:$port$path"))
            return client.sendAsync(request.timeout(Duration.ofMinutes(1)).build(), BodyHandlers.ofString())
        }
    }
}
