// What the page asks the endpoint, below which its files are.

const ROOT = new URL('..', import.meta.url).href;

/* In milliseconds: an answer that takes longer would be old when it comes. */
const LONGEST = 10000;

/* What the endpoint told last. */
let token;

export class Failure extends Error {

	constructor(message, status) {
		super(message);
		this.status = status;
	}

	/** Whether whoever asked may no longer see what was answered before. */
	get hides() {
		return this.status > 0 && this.status !== 429 && this.status < 500;
	}

}

/** Reads what there is: of all policies, or of one; null if there is nothing of the kind. */
export async function read(policy, word, parameters) {
	const response = await send(address(policy, word, parameters), {});
	if (response.status === 404) {
		return null;
	}
	if (response.status === 403) {
		throw new Failure('You are not permitted to see this. Sign in as somebody who is, and reload this page.', 403);
	}
	if (!response.ok) {
		throw await failure(response);
	}
	if (!/json/.test(response.headers.get('Content-Type'))) {
		throw new Failure('The application answered with something else than data, perhaps with a page to sign in. '
			+ 'You are not signed in, then: reload this page.', response.status);
	}
	return response.json();
}

export const reset = (policy, key) => change('DELETE', address(policy, null, { key }));

export const takeBack = ({ policy, key, plan, version }) =>
	change('DELETE', address(policy, 'override', { key, plan, version }));

/** Overrides a policy, or a plan or a key of it, in place of the version that the target has. Returns what is in force. */
export const override = (policy, target, body) => post(address(policy, null, target), body);

/** Bans a key of a policy, in place of an earlier ban. */
export const ban = (policy, target, body) => post(address(policy, 'ban', target), body);

export const endBan = (policy, target) => change('DELETE', address(policy, 'ban', target));

/** Exempts or denies an address, or a key of a policy: the word says which. */
export const enlist = (word, body) => post(address(word), body);

export const strike = (word, target) => change('DELETE', address(word, null, target));

async function post(url, body) {
	const text = JSON.stringify(body);
	try {
		return await change('POST', url, text);
	}
	catch (ex) {
		// where Jersey serves the actuator, the override is sent as a text
		if (ex.status === 400 && !ex.problem) {
			return change('POST', url, JSON.stringify({ override: text }));
		}
		throw ex;
	}
}

function address(policy, word, parameters = {}) {
	const path = [policy, word].filter((part) => part != null).map(encodeURIComponent).join('/');
	const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value != null)).toString();
	return (path ? ROOT + path : ROOT.slice(0, -1)) + (query ? `?${query}` : '');
}

/*
 * Awaits the whole answer, which may hang after its beginning. What is elsewhere is a page to sign in. Spring Security does not let the browser ask for a
 * password, and the answer wait for it, if a script says that it is one.
 */
async function send(url, { signal, headers, ...options }) {
	const late = AbortSignal.timeout(LONGEST);
	try {
		const answer = await fetch(url, { ...options, redirect: 'manual', headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...headers },
			signal: signal ? AbortSignal.any([signal, late]) : late });
		if (answer.type === 'opaqueredirect') {
			return new Response(null, { status: 401 });
		}
		return new Response(await answer.text() || null, answer);
	}
	catch {
		throw new Failure(`The application does not answer${late.aborted ? ` within ${LONGEST / 1000} seconds` : ''}.`, 0);
	}
}

async function change(method, url, body) {
	const response = await sendWithToken(method, url, body);
	if (!response.ok) {
		throw await failure(response);
	}
	return response.status === 204 ? null : response.json();
}

/** Asks what limits would make of given traffic. */
export const simulate = (body, signal) => sendWithToken('POST', `${ROOT}simulate`, body, signal);

/*
 * Spring Security's token is in a cookie for scripts, or else the endpoint tells it. It is asked for first: a change
 * without it could make the browser ask for a password.
 */
async function sendWithToken(method, url, body, signal) {
	const headers = body ? { 'Content-Type': 'application/json' } : {};
	const cookie = /(?:^|; )XSRF-TOKEN=([^;]+)/.exec(document.cookie);
	const first = cookie ? { 'X-XSRF-TOKEN': decodeURIComponent(cookie[1]) } : token ??= await asked();
	const response = await send(url, { method, body, signal, headers: { ...headers, ...first } });
	if (response.status !== 403) {
		return response;
	}
	token = await asked();
	return send(url, { method, body, signal, headers: { ...headers, ...token } });
}

async function asked() {
	const response = await send(`${ROOT}page/token`, {});
	if (response.status !== 200) {
		return {};
	}
	const { header, token } = await response.json().catch(() => ({}));
	return header ? { [header]: token } : {};
}

async function failure(response) {
	const body = await response.json().catch(() => ({}));
	const failure = new Failure(explain(response.status, body), response.status);
	failure.problem = body.detail != null;
	return failure;
}

function explain(status, body) {
	if (status === 401) {
		return 'You are not signed in. Reload this page to sign in.';
	}
	if (status === 403) {
		return 'You are not permitted to do this: your role does not allow it, or Spring Security wants a token '
			+ 'that this page could not get.';
	}
	if (body.detail) {
		return [body.detail, body.action, body.path && `(${body.path})`].filter(Boolean).join(' ');
	}
	return `The application answered with status ${status}${body.message ? `: ${body.message}` : '.'}`;
}
