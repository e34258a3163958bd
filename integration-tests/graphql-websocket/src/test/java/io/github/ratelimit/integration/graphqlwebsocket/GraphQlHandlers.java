package io.github.ratelimit.integration.graphqlwebsocket;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.ratelimit.RateLimitInfo;
import io.github.ratelimit.RateLimitMode;
import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.graphql.data.method.annotation.SubscriptionMapping;
import org.springframework.stereotype.Controller;

/**
 * A handler of each kind, most of which may be called once in a test.
 */
@Controller
class GraphQlHandlers {

	private final Books books;

	private final RateLimitInfo limits;

	GraphQlHandlers(Books books, RateLimitInfo limits) {
		this.books = books;
		this.limits = limits;
	}

	@QueryMapping
	@RateLimited(name = "informed", limit = 1, window = "1d", mode = RateLimitMode.INFORM)
	String informed() {
		return this.limits.isExceeded("informed") ? "cheap" : "best";
	}

	@QueryMapping
	@RateLimited(name = "greeting", limit = 2, window = "1m")
	String greeting() {
		return "hello";
	}

	@QueryMapping
	@RateLimited("fields")
	String one() {
		return "one";
	}

	@QueryMapping
	@RateLimited("fields")
	String other() {
		return "other";
	}

	@QueryMapping
	@RateLimited(name = "alias", limit = 2, window = "1d")
	String alias() {
		return "alias";
	}

	@QueryMapping
	@RateLimited(name = "reactive", limit = 2, window = "1d")
	Mono<String> reactive() {
		return Mono.just("reactive");
	}

	@QueryMapping
	@RateLimited(name = "guess", limit = 1, window = "1d", charge = "exception != null")
	String guess(@Argument boolean right) {
		if (!right) {
			throw new IllegalArgumentException("That is not it");
		}
		return "right";
	}

	@QueryMapping
	@RateLimited(name = "guessLater", limit = 1, window = "1d", charge = "result == 'wrong'")
	Mono<String> guessLater(@Argument boolean right) {
		return Mono.just(right ? "right" : "wrong");
	}

	@QueryMapping
	@RateLimited(name = "owner", limit = 1, window = "1d", key = "principal.name")
	String owner() {
		return "owner";
	}

	@QueryMapping
	@RateLimited(name = "address", limit = 1, window = "1d")
	String address() {
		return "address";
	}

	@QueryMapping
	Callable<String> later() {
		return this.books::later;
	}

	@QueryMapping
	String expensive() {
		return this.books.expensive();
	}

	@MutationMapping
	@RateLimited(name = "order", limit = 1, window = "1d")
	String order() {
		return "ordered";
	}

	@SubscriptionMapping
	@RateLimited(name = "ticks", limit = 1, window = "1d")
	Flux<Integer> ticks() {
		return Flux.just(1, 2);
	}

	@QueryMapping
	List<Book> shelf() {
		return List.of(new Book("Emma"), new Book("Persuasion"), new Book("Ulysses"));
	}

	@QueryMapping
	Book field() {
		return new Book("Emma");
	}

	@BatchMapping
	@RateLimited(name = "author", limit = 2, window = "1d")
	Map<Book, String> author(List<Book> books) {
		Map<Book, String> authors = new LinkedHashMap<>();
		books.forEach((book) -> authors.put(book, "author of " + book.title()));
		return authors;
	}

	@SchemaMapping
	@RateLimited(name = "price", limit = 1, window = "1d")
	int price(Book book) {
		return book.title().length();
	}

}
