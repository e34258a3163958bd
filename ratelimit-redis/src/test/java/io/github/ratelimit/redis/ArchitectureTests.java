package io.github.ratelimit.redis;

import io.github.ratelimit.PackageArrows;

/**
 * What of the core the store in Redis knows.
 */
class ArchitectureTests extends PackageArrows {

	ArchitectureTests() {
		super(Arrows.from(".redis", "", ".support", ".store", ".algorithm", ".remote"));
	}

}
