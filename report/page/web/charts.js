// Charts: drawn when they come near the screen, and again when its width or colours change.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import { AriaComponent, GridComponent, LegendComponent, TooltipComponent, VisualMapComponent }
  from 'echarts/components';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';
import { el } from './dom.js';
import { ink, onTheme } from './theme.js';

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, AriaComponent,
  GridComponent, LegendComponent, TooltipComponent, VisualMapComponent, LabelLayout,
  SVGRenderer]);

const all = [];
export const escaped = echarts.format.encodeHTML;
export const isNarrow = () => window.innerWidth < 640;

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    const chart = all.find((of) => of.element === entry.target);
    seen.unobserve(entry.target);
    if (chart) chart.draw();
  }
}, { rootMargin: '400px' });

/** What every chart has in common. */
function framed(option) {
  const { text, faint, line, panel } = ink();
  const axis = (of) => ({
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
    nameTextStyle: { color: faint },
    ...of,
    axisLabel: { color: faint, hideOverlap: true, ...of.axisLabel },
  });
  const axes = (of) => (Array.isArray(of) ? of.map(axis) : axis(of || {}));
  return {
    animation: false,
    aria: { enabled: true, label: { enabled: false }, decal: { show: false } },
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: text },
    ...option,
    xAxis: axes(option.xAxis),
    yAxis: axes(option.yAxis),
    legend: option.legend && {
      textStyle: { color: text }, itemWidth: 14, itemHeight: 10, itemGap: 12, top: 0, left: 0,
      padding: 2, ...option.legend,
    },
    tooltip: {
      confine: true, backgroundColor: panel, borderColor: line, textStyle: { color: text },
      ...option.tooltip,
    },
  };
}

/**
 * A chart that `option()` describes; `label` says what it shows. `height`: pixels, or a function.
 * Returns the element; its `redraw()` draws what `option` says now.
 */
export function chart(label, height, option) {
  const element = el('div', { class: 'chart', role: 'img', 'aria-label': label });
  const tall = () => (typeof height === 'function' ? height() : height);
  element.style.height = `${tall()}px`;
  const of = {
    element,
    drawn: null,
    draw() {
      element.style.height = `${tall()}px`;
      if (of.drawn === null) of.drawn = echarts.init(element, null, { renderer: 'svg' });
      of.drawn.resize();
      of.drawn.setOption(framed(option()), { notMerge: true });
      element.dataset.drawn = 'yes';
    },
  };
  element.redraw = () => { if (of.drawn !== null) of.draw(); };
  all.push(of);
  seen.observe(element);
  return element;
}

function redrawAll(undrawnToo) {
  for (const of of all) {
    if (of.drawn !== null || undrawnToo) of.draw();
  }
}

onTheme(() => redrawAll(true));
let waiting = null;
window.addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => redrawAll(false), 120);
});

/** A legend above the grid that wraps, and the pixels that it takes. */
export function legendOf(names) {
  const width = Math.min(window.innerWidth - 48, window.innerWidth < 1100 ? 1200 : 960);
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const needed = 34 + 7.5 * Math.min(name.length, 48);
    if (used > 0 && used + needed > width) {
      rows += 1;
      used = 0;
    }
    used += needed;
  }
  return { pixels: 6 + 20 * rows,
    legend: { type: 'plain', data: names, textStyle: { width: Math.min(360, window.innerWidth - 100), overflow: 'truncate',
      color: ink().text } } };
}

/** A series of whiskers: data are [x, y, low, high] along the axis `along` ("x" or "y"). */
export function whiskers(data, along, color) {
  return {
    type: 'custom',
    silent: true,
    z: 3,
    data,
    encode: { x: along === 'x' ? [2, 3] : 0, y: along === 'y' ? [2, 3] : 1 },
    renderItem(params, api) {
      const [x, y, low, high] = [0, 1, 2, 3].map((i) => api.value(i));
      const from = api.coord(along === 'x' ? [low, y] : [x, low]);
      const to = api.coord(along === 'x' ? [high, y] : [x, high]);
      const style = { stroke: color(params.dataIndex), lineWidth: 1.5 };
      return { type: 'line', style, shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] } };
    },
  };
}
