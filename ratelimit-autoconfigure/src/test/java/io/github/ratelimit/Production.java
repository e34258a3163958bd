package io.github.ratelimit;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/**
 * The classes that users get, for tests that read them instead of running them.
 */
public final class Production {

	/** The package that everything is in. */
	public static final String ROOT = Production.class.getPackageName();

	/** All classes but those of tests. */
	public static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(ROOT);

	private Production() {
	}

}
