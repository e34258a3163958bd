// Lines over time or over bursts.

import { html, useEffect, useRef, useState } from './preact.js';

const DARK = matchMedia('(prefers-color-scheme: dark)');

function useTheme() {
	const [dark, setDark] = useState(DARK.matches);
	useEffect(() => {
		const change = () => setDark(DARK.matches);
		DARK.addEventListener('change', change);
		return () => DARK.removeEventListener('change', change);
	}, []);
	return dark;
}

/**
 * A picture of series, each with a label, a style of the same class and its values.
 * What it shows stands in `label`, for those who do not see it.
 */
export function Chart({ x, series, label, xText, yText, steps, height = 200 }) {
	const place = useRef(null);
	const plot = useRef(null);
	const dark = useTheme();
	const names = series.map((each) => each.name).join();
	const data = [x, ...series.map((each) => each.values)];
	useEffect(() => {
		const element = place.current;
		const style = getComputedStyle(element);
		const color = (name) => style.getPropertyValue(`--${name}`).trim();
		const axis = { stroke: color('muted'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false },
			font: '12px system-ui, sans-serif' };
		const chart = new uPlot({
			width: element.clientWidth, height, legend: { show: false }, cursor: { show: false },
			scales: { x: { time: false }, y: { range: (self, low, high) => [0, Math.max(high * 1.1, xText ? 0 : 1, 1e-9)] } },
			axes: [{ ...axis, values: (self, ticks) => ticks.map(xText), incrs: steps, space: 90, size: 26 },
				{ ...axis, values: (self, ticks) => ticks.map(yText), size: 55 }],
			series: [{}, ...series.map((each) => ({ stroke: color(each.name), width: 2, dash: each.dash, fill: each.bars && `${color(each.name)}1f`,
				points: { show: false }, paths: each.bars && uPlot.paths.stepped({ align: -1 }) }))]
		}, data, element);
		plot.current = chart;
		const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
		observer.observe(element);
		return () => {
			observer.disconnect();
			chart.destroy();
		};
	}, [dark, names]);
	useEffect(() => plot.current.setData(data), [JSON.stringify(data)]);
	return html`<div class="chart" role="img" aria-label=${label} ref=${place}></div>`;
}
