/**
 * Messages for MCP servers (Model Context Protocol): what is read of them, and how those
 * that are rejected are answered.
 */
@NullMarked
package io.github.ratelimit.web.mcp;

import org.jspecify.annotations.NullMarked;
