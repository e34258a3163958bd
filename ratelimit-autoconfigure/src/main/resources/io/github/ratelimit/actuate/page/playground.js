// The playground: what five algorithms make of the same traffic. The application computes it, this only draws.

import { simulate as post } from './api.js';
import { html, render, useEffect, useMemo, useRef, useState } from './preact.js';

const SLOTS = 60;
const MOST = 9;
const SPANS = [6, 30, 60, 600];
const STRIP = 81;
const ROW = 9;
const ROWS = 14;

/* Name, label, smallest, largest, step. */
const NUMBERS = [
	['limit', 'Limit: requests', 1, 1000, 1],
	['window', 'Window: seconds', 0.1, 3600, 0.1],
	['burst', 'Token bucket: burst', 1, 1000, 1],
	['queue', 'Leaky bucket: burst', 0, 1000, 1],
	['delay', 'Leaky bucket: delay', 0, 1000, 1],
];
const CHOICES = [['nodelay', 'Leaky bucket: nodelay'], ['counted', 'Sliding window log: count-rejected']];

const ALGORITHMS = [
	['fixed-window-counter', 'Fixed window counter', () => ({})],
	['sliding-window-log', 'Sliding window log', ({ counted }) => counted ? { 'count-rejected': true } : {}],
	['sliding-window-counter', 'Sliding window counter', () => ({})],
	['token-bucket', 'Token bucket', ({ burst }) => ({ burst })],
	['leaky-bucket', 'Leaky bucket', ({ queue, delay, nodelay }) =>
		({ burst: queue, ...(nodelay ? { nodelay } : { delay }) })],
];

const PRESETS = [
	['The edge of a window', 'Five requests come just before the edge of a window and five just after it: the fixed window '
		+ 'counter lets all ten through within 2 seconds, twice its limit.',
	{ strip: draft(30, [9, 10, 5], [10, 11, 5]) }],
	['An uneven window', 'The first window’s requests all came at its end, but the sliding window counter assumes that they '
		+ 'were even: within 10 seconds it lets more through than the sliding window log, which is exact.',
	{ limit: 10, burst: 10, strip: draft(30, [8.5, 10, 10], [12, 22, 20]) }],
	['After a pause', 'While nobody asks, the token bucket fills: after the pause a burst of its ten tokens passes at once, '
		+ 'and then one request every 2 seconds.',
	{ burst: 10, strip: draft(30, [0, 8, 8], [20, 21, 12], [21, 29, 8]) }],
	['A constant outflow', 'However the requests come, the leaky bucket lets one leave every 2 seconds: the others wait in '
		+ 'its queue, or are rejected once that is full.',
	{ queue: 5, strip: draft(30, [1, 2, 8], [10, 11, 4], [14, 15, 6]) }],
	['nginx: burst', 'burst=12: twelve requests beyond the rate of 5 a second wait in the leaky bucket and leave it at that '
		+ 'rate.', nginx(0, false)],
	['nginx: delay', 'burst=12 delay=8: the first eight requests beyond the rate do not wait, the next four do.',
		nginx(8, false)],
	['nginx: nodelay', 'burst=12 nodelay: as many requests pass, and none waits. Room for more returns at the rate.',
		nginx(0, true)],
].map(([name, text, changes]) => [name, text,
	{ span: 30, limit: 5, window: 10, burst: 5, queue: 3, delay: 0, nodelay: false, counted: false, ...changes }]);

const SHAPES = [
	['Steady', () => 1],
	['Bursts', (i) => i % 20 > 7 && i % 20 < 12 ? 1 : 0],
	['Wave', (i) => 1 - Math.cos(i * Math.PI / 15)],
];

function nginx(delay, nodelay) {
	return { span: 6, window: 1, queue: 12, delay, nodelay, strip: draft(6, [0.5, 0.8, 20], [3, 3.3, 10]) };
}

/* Requests from one second to another, spread over the slots. */
function draft(span, ...parts) {
	return parts.map(([from, to, requests]) => spread(requests, (i) => {
		const second = i * span / SLOTS + 1e-9;
		return second >= from && second < to ? 1 : 0;
	})).reduce((one, other) => one.map((requests, i) => requests + other[i]));
}

function spread(requests, weight) {
	const weights = Array.from({ length: SLOTS }, (_, i) => weight(i));
	const all = weights.reduce((one, other) => one + other);
	let sum = 0;
	let given = 0;
	return weights.map((each) => {
		sum += each;
		const now = each > 0 ? Math.min(MOST, Math.round(requests * sum / all) - given) : 0;
		given += now;
		return now;
	});
}

