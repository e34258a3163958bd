package io.github.ratelimit.benchmarks.redis;

import java.util.List;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The floor's script, called through Spring Data Redis' template.
 */
final class Template implements Contender {

	private final StringRedisTemplate template;

	private final RedisScript<Long> script = RedisScript.of(Floor.SCRIPT, Long.class);

	Template(Task task) {
		this.template = new StringRedisTemplate(task.redis().factory());
	}

	@Override
	public boolean decide(int key) {
		return this.template.execute(this.script, List.of()) == 1;
	}

	@Override
	public void close() {
	}

}
