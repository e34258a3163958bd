package io.github.ratelimit.advice;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The bytes that an object of ours takes with all it has, with references of 4 bytes.
 * Objects of the platform are counted as 100 bytes each.
 */
final class DeepSize {

	private static final int OF_OTHERS = 100;

	private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

	static long of(Object root) throws IllegalAccessException {
		return new DeepSize().size(root);
	}

	private long size(Object object) throws IllegalAccessException {
		if (object == null || !this.seen.add(object)) {
			return 0;
		}
		Class<?> type = object.getClass();
		if (type.isArray()) {
			long size = 16 + (long) Array.getLength(object) * bytes(type.getComponentType());
			for (int i = 0; !type.getComponentType().isPrimitive() && i < Array.getLength(object); i++) {
				size += size(Array.get(object, i));
			}
			return aligned(size);
		}
		if (!type.getPackageName().equals(DeepSize.class.getPackageName())) {
			return OF_OTHERS;
		}
		long size = 12;
		for (Field field : ReflectionSupport.findFields(type, (field) -> true, HierarchyTraversalMode.TOP_DOWN)) {
			if (!Modifier.isStatic(field.getModifiers())) {
				field.setAccessible(true);
				size += bytes(field.getType());
				size += field.getType().isPrimitive() ? 0 : size(field.get(object));
			}
		}
		return aligned(size);
	}

	private static long aligned(long size) {
		return (size + 7) / 8 * 8;
	}

	private static int bytes(Class<?> type) {
		return (type == long.class || type == double.class) ? 8 : (type == boolean.class || type == byte.class) ? 1 : 4;
	}

}