/* When the requests come, in milliseconds. */
function arrivals({ span, strip }) {
	const slot = span * 1000 / SLOTS;
	return strip.flatMap((requests, i) => Array.from({ length: requests }, (_, k) => Math.round((i + k / requests) * slot)));
}

function link({ span, limit, window, burst, queue, delay, nodelay, counted, strip }) {
	return `#play=${[span, limit, window, burst, queue, delay, +nodelay, +counted, strip.join('')].join('_')}`;
}

/* Anybody can write a link: what is not exactly a state is none. */
function linked(hash) {
	const parts = /^#play=(\d{1,3})_(\d{1,4})_(\d{1,4}(?:\.\d)?)_(\d{1,4})_(\d{1,4})_(\d{1,4})_([01])_([01])_(\d{60})$/.exec(hash);
	if (!parts) {
		return null;
	}
	const [span, limit, window, burst, queue, delay, nodelay, counted] = parts.slice(1, 9).map(Number);
	const state = { span, limit, window, burst, queue, delay, nodelay: !!nodelay, counted: !!counted,
		strip: Array.from(parts[9], Number) };
	const valid = SPANS.includes(span) && NUMBERS.every(([name, , least, most]) => state[name] >= least && state[name] <= most);
	return valid ? state : null;
}

async function simulate(state, signal, tries = 3) {
	const times = arrivals(state);
	const window = `${Math.round(state.window * 1000)}ms`;
	const body = JSON.stringify({
		limits: ALGORITHMS.map(([algorithm, , own]) => ({ algorithm, limit: state.limit, window, ...own(state) })),
		gaps: times.map((time, i) => time - (i > 0 ? times[i - 1] : 0)),
	});
	const response = await post(body, signal);
	if (response.status === 503 && tries > 1) {
		// one at a time
		await new Promise((resolve) => setTimeout(resolve, 200 + 600 * Math.random()));
		return simulate(state, signal, tries - 1);
	}
	const answer = await response.json().catch(() => ({}));
	if (!response.ok || !answer.limits) {
		const limit = /^\$\.limits\[(\d)]/.exec(answer.path)?.[1];
		throw new Error(answer.detail ? `${limit ? `${ALGORITHMS[limit][1]}: ` : ''}${answer.detail} ${answer.action}`
			: `The application answered with status ${response.status}, and not with a simulation.`);
	}
	return { state, times, lanes: answer.limits };
}

