// What other numbers would have rejected of the real traffic.

import { html, useState } from './preact.js';
import { Chart } from './chart.js';
import { count, counted, duration, limit, percent } from './words.js';

export function Advice({ advice, own }) {
	if (!advice) {
		return advice === null && html`<h3>Other numbers</h3>
			<p>Set <code>ratelimit.advice.enabled</code> to <code>true</code> and start the application again to see what other numbers
			would have rejected.</p>`;
	}
	const observed = `observed ${duration(advice.seconds)}, ${counted(advice.callers, 'caller')}`;
	return html`
		<h3>Other numbers</h3>
		<${Curve} curves=${advice.curves} start=${advice.suggestion ?? own ?? advice.curves[0]} observed=${observed} />
		${advice.notes?.length > 0 && html`<ul>${advice.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
		${advice.suggestion && html`<${Suggestion} ...${advice.suggestion} />`}
		${advice.missing?.length > 0 && html`<p>No suggestion yet. ${advice.missing.join(' ')}</p>`}`;
}

/* Of a calendar's periods, about. */
const SECONDS = { day: 86400, week: 604800, month: 2678400, year: 31536000 };

const nearest = (numbers, wanted) => {
	const distances = numbers.map((number) => Math.abs(Math.log(number / wanted)));
	return distances.indexOf(Math.min(...distances));
};

const rate = ({ limit, window, period }) => limit / (window ?? SECONDS[period]);

/** Starts at the suggestion, or at what the policy has itself. */
function Curve({ curves, start, observed }) {
	const [chosen, setChosen] = useState(nearest(curves.map(rate), rate(start)));
	const [position, setPosition] = useState(null);
	const curve = curves[Math.min(chosen, curves.length - 1)];
	const { points } = curve;
	const at = Math.min(position ?? nearest(points.map(({ burst }) => burst), start.burst || start.limit), points.length - 1);
	const point = points[at];
	const words = `${limit({ ...curve, algorithm: 'token-bucket', burst: point.burst })}: ${percent(point.callers)} of callers, ${
		percent(point.requests)} of requests would have been rejected`;
	return html`
		<div class="row">
			<label>Rate <select value=${chosen} onChange=${(event) => setChosen(Number(event.target.value))}>${curves.map((each, i) =>
				html`<option value=${i}>${limit({ ...each, algorithm: 'token-bucket' })}</option>`)}</select></label>
			<label>Burst <input type="range" min="0" max=${points.length - 1} value=${at} aria-valuetext=${count(point.burst)}
				onInput=${(event) => setPosition(Number(event.target.value))} /></label>
		</div>
		<p aria-live="polite"><strong>${words}</strong>; ${observed}.</p>
		<figure>
			<figcaption>Share that each burst would have rejected</figcaption>
			<${Chart} height=${140} x=${points.map((each, i) => i)} steps=${[1, 2, 5, 10, 20]} xText=${(i) => points[i] ? count(points[i].burst) : ''}
				yText=${percent} label=${words} series=${[{ name: 'rejected', dash: [8, 3], values: points.map((each) => each.callers) },
					{ name: 'delayed', dash: [2, 3], values: points.map((each) => each.requests) }]} />
			<ul class="legend"><li class="rejected">of callers</li><li class="delayed">of requests</li></ul>
		</figure>`;
}

function Suggestion({ text, yaml, doubts }) {
	const [copied, setCopied] = useState('');
	return html`
		<p>Suggestion: ${text}</p>
		${doubts?.length > 0 && html`<ul>${doubts.map((doubt) => html`<li>${doubt}</li>`)}</ul>`}
		<pre tabindex="0" aria-label="The suggestion as YAML">${yaml}</pre>
		<button type="button" onClick=${async () => setCopied(await copy(yaml) ? 'Copied.' : 'Your browser does not permit it.')}>Copy</button>
		<span role="status"> ${copied}</span>`;
}

/* Without TLS, browsers have only the older way. */
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	}
	catch {
		const area = document.createElement('textarea');
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		return done;
	}
}
