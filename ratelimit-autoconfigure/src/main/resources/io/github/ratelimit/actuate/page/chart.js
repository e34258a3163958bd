// Lines over time or over bursts, and small pictures of an hour.

import { html, useEffect, useMemo, useRef, useState } from './preact.js';

const LEFT = 56;
const BOTTOM = 22;
const TOP = 6;

const SMALL_WIDTH = 120;
const SMALL_HEIGHT = 28;

const rounded = (number) => Math.round(number * 10) / 10;

/**
 * A picture of series, each with a name, which is the class of its line, and its values. Those with `bars` stand for the
 * time that ends at their x. What the picture shows stands in `label`, for those who do not see it.
 */
export function Chart({ x, series, label, xText, yText, steps, least = 0, height = 200 }) {
	const place = useRef(null);
	const [width, setWidth] = useState(0);
	useEffect(() => {
		const observer = new ResizeObserver(([entry]) => requestAnimationFrame(() => setWidth(Math.floor(entry.contentRect.width))));
		observer.observe(place.current);
		return () => observer.disconnect();
	}, []);
	return html`<div class="chart" role="img" aria-label=${label} ref=${place}>
		${width > LEFT && html`<${Picture} ...${{ x, series, xText, yText, steps, least, height, width }} />`}</div>`;
}

function Picture({ x, series, xText, yText, steps, least, height, width }) {
	const first = series[0].bars ? x[0] - (x[1] - x[0] || 1) : x[0];
	const last = x.at(-1);
	const highest = Math.max(least, 1e-9, ...series.flatMap((each) => each.values)) * 1.1;
	const toX = (at) => rounded(LEFT + (at - first) / (last - first || 1) * (width - LEFT - 1));
	const toY = (value) => rounded(height - BOTTOM - value / highest * (height - BOTTOM - TOP));
	const floor = toY(0);

	const step = steps.find((each) => (last - first) / each * 90 <= width - LEFT) ?? steps.at(-1);
	const marks = multiples(step, first, last);
	return html`<svg width=${width} height=${height}>
		${multiples(round(highest / 4, least), 0, highest).map((value) => html`<path class="grid" d=${`M${LEFT} ${toY(value)}H${width}`} />
			<text x=${LEFT - 6} y=${toY(value) + 4} text-anchor="end">${yText(value)}</text>`)}
		${marks.map((at) => html`<text x=${toX(at)} y=${height - 6} text-anchor=${anchor(toX(at), width)}>${xText(at)}</text>`)}
		${series.map(({ name, values, dash, bars }) => {
			const line = bars ? `M${toX(first)} ${toY(values[0])}${stepped(values, (i) => toX(x[i]), toY)}`
				: values.map((value, i) => `${i ? 'L' : 'M'}${toX(x[i])} ${toY(value)}`).join('');
			return html`${bars && html`<path class=${`area ${name}`} d=${`${line}V${floor}H${toX(first)}Z`} />`}
				<path class=${name} d=${line} stroke-dasharray=${dash} />`;
		})}
	</svg>`;
}

function anchor(x, width) {
	if (x < LEFT + 20) {
		return 'start';
	}
	return x > width - 20 ? 'end' : 'middle';
}

function multiples(step, from, to) {
	const first = Math.ceil(from / step);
	return Array.from({ length: Math.max(0, Math.floor(to / step + 1e-9) - first + 1) }, (each, i) => (first + i) * step);
}

/* A number that is easy to count in, and no smaller one. */
function round(number, least) {
	const power = 10 ** Math.floor(Math.log10(number));
	return Math.max(least, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= number));
}

/* A line to the right that goes up and down where the value changes. */
function stepped(values, toX, toY) {
	return values.map((value, i) => value === values[i + 1] ? '' : `V${toY(value)}H${toX(i)}`).join('');
}

/**
 * What passed stands above the line, and what was rejected below it, both on one scale. `slots`: how many values an hour has.
 */
export function Small({ allowed = [], rejected = [], wouldBeRejected = [], slots, label }) {
	const picture = useMemo(() => draw(allowed, rejected, wouldBeRejected, slots), [`${allowed};${rejected};${wouldBeRejected}`]);
	return html`<svg class="small" width=${SMALL_WIDTH} height=${SMALL_HEIGHT} role="img" aria-label=${label}>
		${picture.map(([name, path]) => html`<path class=${name} d=${path} />`)}</svg>`;
}

function draw(allowed, rejected, wouldBeRejected, slots) {
	const above = Math.max(0, ...allowed);
	const below = Math.max(0, ...rejected, ...wouldBeRejected);
	const line = rounded((above + below > 0 ? above / (above + below) : 1) * (SMALL_HEIGHT - 2)) + 1;
	const unit = (SMALL_HEIGHT - 2) / (above + below || 1);
	const area = (values, sign) => {
		const start = slots - values.length;
		const toX = (i) => rounded((start + i + 1) * SMALL_WIDTH / slots);
		return `M${toX(-1)} ${line}${stepped(values, toX, (value) => rounded(line - sign * value * unit))}V${line}Z`;
	};
	return [['axis', `M0 ${line}H${SMALL_WIDTH}`], ['allowed', area(allowed, 1)], ['rejected', area(rejected, -1)],
		['wouldBeRejected', area(wouldBeRejected, -1)]].filter(([name, path]) => name === 'axis' || path.includes('H'));
}
