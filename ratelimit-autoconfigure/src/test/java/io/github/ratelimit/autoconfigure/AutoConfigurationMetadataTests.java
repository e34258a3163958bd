package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.util.Arrays;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureAfter;
import org.springframework.boot.autoconfigure.AutoConfigureBefore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Spring Boot is told about the auto-configurations ahead is what stands on them.
 */
class AutoConfigurationMetadataTests {

	private final Properties expected = new Properties();

	@Test
	void metadataSaysWhatTheAnnotationsSay() throws Exception {
		for (String name : ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())) {
			if (name.startsWith("io.github.ratelimit.")) {
				expect(Class.forName(name));
			}
		}
		assertThat(written()).isEqualTo(this.expected);
	}

	private static Properties written() throws IOException {
		return PropertiesLoaderUtils
			.loadProperties(new ClassPathResource("META-INF/spring-autoconfigure-metadata.properties"));
	}

	private void expect(Class<?> type) {
		this.expected.put(type.getName(), "");
		AutoConfigureAfter after = AnnotatedElementUtils.getMergedAnnotation(type, AutoConfigureAfter.class);
		if (after != null) {
			expect(type, "AutoConfigureAfter", names(after.value(), after.name()));
		}
		AutoConfigureBefore before = AnnotatedElementUtils.getMergedAnnotation(type, AutoConfigureBefore.class);
		if (before != null) {
			expect(type, "AutoConfigureBefore", names(before.value(), before.name()));
		}
		ConditionalOnBean onBean = type.getAnnotation(ConditionalOnBean.class);
		if (onBean != null) {
			expect(type, "ConditionalOnBean", names(onBean.value(), onBean.type()));
		}
		ConditionalOnClass onClass = type.getAnnotation(ConditionalOnClass.class);
		if (onClass != null) {
			expect(type, "ConditionalOnClass", names(onClass.value(), onClass.name()));
		}
		ConditionalOnWebApplication onWeb = type.getAnnotation(ConditionalOnWebApplication.class);
		if (onWeb != null) {
			expect(type, "ConditionalOnWebApplication", onWeb.type().name());
		}
	}

	private void expect(Class<?> type, String annotation, String values) {
		if (!values.isEmpty()) {
			this.expected.put(type.getName() + "." + annotation, values);
		}
	}

	private static String names(Class<?>[] types, String[] names) {
		return Stream.concat(Arrays.stream(types).map(Class::getName), Arrays.stream(names))
			.collect(Collectors.joining(","));
	}

}
