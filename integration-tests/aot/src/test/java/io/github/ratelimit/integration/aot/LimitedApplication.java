package io.github.ratelimit.integration.aot;

import io.github.ratelimit.RateLimiterRegistry;
import io.github.ratelimit.annotation.RateLimited;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * What is built ahead of time: it is limited by annotation and by hand, and by rules if
 * it is given some.
 */
@SpringBootApplication
public class LimitedApplication {

	static ConfigurableApplicationContext context;

	/**
	 * Starts the application.
	 * @param arguments its properties
	 */
	public static void main(String[] arguments) {
		context = SpringApplication.run(LimitedApplication.class, arguments);
	}

	@RestController
	static class Handlers {

		private final Orders orders;

		Handlers(Orders orders) {
			this.orders = orders;
		}

		@RateLimited(limit = 2, window = "1d")
		@GetMapping("/annotated")
		String annotated() {
			return "annotated";
		}

		@GetMapping("/plain")
		String plain() {
			return "plain";
		}

		@RateLimited(limit = 2, window = "1d", key = "@tenants.of(#id)")
		@GetMapping("/argument")
		Mono<String> argument(@RequestParam String id) {
			return Mono.just(id);
		}

		@GetMapping("/order")
		String order(@RequestParam String customer) {
			return this.orders.place(new Order(new Customer(customer)));
		}

	}

	/** Finds tenants. */
	@Component("tenants")
	static class Tenants {

		public String of(String id) {
			return id.toLowerCase();
		}

	}

	/** Is limited for each customer. */
	@Service
	static class Orders {

		private final RateLimiterRegistry limiter;

		Orders(RateLimiterRegistry limiter) {
			this.limiter = limiter;
		}

		@RateLimited(name = "orders", limit = 2, window = "1d", key = "#order.customer.name")
		public String place(Order order) {
			return order.customer().name() + this.limiter.storeName();
		}

		@RateLimited(name = "prices", limit = 2, window = "1d")
		public Price price() {
			return new Price(1);
		}

	}

	/** A limited interface of a class that cannot be extended. */
	interface Final {

		@RateLimited(limit = 2, window = "1d")
		void call();

	}

	/** Is proxied by its interface. */
	@Service
	static final class FinalService implements Final {

		@Override
		public void call() {
		}

	}

	record Order(Customer customer) {
	}

	record Customer(String name) {
	}

	record Price(long amount) {
	}

}
