// The page: which view is shown, and when it is asked for again.

import { html, render, useEffect, useLayoutEffect, useRef, useState } from './preact.js';
import { Failure, read } from './api.js';
import { Confirmation } from './changes.js';
import { InForce } from './force.js';
import { Choice, Findings, Table, link, parse, toPolicy, useAnswer } from './parts.js';
import { Policy } from './policy.js';
import { Policies } from './table.js';
import { ago, clock, count, counted, lasting, list, moment, setClock, spelled } from './words.js';

const EVERY = 5000;

/* Instances read each other's counts once a second. */
const STALE = 5000;

/* How many of the last answers tell which instances answer by turns. */
const TURNS = 12;

async function readAll() {
	const answer = await read();
	if (!answer) {
		throw new Failure('The application does not have this endpoint any more.', 404);
	}
	setClock(answer.instance?.now);
	return answer;
}

function Page() {
	const [live, setLive] = useState(true);
	const [said, setSaid] = useState('');
	const [question, setQuestion] = useState(null);
	const [{ answer: data, error, at }, refresh] = useAnswer(readAll, EVERY, live);
	const [route, go] = useRoute(data != null);
	const turns = useRef({ at: null, names: [] });
	const others = data?.instances?.length > 1;
	const all = others && route.scope !== 'one';

	useEffect(() => setSaid(''), [route.view, route.policy]);
	if (data?.instance && turns.current.at !== at) {
		turns.current = { at, names: [...turns.current.names, data.instance.name].slice(-TURNS) };
	}

	/* Does something, says what became of it in the words of the answer, and shows what is so. Returns what failed. */
	async function act(words, action) {
		try {
			setSaid(words(await action()));
			await refresh();
			return '';
		}
		catch (ex) {
			const failed = ex.status === 0 ? `${ex.message} It is not known whether that was done.` : `That failed. ${ex.message}`;
			setSaid(failed);
			return failed;
		}
	}

	const shared = { data, all, route, go, live: live && !error, act, ask: setQuestion, writable: data?.writable };
	return html`
		<header>
			<h1>Rate limits</h1>
			${data && html`<${Instance} data=${data} /><${Store} data=${data} />`}
			<p class="time">${at && html`as of <time>${clock(data.instance?.now ?? at)}</time>`}</p>
			<button type="button" aria-pressed=${!live} onClick=${() => setLive(!live)}>Pause</button>
		</header>
		${data && html`<${Navigation} ...${shared} others=${others} answering=${[...new Set(turns.current.names)]} />`}
		<main class=${error ? 'old' : ''}>
			<div class="messages">
				<p role="status" class=${said ? 'said' : ''}>${said}</p>
				${error && html`<p role="alert" class="error">${error.message}${live && ` This page tries again every ${EVERY / 1000} seconds.`}
					${data && html` <${Age} at=${at} />`}</p>`}
			</div>
			${!data && !error && html`<p>Loading…</p>`}
			${data && route.view !== 'playground' && html`<${View} ...${shared} />`}
			${route.view === 'playground' && html`<${Playground} />`}
		</main>
		${question && html`<${Confirmation} ...${question} close=${() => setQuestion(null)} />`}`;
}

/*
 * The view that the address has. Another view begins where it was left, or else at its top, and takes the focus, as a page
 * does that is loaded.
 */
function useRoute(isLoaded) {
	const [route, setRoute] = useState(parse(location.hash));
	const places = useRef({});
	const last = useRef(null);
	const at = link({ view: route.view, policy: route.policy });

	useEffect(() => {
		const follow = () => setRoute(parse(location.hash));
		const note = () => places.current[last.current?.at] = scrollY;
		addEventListener('hashchange', follow);
		addEventListener('scroll', note, { passive: true });
		return () => {
			removeEventListener('hashchange', follow);
			removeEventListener('scroll', note);
		};
	}, []);

	useLayoutEffect(() => {
		const from = last.current;
		last.current = { at, policy: route.policy };
		document.title = `${route.policy ?? TITLES[route.view]} – Rate limits`;
		if (isLoaded && from && from.at !== at) {
			const row = from.policy && route.view === '' && document.querySelector(`tbody a[href="${CSS.escape(toPolicy(from.policy, route))}"]`);
			(row || document.getElementById('view'))?.focus({ preventScroll: true });
			scrollTo(0, places.current[at] ?? 0);
		}
	}, [at, isLoaded]);

	/* What is only sorted or filtered is no place to go back to. */
	const go = (changes) => {
		history.replaceState(null, '', link({ ...route, ...changes }));
		setRoute({ ...route, ...changes });
	};
	return [route, go];
}

const TITLES = { '': 'Policies', 'in-force': 'In force', findings: 'Findings', playground: 'Playground' };

