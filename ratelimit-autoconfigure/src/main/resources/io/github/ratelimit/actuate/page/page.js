// The page: what is shown, and when it is asked for again.

import { html, render, useEffect, useRef, useState } from './preact.js';
import { Failure, read } from './api.js';
import { Confirmation, Overrides } from './changes.js';
import { Policy } from './policy.js';
import { count, counted, limits, ofPolicy } from './words.js';

const EVERY = 5000;
const chosen = () => {
	const hash = /^#policy=(.+)$/.exec(location.hash);
	try {
		return hash && decodeURIComponent(hash[1]);
	}
	catch {
		return null;
	}
};
const oneOf = (policies, name) => Object.hasOwn(policies, name) ? name : Object.keys(policies)[0];
/* Whoever may no longer see the numbers does not see the old ones either. */
const mayShow = ({ status }) => !status || status >= 500;
const linkTo = (name) => `#policy=${encodeURIComponent(name)}`;

function Page() {
	const [{ data, history, error, at }, setState] = useState({});
	const [name, setName] = useState(chosen());
	const [live, setLive] = useState(true);
	const [said, setSaid] = useState('');
	const [question, setQuestion] = useState(null);
	const asked = useRef(0);
	const policy = data && oneOf(data.policies, name);

	/* An answer that a later one has overtaken is old. */
	async function refresh() {
		const turn = ++asked.current;
		const show = (state) => turn === asked.current && setState(state);
		try {
			const fresh = await read();
			if (!fresh) {
				throw new Failure('The application does not have this endpoint any more.', 404);
			}
			const shown = oneOf(fresh.policies, name);
			const lately = shown ? await read(shown, 'history') : null;
			show({ data: fresh, history: lately, at: new Date() });
		}
		catch (ex) {
			show((before) => ({ ...(mayShow(ex) && before), error: ex.message }));
		}
	}

	useEffect(() => {
		const follow = () => chosen() && setName(chosen());
		addEventListener('hashchange', follow);
		return () => removeEventListener('hashchange', follow);
	}, []);

	useEffect(() => {
		let timer;
		let over = false;
		const next = async () => {
			clearTimeout(timer);
			if (!document.hidden) {
				await refresh();
			}
			if (live && !over) {
				clearTimeout(timer);
				timer = setTimeout(next, EVERY);
			}
		};
		next();
		document.addEventListener('visibilitychange', next);
		return () => {
			over = true;
			clearTimeout(timer);
			document.removeEventListener('visibilitychange', next);
		};
	}, [name, live]);

	/* Does something, says what became of it in the words of the answer, and shows what is so now. */
	async function act(words, action) {
		setQuestion(null);
		try {
			setSaid(words(await action()));
			await refresh();
			return true;
		}
		catch (ex) {
			setSaid(ex.status === 0 ? `${ex.message} It is not known whether that was done.` : `That failed. ${ex.message}`);
			return false;
		}
	}

	return html`
		<header>
			<h1>Rate limits</h1>
			${data && html`<${Store} data=${data} />`}
			<button type="button" aria-pressed=${!live} onClick=${() => setLive(!live)}>Pause</button>
		</header>
		<main>
			<div class="messages">
				<p role="status" class=${said ? 'said' : ''}>${said}</p>
				${error && html`<p role="alert" class="error">${error}${live && ` This page tries again every ${EVERY / 1000} seconds.`}${
					at && ` What follows is from ${at.toLocaleTimeString('en')}.`}</p>`}
			</div>
			${!data && !error && html`<p>Loading…</p>`}
			${data && html`
				<${Findings} all=${data.findings} />
				${policy ? html`
					<${Policies} all=${data.policies} chosen=${policy} />
					<${Policy} key=${policy} name=${policy} policy=${data.policies[policy]} history=${history?.policy === policy ? history : null}
						writable=${data.writable} act=${act} ask=${setQuestion} />
					<${Overrides} policies=${data.policies} writable=${data.writable} act=${act} ask=${setQuestion} />`
				: html`<${NoPolicies} />`}`}
			<${Playground} />
		</main>
		${question && html`<${Confirmation} ...${question} cancel=${() => setQuestion(null)} />`}`;
}

function Store({ data: { store, health } }) {
	return html`<p>Store: <strong>${store}</strong>${health && (health.available
		? html` <span class="good">is available</span>${health.outages > 0 && `, after ${counted(health.outages, 'outage')}`}`
		: html` <span class="bad">is unavailable</span>: ${health.failure ?? 'no reason is known'}. <code>on-failure</code> decides meanwhile.`)}</p>`;
}

function Findings({ all }) {
	return all?.length > 0 && html`
		<section aria-labelledby="findings">
			<h2 id="findings">Findings</h2>
			<ul class="findings">${all.map((each) => html`
				<li class=${each.level === 'warning' ? 'warning' : 'info'}>
					<strong>${each.level === 'warning' ? 'Warning' : 'Note'} <a href=${each.link}>${each.code}</a></strong>${each.policy && html` (<a href=${linkTo(each.policy)}>${each.policy}</a>)`}:
					${' '}${each.message} ${each.action}
				</li>`)}
			</ul>
		</section>`;
}

function Policies({ all, chosen }) {
	return html`
		<nav aria-labelledby="policies">
			<h2 id="policies">Policies</h2>
			<ul class="policies">${Object.entries(all).map(([name, policy]) => html`
				<li><a href=${linkTo(name)} aria-current=${name === chosen ? 'true' : null}>
					<strong>${name}</strong>
					<span>${limits((ofPolicy(policy.overrides) ?? policy).limits)}</span>
					<${Share} policy=${policy} />
				</a></li>`)}
			</ul>
		</nav>`;
}

function Share({ policy: { mode, requests, shadow, overrides } }) {
	const sum = (counts) => ['rejected', 'queue_full', 'banned', 'unavailable'].reduce((all, each) => all + counts[each], 0);
	const text = mode === 'inform' ? `informs, ${count(requests.exceeded)} would be rejected` : mode === 'shadow' ? `in shadow, ${count(sum(shadow?.requests ?? requests))} would be rejected`
		: `${count(requests.allowed + requests.delayed)} allowed, ${count(sum(requests))} rejected`;
	return html`<small>${text}${overrides && ', overridden'}</small>`;
}

function NoPolicies() {
	return html`
		<section aria-labelledby="none">
			<h2 id="none">There is no policy yet</h2>
			<p>Define one in <code>application.yaml</code> and restart the application, or annotate a method with <code>@RateLimited</code>:</p>
			<pre tabindex="0">${`ratelimit:
  policies:
    login:
      limits:
      - limit: 10
        window: 1m
  rules:
  - path: /login
    policy: login`}</pre>
		</section>`;
}

function Playground() {
	const place = useRef(null);
	const [there, setThere] = useState(true);
	useEffect(() => {
		import('./playground.js').then(({ mount }) => mount(place.current), () => setThere(false));
	}, []);
	return there && html`<div id="playground" ref=${place}></div>`;
}

if (window.top === window.self) {
	render(html`<${Page} />`, document.getElementById('page'));
}
else {
	document.body.textContent = 'This page is not shown inside of another page.';
}
