/**
 * The five algorithms a second time, plain and slow, written from their definitions.
 * Tests hold the fast ones against them.
 */
package io.github.ratelimit.test.model;
