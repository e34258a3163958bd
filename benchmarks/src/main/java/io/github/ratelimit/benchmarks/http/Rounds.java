package io.github.ratelimit.benchmarks.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.benchmarks.http.load.Load;
import io.github.ratelimit.benchmarks.redis.RedisServer;

/**
 * Lets the servers take turns, so that whatever else goes on meets them all.
 */
final class Rounds {

	private final Random random = new Random(1);

	private final Samples samples = new Samples();

	private final Schedule schedule;

	private final List<Stack> stacks;

	Rounds(Schedule schedule, List<Stack> stacks) {
		this.schedule = schedule;
		this.stacks = stacks;
	}

	Samples run() throws IOException, InterruptedException {
		for (int i = 0; i < this.schedule.starts(); i++) {
			for (Stack stack : this.stacks) {
				try (RedisServer redis = RedisServer.start()) {
					run(stack, redis);
				}
			}
		}
		return this.samples;
	}

	/*
	 * Each has a database of its own.
	 */
	private void run(Stack stack, RedisServer redis) throws IOException, InterruptedException {
		List<Server> servers = new ArrayList<>();
		try {
			for (Subject subject : Subject.of(stack)) {
				servers.add(Server.start(subject, this.schedule.options(), List
					.of("spring.data.redis.port=" + redis.port(), "spring.data.redis.database=" + servers.size())));
			}
			run(servers, stack);
		}
		finally {
			for (Server server : servers) {
				server.close();
			}
		}
	}

	private void run(List<Server> servers, Stack stack) throws IOException, InterruptedException {
		for (Server server : servers) {
			server.awaitReady();
		}
		Load load = Schedule.load(stack.connections());
		int warmUps = this.schedule.warmUps() * stack.warmUp();
		servers.forEach((server) -> this.samples.begin(server.subject()));
		for (int i = 0; i < warmUps + this.schedule.rounds(); i++) {
			Collections.shuffle(servers, this.random);
			for (Server server : servers) {
				Sample sample = server.measure(load, this.schedule.turn());
				if (i >= warmUps) {
					this.samples.add(server.subject(), sample);
				}
			}
		}
	}

}
