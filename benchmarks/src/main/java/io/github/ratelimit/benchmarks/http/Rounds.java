package io.github.ratelimit.benchmarks.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.ratelimit.benchmarks.http.load.Load;

/**
 * Lets the servers take turns, so that whatever else goes on meets them all.
 */
final class Rounds {

	/* Leaves processors to those who compile the server's code. */
	private static final Load WARM_UP = new Load(1, 2);

	private final Random random = new Random(1);

	private final Samples samples = new Samples();

	private final Schedule schedule;

	private final Load load = Schedule.load();

	Rounds(Schedule schedule) {
		this.schedule = schedule;
	}

	Samples run() throws IOException, InterruptedException {
		for (int i = 0; i < this.schedule.starts(); i++) {
			List<Server> servers = new ArrayList<>();
			try {
				for (Subject subject : Subject.all()) {
					servers.add(Server.start(subject, this.schedule.options()));
				}
				run(servers);
			}
			finally {
				for (Server server : servers) {
					server.close();
				}
			}
		}
		return this.samples;
	}

	private void run(List<Server> servers) throws IOException, InterruptedException {
		for (Server server : servers) {
			server.awaitReady();
		}
		for (Server server : servers) {
			server.measure(WARM_UP, this.schedule.warmUp());
			server.measure(this.load, this.schedule.turn());
		}
		for (int i = 0; i < this.schedule.rounds(); i++) {
			Collections.shuffle(servers, this.random);
			for (Server server : servers) {
				this.samples.add(server.subject(), server.measure(this.load, this.schedule.turn()));
			}
		}
	}

}
