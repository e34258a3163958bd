/**
 * Which client a request comes from: the address of its connection, or what trusted
 * proxies have noted.
 */
@NullMarked
package io.github.ratelimit.web.address;

import org.jspecify.annotations.NullMarked;
