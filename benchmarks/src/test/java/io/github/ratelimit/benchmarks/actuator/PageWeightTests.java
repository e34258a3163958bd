package io.github.ratelimit.benchmarks.actuator;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No file of the page is forgotten.
 */
class PageWeightTests {

	@Test
	void thePageLoadsEverythingThatIsThereButTheLicences() throws IOException {
		Resource[] resources = new PathMatchingResourcePatternResolver()
			.getResources("classpath:io/github/ratelimit/actuate/page/*");
		List<String> there = Stream.of(resources).map(Resource::getFilename).toList();
		assertThat(PageWeight.files().keySet()).hasSizeGreaterThan(5)
			.containsExactlyInAnyOrderElementsOf(
					there.stream().filter((name) -> !name.equals("LICENSES.txt")).toList());
	}

}
