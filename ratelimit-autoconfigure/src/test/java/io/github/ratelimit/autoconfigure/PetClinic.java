package io.github.ratelimit.autoconfigure;

import jakarta.servlet.http.HttpServlet;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.view.InternalResourceView;

/**
 * An application with views, files, a servlet of its own and the actuator, as the
 * well-known one.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(PetClinic.OwnerController.class)
class PetClinic {

	@Bean
	@ConditionalOnProperty("test.store")
	FixedAnswerStore store() {
		return new FixedAnswerStore();
	}

	@Bean
	ServletRegistrationBean<HttpServlet> outside() {
		return new ServletRegistrationBean<>(new HttpServlet() {
		}, "/outside/*");
	}

	@Bean
	@ConditionalOnProperty("test.forwarded")
	FilterRegistrationBean<ForwardedHeaderFilter> forwarded(@Value("${test.forwarded}") String forwarded) {
		FilterRegistrationBean<ForwardedHeaderFilter> registration = new FilterRegistrationBean<>(
				new ForwardedHeaderFilter());
		registration.setEnabled(!forwarded.equals("disabled"));
		return registration;
	}

	@Controller
	static class OwnerController {

		@GetMapping("/")
		InternalResourceView welcome() {
			return new InternalResourceView("/welcome.html");
		}

		@GetMapping("/owners/{ownerId}")
		@ResponseBody
		String owner() {
			return "George";
		}

		@PostMapping("/owners/new")
		@ResponseBody
		String create() {
			return "created";
		}

		@GetMapping("/owners/{ownerId}/pets")
		@ResponseBody
		String pets() {
			return "Leo";
		}

	}

}