function Navigation({ data, all, route, go, others, answering }) {
	const inForce = Object.values(data.policies).reduce((sum, { overrides }) => sum + (overrides?.length ?? 0), 0) + (data.bans?.length ?? 0)
		+ ['exempt', 'deny'].reduce((sum, word) => sum + (data[word]?.addresses?.length ?? 0) + (data[word]?.keys?.length ?? 0), 0);
	const numbers = { 'in-force': inForce, findings: data.findings?.length ?? 0 };
	return html`<nav aria-label="Views" class="row between">
		<ul class="views">${Object.entries(TITLES).map(([view, words]) => html`
			<li><a href=${link({ view, scope: route.scope })} aria-current=${view === route.view ? 'page' : null}>${words}${numbers[view] > 0 && html` <span class="badge">${count(numbers[view])}</span>`}</a></li>`)}
		</ul>
		${others ? html`<${Choice} label="Whose counts" of=${[[false, 'This instance'], [true, data.instances.length === 2 ? 'Both instances'
			: `All ${spelled(data.instances.length)} instances`]]} value=${all} choose=${(each) => go({ scope: each ? '' : 'one' })} />`
		: html`<p><small>${data.instances ? 'There is one instance.' : 'This page shows one instance.'}</small></p>`}
		${answering.length > 1 && !all && html`<p class="wide">${list(answering)} answer by turns at this address: what is told of one instance is now of
			one of them, and now of another.</p>`}
		${all && Date.parse(data.instance.now) - Date.parse(data.instancesAsOf) > STALE && html`<p class="wide"><strong>What is told of other instances is from ${clock(data.instancesAsOf)}</strong>,
			because the store has not answered since.</p>`}
		${!data.writable && html`<p class="wide"><strong>Read-only.</strong> Nothing can be changed here without
			<code>management.endpoint.ratelimits.access: unrestricted</code>.</p>`}
	</nav>`;
}

function View(shared) {
	const { data, route } = shared;
	if (Object.keys(data.policies).length === 0 && route.view !== 'findings') {
		return html`<${NoPolicies} />`;
	}
	if (route.view === 'policy') {
		return Object.hasOwn(data.policies, route.policy) ? html`<${Policy} key=${route.policy} name=${route.policy} ...${shared} />`
			: html`<h2 id="view" tabindex="-1">There is no policy ${route.policy}</h2><p><a href=${link({ scope: route.scope })}>All policies</a></p>`;
	}
	if (route.view === 'in-force') {
		return html`<${InForce} ...${shared} />`;
	}
	if (route.view === 'findings') {
		const { findings = [] } = data;
		return html`<h2 id="view" tabindex="-1">Findings</h2>
			${findings.length > 0 ? html`<${Findings} all=${findings} route=${route} />` : html`<p>Nothing was found.</p>`}`;
	}
	return html`<${Policies} ...${shared} /><${Instances} data=${data} />`;
}

function Instance({ data: { instance } }) {
	return instance && html`<p><strong>${instance.name}</strong>, runs since <time datetime=${instance.startedAt}>${moment(instance.startedAt)}</time>
		${' '}(${lasting(instance.startedAt)})</p>`;
}

function Store({ data: { store, health } }) {
	return html`<p>Store: <strong>${store}</strong>${health && (health.available
		? html` <span class="good">is available</span>${health.outages > 0 && `, after ${counted(health.outages, 'outage')}`}`
		: html` <span class="bad">is unavailable</span>: ${health.failure ?? 'no reason is known'}. <code>${health.decides ?? 'on-failure'}</code> decides meanwhile.`)}</p>`;
}

/* How old the numbers are, second by second. */
function Age({ at }) {
	const [, setTick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
		return () => clearInterval(timer);
	}, []);
	return html`What follows is from ${clock(at)}, ${counted(Math.round((Date.now() - at) / 1000), 'second')} old.`;
}

function Instances({ data: { instances, instance, store } }) {
	if (!instances) {
		return html`<p><small>With the store ${store} each instance of the application decides and counts by itself: these are the numbers of
			${' '}${instance?.name ?? 'one of them'}, and of no other.</small></p>`;
	}
	return html`
		<details>
			<summary>${counted(instances.length, 'instance')} with this store</summary>
			<${Table} title="Instances" heads=${['Name', 'Runs since', 'Told its counts']} rows=${instances.map((each) => [
				`${each.name}${each.name === instance?.name ? ' (which answers)' : ''}`, moment(each.startedAt), each.publishedAt ? ago(each.publishedAt) : 'not yet'])} />
		</details>`;
}

function NoPolicies() {
	return html`
		<section aria-labelledby="view">
			<h2 id="view" tabindex="-1">There is no policy yet</h2>
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
		let remove;
		import('./playground.js').then(({ mount }) => remove = place.current && mount(place.current), () => setThere(false));
		return () => remove?.();
	}, []);
	return there ? html`<div id="playground" ref=${place}></div>` : html`<p class="error">The playground could not be loaded. Reload this page.</p>`;
}

if (window.top === window.self) {
	render(html`<${Page} />`, document.getElementById('page'));
}
else {
	document.body.textContent = 'This page is not shown inside of another page.';
}
