// What several views are made of.

import { html } from './preact.js';

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
