package io.github.ratelimit.integration.suite;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests as they are: every client library would put their paths right first.
 */
public final class RawClient implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RawClient.class);

	private static final int GENEROUS_MILLIS = 60_000;

	private final int port;

	private @Nullable Socket socket;

	private @Nullable InputStream in;

	/* What was read last from the connection. */
	private @Nullable Response previous;

	/**
	 * Creates a client.
	 * @param port the server's port on the loopback interface
	 */
	public RawClient(int port) {
		this.port = port;
	}

	/**
	 * Sends a request and waits for its response.
	 * @param target the request's target, as it stands in the request line
	 * @param headers more lines of the head
	 * @return the response
	 * @throws IOException if there is none
	 */
	public Response get(String target, String... headers) throws IOException {
		return send("GET", target, headers);
	}

	/**
	 * Sends a request and waits for its response.
	 * @param method the method
	 * @param target the request's target, as it stands in the request line
	 * @param headers more lines of the head
	 * @return the response
	 * @throws IOException if there is none
	 */
	public Response send(String method, String target, String... headers) throws IOException {
		StringBuilder request = new StringBuilder(method).append(' ')
			.append(target)
			.append(" HTTP/1.1\r\nHost: localhost\r\n");
		for (String header : headers) {
			request.append(header).append("\r\n");
		}
		byte[] bytes = request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
		if (this.socket != null) {
			try {
				return exchange(bytes, method);
			}
			catch (IOException ex) {
				close();
			}
		}
		return exchange(bytes, method);
	}

	private Response exchange(byte[] request, String method) throws IOException {
		if (this.socket == null || this.in == null) {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), this.port);
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(GENEROUS_MILLIS);
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		this.socket.getOutputStream().write(request);
		return read(this.in, method);
	}

	private Response read(InputStream in, String method) throws IOException {
		String statusLine = line(in);
		if (!statusLine.startsWith("HTTP/1.1 ")) {
			logger.warn("In place of a status line came '" + statusLine + "' after " + this.previous);
			throw new IOException("Not a status line: " + statusLine);
		}
		List<String> headers = new ArrayList<>();
		for (String line = line(in); !line.isEmpty(); line = line(in)) {
			headers.add(line);
		}
		Response head = new Response(statusLine, headers, "");
		byte[] body;
		String length = head.header("Content-Length");
		if ("HEAD".equals(method) || head.status() == 304 || head.status() == 204) {
			body = new byte[0];
		}
		else if (length != null) {
			body = in.readNBytes(Integer.parseInt(length));
		}
		else if ("chunked".equalsIgnoreCase(head.header("Transfer-Encoding"))) {
			body = chunks(in);
		}
		else {
			body = in.readAllBytes();
			close();
		}
		if ("close".equalsIgnoreCase(head.header("Connection"))) {
			close();
		}
		Response response = new Response(statusLine, headers, new String(body, StandardCharsets.ISO_8859_1));
		this.previous = response;
		return response;
	}

	private static byte[] chunks(InputStream in) throws IOException {
		StringBuilder body = new StringBuilder();
		int size = Integer.parseInt(line(in), 16);
		while (size > 0) {
			body.append(new String(in.readNBytes(size), StandardCharsets.ISO_8859_1));
			line(in);
			size = Integer.parseInt(line(in), 16);
		}
		line(in);
		return body.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

	private static String line(InputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int c = in.read(); c != '\n'; c = in.read()) {
			if (c < 0) {
				throw new EOFException("The server has closed the connection");
			}
			if (c != '\r') {
				line.append((char) c);
			}
		}
		return line.toString();
	}

	@Override
	public void close() {
		try {
			if (this.socket != null) {
				this.socket.close();
			}
		}
		catch (IOException ex) {
			// the next request opens another
		}
		this.socket = null;
		this.in = null;
	}

	/**
	 * A response.
	 *
	 * @param statusLine the first line
	 * @param headers the lines of the header
	 * @param body the body
	 */
	public record Response(String statusLine, List<String> headers, String body) {

		/**
		 * The status.
		 * @return the status code
		 */
		public int status() {
			return Integer.parseInt(this.statusLine.split(" ")[1]);
		}

		/**
		 * Finds a header field.
		 * @param name its name, in any case
		 * @return its first value, or {@code null}
		 */
		public @Nullable String header(String name) {
			String start = name + ":";
			return this.headers.stream()
				.filter((line) -> line.regionMatches(true, 0, start, 0, start.length()))
				.map((line) -> line.substring(start.length()).trim())
				.findFirst()
				.orElse(null);
		}

	}

}
