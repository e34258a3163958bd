package io.github.ratelimit.integration.netty;

import io.github.ratelimit.integration.suite.PathsTests;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The paths that Netty lets in, which knows only one way of reading them.
 */
class NettyPathsTests extends PathsTests {

	@Test
	void thereIsNoServletApi() {
		assertThat(ClassUtils.isPresent("jakarta.servlet.Servlet", getClass().getClassLoader())).isFalse();
	}

	@Override
	protected Class<?> lenient() {
		return Lenient.class;
	}

	@Configuration(proxyBeanMethods = false)
	static class Lenient {

	}

}
