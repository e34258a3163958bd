package io.github.ratelimit.annotation;

import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationConfigurationException;

/**
 * Reads the methods of beans. Those of a library may name types that are missing, which
 * Spring leaves alone as long as nobody calls them.
 */
final class ReadableMethods {

	private static final Log logger = LogFactory.getLog(ReadableMethods.class);

	private ReadableMethods() {
	}

	/**
	 * Reads something of a type's methods.
	 * @param type the type
	 * @param reading reads it
	 * @return what was read, or {@code null} if the methods cannot be read
	 * @throws AnnotationConfigurationException if an annotation is mistaken
	 */
	static <T> @Nullable T read(Class<?> type, Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (AnnotationConfigurationException ex) {
			throw ex;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Could not read the methods of " + type.getName()
					+ ", probably because a type in their signatures is missing", ex);
			return null;
		}
	}

}
