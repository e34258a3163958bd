package io.github.ratelimit.autoconfigure;

import java.util.Map;

import io.github.ratelimit.InvalidRateLimitException;
import io.github.ratelimit.expression.ClientAddressKey;
import io.github.ratelimit.expression.ExpressionKeyResolver;
import io.github.ratelimit.expression.KeyResolver;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Who is being limited where nothing else says so: what {@code ratelimit.key} or the
 * application's single {@link KeyResolver} says, or else the client's address.
 */
final class DefaultKey {

	private static final String CLIENT_ADDRESS = "clientAddress";

	private DefaultKey() {
	}

	static KeyResolver resolver(RateLimitProperties properties, ObjectProvider<KeyResolver> resolvers,
			ListableBeanFactory beanFactory) {
		KeyResolver resolver = resolvers.getIfUnique();
		String key = properties.key();
		if (key != null && key.isBlank()) {
			throw InvalidRateLimitException.property("ratelimit.key", '"' + key + '"', "is blank",
					"Remove it for the default, or write an expression such as clientAddress.", null);
		}
		if (resolver == null) {
			return (key != null) ? ExpressionKeyResolver.of(key, beanFactory) : new ClientAddressKey();
		}
		if (key != null) {
			throw InvalidRateLimitException.property("ratelimit.key", key,
					"contradicts the application's KeyResolver bean '" + name(resolver, beanFactory)
							+ "', which would be the default key, too",
					"Remove ratelimit.key, or declare the bean with @Bean(defaultCandidate = false), so that it "
							+ "resolves only the keys that name it.",
					null);
		}
		return resolver;
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
