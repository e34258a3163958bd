// All policies, worst first.

import { html, useRef } from './preact.js';
import { read } from './api.js';
import { Small } from './chart.js';
import { blame, rows, sorted } from './counts.js';
import { toPolicy, useAnswer } from './parts.js';
import { count, minute, percent } from './words.js';

const EVERY = 20000;

const COLUMNS = [['name', 'Policy'], ['hour', 'Last hour'], ['worst', 'Rejected'], ['share', 'Share'], [null, 'By what'], ['shadow', 'In shadow']];

export function Policies({ data, all, route, go, live }) {
	const [{ answer: hour, error }] = useAnswer(() => read('history'), EVERY, live);
	const table = useRef(null);
	const order = useRef([]);
	const every = rows(data, hour, all);
	const words = route.find.toLowerCase().split(/\s+/).filter(Boolean);
	const found = every.filter(({ text }) => words.every((word) => text.includes(word)));
	const shown = calm(sorted(found, route.sort), order, table, route);
	const isRecent = every.some((row) => row.isRecent);
	return html`
		<section aria-labelledby="view">
			<div class="row between">
				<h2 id="view" tabindex="-1">Policies</h2>
				<label class="find">Filter <input type="search" value=${route.find} autocomplete="off" spellcheck=${false}
					placeholder="name, path, key, overridden…" onInput=${(event) => go({ find: event.target.value })}
					onKeyDown=${(event) => move(event, table.current)} /></label>
			</div>
			<p role="status" class="count">${found.length < every.length && `${count(found.length)} of `}${every.length === 1 ? 'one policy'
				: `${count(every.length)} policies`}. ${isRecent ? 'Rejections are those of the last 10 minutes'
				: 'Rejections are those since the start'}${all ? ' in all instances' : ' in this instance'}${
				hour ? `; the last hour is this instance’s, until ${minute(hour.end)}.` : '.'}</p>
			${error && html`<p class="error">Nothing is known of the last hour: ${error.message}</p>`}
			<table role="table" class="policies" ref=${table} onKeyDown=${(event) => move(event, table.current)}>
				<thead role="rowgroup"><tr role="row">${COLUMNS.map((column) => html`<${Head} column=${column} sort=${route.sort} go=${go} />`)}</tr></thead>
				<tbody role="rowgroup">${shown.map((row) => html`<${Row} key=${row.name} row=${row} route=${route} slots=${3600 / (hour?.step ?? 60)} />`)}</tbody>
			</table>
		</section>`;
}

/*
 * Nothing moves away below the pointer or the keyboard: while either is in the table, what was in it stays where it was.
 */
function calm(wanted, order, table, { find, sort }) {
	const before = order.current;
	const isSame = before.find === find && before.sort === sort && before.names?.length === wanted.length;
	if (isSame && table.current?.querySelector('tbody:is(:hover, :focus-within)')) {
		const places = new Map(before.names.map((name, i) => [name, i]));
		if (wanted.every(({ name }) => places.has(name))) {
			return wanted.sort((one, other) => places.get(one.name) - places.get(other.name));
		}
	}
	order.current = { find, sort, names: wanted.map(({ name }) => name) };
	return wanted;
}

/* Up and down go from policy to policy, and from the filter to the first. */
function move(event, table) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (!step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) {
		return;
	}
	const links = [...table.querySelectorAll('tbody th a')];
	const next = links[links.indexOf(event.target.closest('tr')?.querySelector('th a')) + step];
	if (next) {
		event.preventDefault();
		next.focus();
	}
}

function Head({ column: [order, words], sort, go }) {
	if (!order) {
		return html`<th role="columnheader" scope="col">${words}</th>`;
	}
	const isChosen = (sort.replace('-', '') || 'worst') === order;
	const isReversed = isChosen && sort.startsWith('-');
	const isAscending = order === 'name' ? !isReversed : isReversed;
	const next = isChosen && !isReversed ? `-${order}` : order;
	const arrow = isAscending ? '▲' : '▼';
	return html`<th role="columnheader" scope="col" aria-sort=${isChosen ? (isAscending ? 'ascending' : 'descending') : null}>
		<button type="button" class="sort" onClick=${() => go({ sort: next === 'worst' ? '' : next })}>${words}<span aria-hidden="true">${isChosen && ` ${arrow}`}</span></button></th>`;
}

function Row({ row, route, slots }) {
	const { name, series, rejected, asked } = row;
	const hour = `${count(row.hourAllowed)} allowed, ${count(row.hourRejected)} rejected in the last hour`;
	return html`<tr role="row" class=${rejected > 0 ? 'rejecting' : null}>
		<th role="rowheader" scope="row"><a href=${toPolicy(name, route)}>${name}</a> <small>${row.limits}</small>
			${row.marks.length > 0 && html`<span class="marks">${row.marks.map(([kind, words]) => html` <small class=${`mark ${kind}`}>${words}</small>`)}</span>`}</th>
		<td role="cell"><${Small} ...${series} slots=${slots} label=${hour} /></td>
		<td role="cell" class="number">${rejected > 0 ? html`<strong class="bad">${count(rejected)}</strong> <small>of ${count(asked)}</small>` : html`<small>none of ${count(asked)}</small>`}
			${row.since && html` <small class="since">${row.since.isWhole ? 'for an hour' : `since ${minute(row.since.at)}`}</small>`}</td>
		<td role="cell" class="number">${rejected > 0 ? html`<strong class="bad">${percent(row.share)}</strong>` : '–'}</td>
		<td role="cell">${rejected > 0 && blame(row.requests)}</td>
		<td role="cell">${row.wouldBe > 0 && html`<span class="wouldBeRejected">${percent(row.shadow)}</span> <small>would be rejected</small>`}</td>
	</tr>`;
}
