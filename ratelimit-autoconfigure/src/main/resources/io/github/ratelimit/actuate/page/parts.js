// What several views are made of, and where each view is.

import { html, useEffect, useRef, useState } from './preact.js';

/** A table that is scrolled where it is wider than the page. A row is a list of cells, the first of which is its head. */
export function Table({ title, heads, rows }) {
	return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
		<thead><tr>${heads.map((head) => head && html`<th scope="col">${head}</th>`)}</tr></thead>
		<tbody>${rows.map(([head, ...cells]) => html`<tr><th scope="row">${head}</th>${cells.map((cell, i) => heads[i + 1] && html`<td>${cell}</td>`)}</tr>`)}</tbody>
	</table></div>`;
}

/** Buttons of which one is pressed. `of`: values with their names. */
export function Choice({ label, of, value, choose }) {
	return html`<div role="group" aria-label=${label} class="choice">${of.map(([each, name]) => html`
		<button type="button" aria-pressed=${each === value} onClick=${() => choose(each)}>${name}</button>`)}</div>`;
}

/** A button in a line of a table, which says to those who do not see it what it is for. */
export const Do = ({ what, whom, action }) => html`<button type="button" aria-label=${`${what} ${whom}`} onClick=${action}>${what}</button> `;

/** What is configured and does nothing, or not what it seems. */
export function Findings({ all, route }) {
	return html`
		<ul class="findings">${all.map((each) => html`
			<li class=${each.level === 'warning' ? 'warning' : 'info'}>
				<strong>${each.level === 'warning' ? 'Warning' : 'Note'} <a href=${each.link}>${each.code}</a></strong>${each.policy && html` (<a href=${toPolicy(each.policy, route)}>${each.policy}</a>)`}:
				${' '}${each.message} ${each.action}
			</li>`)}
		</ul>`;
}

/**
 * Asks once, and again every so many milliseconds while the page is visible and live, and whenever the function that is
 * returned as well is called. An answer that a later one has overtaken is old. After a failure the last answer stays, but
 * for those who may no longer see it.
 */
export function useAnswer(ask, every, live) {
	const [state, setState] = useState({});
	const asked = useRef(0);
	const again = async () => {
		const turn = ++asked.current;
		const show = (next) => turn === asked.current && setState(next);
		try {
			const answer = await ask();
			show({ answer, at: Date.now() });
		}
		catch (error) {
			show((before) => ({ ...(!error.hides && before), error }));
		}
	};

	useEffect(() => {
		let timer;
		let over = false;
		const next = async () => {
			clearTimeout(timer);
			if (!document.hidden && (live || asked.current === 0)) {
				await again();
			}
			if (live && !over) {
				clearTimeout(timer);
				timer = setTimeout(next, every);
			}
		};
		next();
		document.addEventListener('visibilitychange', next);
		return () => {
			over = true;
			clearTimeout(timer);
			document.removeEventListener('visibilitychange', next);
		};
	}, [live]);
	return [state, again];
}

/* Which view is shown, and what of it, stands behind the # of the address, so that a link can be sent. */
const VIEWS = ['', 'policy', 'in-force', 'findings', 'playground'];

/** Reads a view from the address. What is none is the table of policies. */
export function parse(hash) {
	if (hash.startsWith('#play=')) {
		return { view: 'playground' };
	}
	const [path, query] = hash.replace(/^#?\/?/, '').split('?');
	const [view, policy] = path.split('/');
	const of = new URLSearchParams(query);
	const shown = { find: of.get('find') ?? '', sort: of.get('sort') ?? '', scope: of.get('scope') ?? '' };
	return { ...shown, view: VIEWS.includes(view) ? view : '', policy: view === 'policy' ? decoded(policy) : null };
}

/** Returns the address of a view. The scope goes along from view to view. */
export function link({ view = '', policy, find, sort, scope }) {
	const path = [view, policy].filter((part) => part).map(encodeURIComponent).join('/');
	const query = new URLSearchParams(Object.entries({ find, sort, scope }).filter(([, value]) => value)).toString();
	return `#/${path}${query ? `?${query}` : ''}`;
}

export const toPolicy = (policy, { scope } = {}) => link({ view: 'policy', policy, scope });

function decoded(text = '') {
	try {
		return decodeURIComponent(text);
	}
	catch {
		return '';
	}
}
