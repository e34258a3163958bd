package io.github.ratelimit.test.autoconfigure;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * An application whose tests are tested. Its limits allow one request, so that each test
 * fails if it is not the first.
 */
@SpringBootApplication
class SearchApplication {

}
