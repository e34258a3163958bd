package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.RateLimitAlgorithm.LEAKY_BUCKET
import io.github.ratelimit.RateLimitExceededException
import io.github.ratelimit.annotation.RateLimited
import io.github.ratelimit.expression.KeyResolver
import io.github.ratelimit.request.WaitingRoom
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import reactor.test.scheduler.VirtualTimeScheduler
import java.time.Duration

/**
 * Suspending functions and flows of services: what is asked, how a call waits without a
 * thread, and what it is charged.
 */
class SuspendingServiceTests {

    private val time = VirtualTimeScheduler.getOrSet()

    private val application = start(WebApplicationType.NONE, Configured::class.java)

    private val shop = application.getBean<Shop>()

    @AfterEach
    fun stop() {
        application.close()
        VirtualTimeScheduler.reset()
    }

    @Test
    fun `calls of a leaky bucket wait half a second apart without a thread`() = runBlocking<Unit> {
        val calls = (1..5).map { async(Dispatchers.Unconfined) { shop.queued(it) } }
        for (done in 1..5) {
            assertThat(calls.filter { it.isCompleted }.map { it.await() }).containsExactlyElementsOf(1..done)
            assertThat(application.getBean<WaitingRoom>().waiting()).isEqualTo(5 - done)
            time.advanceTimeBy(Duration.ofMillis(499))
            assertThat(calls.count { it.isCompleted }).isEqualTo(done)
            time.advanceTimeBy(Duration.ofMillis(1))
        }
    }

    @Test
    fun `call that is cancelled while it waits is not made and leaves its place`() = runBlocking<Unit> {
        shop.queued(1)
        async(Dispatchers.Unconfined) { shop.queued(2) }.cancelAndJoin()
        assertThat(application.getBean<WaitingRoom>().waiting()).isZero()
        time.advanceTimeBy(Duration.ofSeconds(1))
        assertThat(shop.calls).containsExactly(1)
    }

    @Test
    fun `key is a parameter by its name`() = runBlocking<Unit> {
        assertThat(shop.orders("alice")).isEqualTo("orders of alice, page 1")
        val rejection = assertThrows<RateLimitExceededException> { shop.orders("alice", 2) }
        assertThat(rejection).hasMessageContaining("Shop.orders")
        assertThat(shop.orders("bob", 2)).isEqualTo("orders of bob, page 2")
    }

    @Test
    fun `key resolver sees the arguments that are written`() = runBlocking<Unit> {
        shop.byResolver("a", 1)
        assertThrows<RateLimitExceededException> { shop.byResolver("a", 1) }
        shop.byResolver("a", 2)
    }

    @Test
    fun `each collection of a flow is a call`() = runBlocking<Unit> {
        for (flow in listOf(shop.numbers(), shop.numbersLater())) {
            assertThat(flow.toList()).containsExactly(1, 2, 3)
            assertThrows<RateLimitExceededException> { flow.toList() }
        }
    }

    @Test
    fun `charge reads what a suspending function returns at last`() = runBlocking<Unit> {
        assertThat(shop.pages(7)).isEqualTo(7)
        assertThat(application.remaining("pages", "all")).isEqualTo(93)
        assertThat(shop.pages(0)).isZero()
        assertThat(application.remaining("pages", "all")).isEqualTo(93)
        assertThrows<IllegalStateException> { shop.pages(-1) }
        assertThat(application.remaining("pages", "all")).isEqualTo(83)
    }

    @Test
    fun `suspending function and flow are answered by their fallbacks`() = runBlocking<Unit> {
        assertThat(shop.price("pen")).isEqualTo("price of pen")
        assertThat(shop.price("ink")).isEqualTo("cached price of ink by prices")
        assertThat(shop.stocked("pen")).isEqualTo(3)
        assertThat(shop.stocked("ink")).isZero()
        val changes = shop.changes()
        assertThat(changes.toList()).containsExactly("a change")
        assertThat(changes.toList()).containsExactly("no change")
    }

    @Test
    fun `function without a result and one that returns null are called`() = runBlocking<Unit> {
        shop.nothing()
        assertThat(shop.nullable()).isNull()
    }

    @Test
    fun `final class is limited by its interface`() = runBlocking<Unit> {
        val stock = application.getBean<Stock>()
        assertThat(stock.count("pen")).isEqualTo(3)
        assertThrows<RateLimitExceededException> { stock.count("pen") }
        assertThat(stock.count("ink")).isEqualTo(3)
    }

    @Configuration(proxyBeanMethods = false)
    internal open class Configured {

        @Bean
        open fun shop() = Shop()

        @Bean
        open fun stock(): Stock = Warehouse()

        @Bean
        open fun allArguments() = KeyResolver { it.arguments()?.joinToString() }
    }

    internal open class Shop {

        open val calls = mutableListOf<Int>()

        @RateLimited(algorithm = LEAKY_BUCKET, limit = 2, window = "1s", burst = 4, key = "'all'")
        open suspend fun queued(number: Int): Int {
            yield()
            calls.add(number)
            return number
        }

        @RateLimited(limit = 1, window = "1m", key = "#userId")
        open suspend fun orders(userId: String, page: Int = 1): String {
            yield()
            return "orders of $userId, page $page"
        }

        @RateLimited(limit = 1, window = "1m", key = "@allArguments")
        open suspend fun byResolver(text: String, number: Int) {
            yield()
            check(number < 3) { text }
        }

        @RateLimited(limit = 1, window = "1m", key = "'all'")
        open fun numbers(): Flow<Int> = flow {
            for (number in 1..3) {
                yield()
                emit(number)
            }
        }

        @RateLimited(limit = 1, window = "1m", key = "'all'")
        open suspend fun numbersLater(): Flow<Int> {
            yield()
            return flow {
                for (number in 1..3) {
                    emit(number)
                }
            }
        }

        @RateLimited(
            name = "pages", limit = 100, window = "1h", key = "'all'", cost = "10",
            charge = "exception != null ? 10 : result"
        )
        open suspend fun pages(count: Int): Int {
            yield()
            check(count >= 0)
            return count
        }

        @RateLimited(name = "prices", limit = 1, window = "1m", key = "'all'", fallback = "cachedPrice")
        open suspend fun price(item: String): String {
            yield()
            return "price of $item"
        }

        open suspend fun cachedPrice(item: String, rejection: RateLimitExceededException): String {
            yield()
            return "cached price of $item by ${rejection.policy().name()}"
        }

        @RateLimited(limit = 1, window = "1m", key = "'all'", fallback = "outOfStock")
        open suspend fun stocked(item: String): Int {
            yield()
            return item.length
        }

        open suspend fun outOfStock(@Suppress("UNUSED_PARAMETER") item: String): Int = 0

        @RateLimited(limit = 1, window = "1m", key = "'all'", fallback = "noChanges")
        open fun changes(): Flow<String> = flowOf("a change")

        open fun noChanges(): Flow<String> = flowOf("no change")

        @RateLimited(limit = 2, window = "1m", charge = "result == null ? 0 : 1")
        open suspend fun nothing() = yield()

        @RateLimited(limit = 2, window = "1m", charge = "result == null ? 0 : 1")
        open suspend fun nullable(): String? {
            yield()
            return null
        }
    }

    internal interface Stock {

        @RateLimited(limit = 1, window = "1m", key = "#item")
        suspend fun count(item: String): Int
    }

    private class Warehouse : Stock {

        override suspend fun count(item: String): Int {
            yield()
            return item.length
        }
    }
}