function Playground() {
	const [state, setState] = useState(() => linked(location.hash) ?? PRESETS[0][2]);
	const [result, setResult] = useState(null);
	const [error, setError] = useState('');
	const [total, setTotal] = useState(40);
	const [width, setWidth] = useState(0);
	const place = useRef(null);
	const change = (changes) => setState((before) => ({ ...before, ...changes }));
	const preset = PRESETS.find(([, , each]) => link(each) === link(state));

	useEffect(() => {
		const follow = () => setState((before) => linked(location.hash) ?? before);
		const observer = new ResizeObserver(([entry]) => requestAnimationFrame(() => setWidth(Math.floor(entry.contentRect.width))));
		addEventListener('hashchange', follow);
		observer.observe(place.current);
		return () => {
			removeEventListener('hashchange', follow);
			observer.disconnect();
		};
	}, []);

	useEffect(() => {
		const abort = new AbortController();
		const show = (simulated, failure) => {
			if (!abort.signal.aborted) {
				setResult(simulated);
				setError(failure);
			}
		};
		const timer = setTimeout(() => simulate(state, abort.signal).then((simulated) => show(simulated, ''),
			(ex) => show(null, ex.status === 0 ? 'The application does not answer.' : ex.message)), 100);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [state]);

	return html`
		<section class="playground" aria-labelledby="playground-title">
			<h2 id="playground-title">Playground</h2>
			<p>What would five algorithms make of the same requests of one client? The application itself computes it. No policy
				and no key is touched.</p>
			<div class="choices" role="group" aria-label="Examples">${PRESETS.map(([name, , each]) => html`
				<button type="button" aria-pressed=${each === preset?.[2]} onClick=${() => setState(each)}>${name}</button>`)}
			</div>
			<p class="story">${preset?.[1] ?? 'Your own traffic and numbers.'}</p>
			<div class="numbers">
				${NUMBERS.map(([name, ...field]) => html`<${Field} key=${name} value=${state[name]} field=${field}
					change=${(value) => change({ [name]: value })} />`)}
				${CHOICES.map(([name, label]) => html`<label class="choice"><input type="checkbox" checked=${state[name]}
					onChange=${(event) => change({ [name]: event.target.checked })} />${label}</label>`)}
			</div>
			<h3 id="playground-traffic">Requests</h3>
			<div class="choices">
				<${Field} value=${total} field=${['Number', 1, SLOTS * MOST, 1]} change=${setTotal} />
				${SHAPES.map(([name, weight]) => html`
					<button type="button" onClick=${() => change({ strip: spread(total, weight) })}>${name}</button>`)}
				<button type="button" onClick=${() => change({ strip: Array(SLOTS).fill(0) })}>Clear</button>
				<label>Time shown<select onChange=${(event) => change({ span: Number(event.target.value) })}>${SPANS.map((span) => html`
					<option value=${span} selected=${span === state.span}>${seconds(span)}</option>`)}</select></label>
			</div>
			<p id="playground-hint">Draw with the pointer. Or with the keyboard: left and right choose a moment, up and down or a
				digit say how many requests come.</p>
			<div class="lanes" ref=${place}>${width > 0 && html`
				<${Strip} width=${width} span=${state.span} strip=${state.strip} change=${(strip) => change({ strip })} />
				<${Axis} width=${width} span=${state.span} />`}
				<p class="legend" aria-hidden="true"><${Sample} kind="allowed" /> passes at once <${Sample} kind="delayed" /> waits,
					then passes <${Sample} kind="rejected" /> is rejected</p>
				${error && html`<p role="alert" class="error">${error}</p>`}
				${width > 0 && result && html`<${Lanes} width=${width} result=${result} />
				<${Axis} width=${width} span=${result.state.span} />`}
			</div>
			<p role="status">${result && `${result.times.length} requests simulated.`}</p>
			<p><a href=${link(state)}>Link to this state</a></p>
		</section>`;
}

/* What is typed stays as it is typed, valid or not, until another value is set. */
function Field({ value, field: [label, least, most, step], change }) {
	const [typed, setTyped] = useState({});
	const isTyped = typed.value === value;
	const wrong = isTyped && !typed.valid;
	const onInput = ({ target }) => {
		const valid = target.value !== '' && target.validity.valid;
		setTyped({ text: target.value, valid, value: valid ? target.valueAsNumber : value });
		if (valid) {
			change(target.valueAsNumber);
		}
	};
	return html`<label>${label}<input type="number" min=${least} max=${most} step=${step} value=${isTyped ? typed.text : String(value)} required
		aria-invalid=${wrong} onInput=${onInput} />${wrong && html`<small role="alert">“${label}” is invalid: write a number
		from ${least} to ${most}${step < 1 && `, in steps of ${step}`}. Until then it is ${value}.</small>`}</label>`;
}

function Strip({ width, span, strip, change }) {
	const [active, setActive] = useState(0);
	const [last, setLast] = useState(null);
	const slot = width / SLOTS;
	const within = (number, most) => Math.max(0, Math.min(most, number));

	function draw(event, from) {
		const box = event.currentTarget.getBoundingClientRect();
		const at = within(Math.floor((event.clientX - box.left) / slot), SLOTS - 1);
		const requests = within(Math.round((box.bottom - event.clientY) / STRIP * MOST), MOST);
		const first = Math.min(from ?? at, at);
		const end = Math.max(from ?? at, at);
		setLast(at);
		setActive(at);
		change(strip.map((before, i) => i >= first && i <= end ? requests : before));
	}

	function press(event) {
		const move = { ArrowLeft: -1, ArrowRight: 1, Home: -SLOTS, End: SLOTS, PageDown: -SLOTS / 6, PageUp: SLOTS / 6 }[event.key];
		const add = { ArrowUp: 1, ArrowDown: -1 }[event.key];
		if (event.ctrlKey || event.altKey || event.metaKey || !(move || add || /^\d$/.test(event.key))) {
			return;
		}
		event.preventDefault();
		if (move) {
			const next = within(active + move, SLOTS - 1);
			setActive(next);
			event.currentTarget.querySelectorAll('[role=spinbutton]')[next].focus();
		}
		else {
			change(strip.map((before, i) => i !== active ? before : add ? within(before + add, MOST) : Number(event.key)));
		}
	}

	return html`
		<svg class="strip" width=${width} height=${STRIP} role="group" aria-labelledby="playground-traffic"
			aria-describedby="playground-hint" onKeyDown=${press}
			onPointerDown=${(event) => {
				event.currentTarget.setPointerCapture(event.pointerId);
				draw(event);
			}}
			onPointerMove=${(event) => last != null && draw(event, last)}
			onPointerUp=${() => setLast(null)} onPointerCancel=${() => setLast(null)}>
			${strip.map((requests, i) => html`
				<g role="spinbutton" tabindex=${i === active ? 0 : -1} aria-valuenow=${requests} aria-valuemin="0" aria-valuemax=${MOST}
					aria-label=${`Requests from ${seconds(i * span / SLOTS)} to ${seconds((i + 1) * span / SLOTS)}`} onFocus=${() => setActive(i)}>
					<rect class="place" x=${i * slot} y="0" width=${slot} height=${STRIP} />
					<rect class="bar" x=${i * slot + 0.5} y=${STRIP - requests * STRIP / MOST} width=${slot - 1} height=${requests * STRIP / MOST} />
				</g>`)}
		</svg>`;
}

function Axis({ width, span }) {
	const parts = width > 500 ? 6 : 3;
	return html`<svg class="axis" width=${width} height="18" aria-hidden="true">${Array.from({ length: parts + 1 }, (_, i) => html`
		<text x=${i * width / parts} y="14" text-anchor=${i === 0 ? 'start' : i === parts ? 'end' : 'middle'}>${seconds(i * span / parts)}</text>`)}</svg>`;
}

function Lanes({ width, result }) {
	return useMemo(() => result.lanes.map((lane, i) => html`
		<figure><figcaption><strong>${ALGORITHMS[i][1]}:</strong> ${summary(lane)}</figcaption>
			<${Lane} width=${width} result=${result} delays=${lane.delays} /></figure>`), [width, result]);
}

function summary({ requests: { allowed, delayed, rejected }, longestDelay }) {
	const all = allowed + delayed + rejected;
	const wait = longestDelay < 1 ? longestDelay : Math.ceil(longestDelay * 10) / 10;
	return `${allowed + delayed} of ${all} passed${delayed > 0 ? `, ${delayed} of them waited up to ${seconds(wait)}` : ''}, `
		+ `${rejected} ${rejected === 1 ? 'was' : 'were'} rejected.`;
}

/* What passes stands above the line, and what is rejected below it. */
function Lane({ width, result: { state, times }, delays }) {
	const x = (time) => Math.min(width, Math.round(time / state.span * width / 100) / 10);
	const above = [];
	const below = [];
	const paths = { allowed: '', waits: '', delayed: '', rejected: '' };
	const marks = times.map((time, i) => ({ from: x(time), to: x(time + Math.max(0, delays[i])), delay: delays[i] }));
	for (const mark of marks) {
		mark.row = free(mark.delay < 0 ? below : above, mark);
	}
	const line = Math.max(2, above.length) * ROW + 1;
	for (const { from, to, delay, row } of marks) {
		const y = line + (delay < 0 ? 1 : -1) * (row * ROW + 6);
		if (delay < 0) {
			paths.rejected += `M${from - 2.5} ${y - 2.5}l5 5m0 -5l-5 5`;
		}
		else if (delay === 0) {
			paths.allowed += dot(from, y);
		}
		else {
			paths.waits += `M${from} ${y - 3}v6M${from} ${y}H${to - 3}`;
			paths.delayed += to < width ? dot(to, y) : '';
		}
	}
	const height = line + Math.max(1, below.length) * ROW + 3;
	const windows = Math.floor(state.span / state.window);
	const edges = windows <= SLOTS ? Array.from({ length: windows }, (_, i) => `M${x((i + 1) * state.window * 1000)} 0V${height}`).join('') : '';
	return html`<svg width=${width} height=${height} aria-hidden="true">
		<path class="edges" d=${edges} /><path class="line" d=${`M0 ${line}H${width}`} />
		${Object.entries(paths).map(([kind, path]) => html`<path class=${kind} d=${path} />`)}</svg>`;
}

/* The first row in which nothing is in the way. */
function free(rows, { from, to }) {
	let row = rows.findIndex((end) => end < from - 3);
	if (row < 0) {
		row = rows.length < ROWS ? rows.length : rows.indexOf(Math.min(...rows));
	}
	rows[row] = to + 3;
	return row;
}

const dot = (x, y) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0`;

function Sample({ kind }) {
	return html`<svg width="24" height="10">${kind === 'delayed' && html`<path class="waits" d="M2 2.5v5M2 5H17" />`}
		<path class=${kind} d=${kind === 'rejected' ? 'M9 2l6 6m0 -6l-6 6' : dot(kind === 'delayed' ? 19.5 : 12, 5)} /></svg>`;
}

function seconds(number) {
	return number >= 60 && number % 60 === 0 ? `${number / 60} min` : `${Math.round(number * 1000) / 1000} s`;
}

/** Shows the playground in an element. Its style sheet is found beside this file. */
export function mount(element) {
	const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: new URL('playground.css', import.meta.url).href });
	document.head.append(style);
	render(html`<${Playground} />`, element);
	return () => {
		render(null, element);
		style.remove();
	};
}
