package io.github.ratelimit.actuate;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/**
 * A test of {@link ActuatorApplication} on a real server.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(classes = ActuatorApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
		"server.address=127.0.0.1", "management.endpoints.web.exposure.include=ratelimits",
		"management.endpoint.ratelimits.access=unrestricted", "ratelimit.policies.login.key=clientAddress",
		"ratelimit.policies.login.limits[0].algorithm=sliding-window-log", "ratelimit.policies.login.limits[0].limit=2",
		"ratelimit.policies.login.limits[0].window=1m", "ratelimit.policies.login.limits[1].limit=10",
		"ratelimit.policies.login.limits[1].window=1h", "ratelimit.policies.login.limits[1].burst=5",
		"ratelimit.policies.queue.limits[0].algorithm=leaky-bucket", "ratelimit.policies.queue.limits[0].limit=1000",
		"ratelimit.policies.queue.limits[0].window=1s", "ratelimit.policies.queue.limits[0].burst=1000",
		"ratelimit.rules[0].path=/login", "ratelimit.rules[0].methods=GET", "ratelimit.rules[0].policy=login" })
@AutoConfigureRestTestClient
@interface ActuatorTest {

}
