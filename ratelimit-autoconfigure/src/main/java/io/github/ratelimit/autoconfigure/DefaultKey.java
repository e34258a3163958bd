package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.expression.KeyResolver;
import io.github.ratelimit.expression.PolicyBinder;
import io.github.ratelimit.findings.RateLimitFindings;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The key of policies that have none: {@code ratelimit.key}, the application's single
 * {@link KeyResolver}, or else the client's address.
 */
final class DefaultKey {

	private static final String CLIENT_ADDRESS = "clientAddress";

	private DefaultKey() {
	}

	static PolicyBinder binder(RateLimitProperties properties, ObjectProvider<KeyResolver> resolvers,
			ListableBeanFactory beanFactory, RateLimitFindings findings) {
		KeyResolver resolver = resolvers.getIfUnique();
		String key = properties.key();
		if (resolver != null && key != null) {
			throw InvalidRateLimitException.property("ratelimit.key", key,
					"contradicts the application's KeyResolver bean '" + name(resolver, beanFactory)
							+ "', which would be the default key, too",
					"Remove ratelimit.key, or declare the bean with @Bean(defaultCandidate = false), so that it "
							+ "resolves only the keys that name it.",
					null);
		}
		return new PolicyBinder(beanFactory, resolver, key, findings);
	}

	static String describe(RateLimitProperties properties, ObjectProvider<KeyResolver> resolvers,
			ListableBeanFactory beanFactory) {
		KeyResolver resolver = resolvers.getIfUnique();
		return (resolver != null) ? "@" + name(resolver, beanFactory)
				: (properties.key() != null) ? properties.key() : CLIENT_ADDRESS;
	}

	private static String name(KeyResolver resolver, ListableBeanFactory beanFactory) {
		return BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, KeyResolver.class, false, true)
			.entrySet()
			.stream()
			.filter((bean) -> bean.getValue() == resolver)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseGet(resolver.getClass()::getName);
	}

}
