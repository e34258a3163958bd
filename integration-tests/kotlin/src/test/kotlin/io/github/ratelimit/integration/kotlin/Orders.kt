package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.RateLimitExceededException
import io.github.ratelimit.annotation.RateLimited
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.yield
import org.springframework.stereotype.Service
import kotlin.time.toKotlinDuration

@Service
class Orders {

    @RateLimited(limitString = "\${orders.limit:100}", window = "1m", key = "#userId")
    suspend fun find(userId: String): List<String> {
        yield() // as a query does
        return listOf("an order of $userId")
    }

    @RateLimited(limit = 1, window = "10s", key = "#userId")
    fun changes(userId: String): Flow<String> = flowOf("a change of $userId")
}

suspend fun patient(orders: Orders): List<String> = try {
    orders.find("alice")
} catch (ex: RateLimitExceededException) {
    val wait = ex.retryAfter() ?: throw ex
    delay(wait.toKotlinDuration())
    orders.find("alice")
}
