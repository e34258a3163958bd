package io.github.ratelimit.integration.kotlin

import io.github.ratelimit.RateLimitExceededException
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.getBean
import org.springframework.boot.WebApplicationType
import java.io.File

/**
 * The Kotlin snippets of README and docs are parts of this module, and so compile and run.
 */
class SnippetTests {

    @Test
    fun `every Kotlin snippet is here`() {
        val sources = files(File("src/test/kotlin"), "kt").joinToString("\n") { it.readText() }
        val pages = files(File("../../docs"), "md") + File("../../README.md")
        val snippets = pages.flatMap { Regex("(?s)```kotlin\n(.*?)```").findAll(it.readText()) }
        assertThat(snippets).isNotEmpty.allSatisfy { assertThat(sources).contains(it.groupValues[1]) }
    }

    @Test
    fun `snippets run`() = runBlocking<Unit> {
        start(WebApplicationType.NONE, Orders::class.java, properties = listOf("orders.limit=1")).use {
            val orders = it.getBean<Orders>()
            assertThat(patient(orders)).containsExactly("an order of alice")
            assertThrows<RateLimitExceededException> { orders.find("alice") }
            assertThat(orders.changes("bob").toList()).containsExactly("a change of bob")
            assertThrows<RateLimitExceededException> { orders.changes("bob").toList() }
        }
    }

    private fun files(folder: File, extension: String): List<File> =
        folder.walk().filter { it.extension == extension }.toList()
}
