package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.boot.context.properties.bind.Name;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a record says of the properties that are bound to it, whichever compiler has
 * compiled it.
 */
class PropertyShapeTests {

	@Test
	void aMapAndAListAreKnownIfANewerCompilerHasMarkedTheParametersOfTheRecord() throws Exception {
		Class<?> marked = new MarkingLoader().loadClass(Properties.class.getName());
		assertThat(marked).isNotSameAs(Properties.class);
		assertThat(marked.getDeclaredConstructors()[0].getParameters()).allMatch((each) -> each.isImplicit());

		for (Class<?> type : List.of(Properties.class, marked)) {
			PropertyShape shape = PropertyShape.of("properties", type);
			assertThat(shape.member("policies").isValue()).isFalse();
			assertThat(shape.member("policies").valueType()).isEqualTo(Integer.class);
			assertThat(shape.member("addresses").mayBeText()).isTrue();
			assertThat(shape.member("addresses").valueType()).isEqualTo(String.class);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { ListFirst.class, NamesFirst.class })
	void aListHasTheNamesBesideItWhicheverOfThemIsDeclaredFirst(Class<?> type) {
		PropertyShape headers = PropertyShape.of("properties", type).member("headers");
		assertThat(headers.isList()).isTrue();
		assertThat(headers.valueType()).isEqualTo(String.class);
		assertThat(headers.all()).extracting(PropertyShape::name).containsExactly("reset", "policy-names");
	}

	record ListFirst(List<String> headers, @Name("headers.reset") String reset,
			@Name("headers.policy-names") String names) {

	}

	record NamesFirst(@Name("headers.reset") String reset, @Name("headers.policy-names") String names,
			List<String> headers) {

	}

	record Properties(Map<String, Integer> policies, List<String> addresses) {

	}

	/**
	 * Loads the record as a compiler from Java 21 on writes it: with parameters that are
	 * mandated, as those of the canonical constructor are.
	 */
	private static final class MarkingLoader extends ClassLoader {

		MarkingLoader() {
			super(PropertyShapeTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.equals(Properties.class.getName())) {
				return super.loadClass(name, resolve);
			}
			try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
				ClassWriter writer = new ClassWriter(0);
				new ClassReader(file).accept(new MarkingVisitor(writer), 0);
				byte[] bytes = writer.toByteArray();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

	private static final class MarkingVisitor extends ClassVisitor {

		MarkingVisitor(ClassVisitor written) {
			super(SpringAsmInfo.ASM_VERSION, written);
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			MethodVisitor written = super.visitMethod(access, name, descriptor, signature, exceptions);
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION, written) {

				@Override
				public void visitParameter(String name, int access) {
					super.visitParameter(name, access | Opcodes.ACC_MANDATED);
				}

			};
		}

	}

}
