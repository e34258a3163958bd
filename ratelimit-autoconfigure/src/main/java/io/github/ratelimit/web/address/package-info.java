/**
 * Finds which client a request comes from: by the address of its connection, or by what
 * trusted proxies have noted.
 */
@NullMarked
package io.github.ratelimit.web.address;

import org.jspecify.annotations.NullMarked;
