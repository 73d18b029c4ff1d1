// The first page: one sentence, three numbers, where the money went, and the assumptions.
import { chart, escaped, isNarrow } from './charts.js';
import { el, select } from './dom.js';
import { difference, inUnit, shortUsd, usd, useName } from './format.js';
import { ink, useColor } from './theme.js';

const unbroken = (text) => el('span', { class: 'unbroken' }, text);

function number(of) {
  const known = of.before !== null && of.after !== null;
  const change = known ? of.after - of.before : 0;
  let tone = '';
  if (change !== 0) tone = { better: 'good', worse: 'bad' }[of.verdict] || 'unsure';
  const range = of.lo === null || of.lo === of.hi ? ''
    : [', 95 % interval ', unbroken(difference(of.lo, of.unit)), ' to ',
      unbroken(difference(of.hi, of.unit))];
  return el('div', { class: 'number' }, el('div', { class: 'title' }, of.title),
    el('div', { class: `after ${tone}` }, inUnit(of.after, of.unit)),
    of.before === null ? '' : el('div', { class: 'before' }, `before ${inUnit(of.before, of.unit)}`,
      known && change !== 0 ? [' (', unbroken(difference(change, of.unit)), range, ')'] : ''));
}

/** Steps from one bill to another: {name, from, to, color}. */
function steps(before, after) {
  const all = [];
  let at = before.billed_usd + before.guardrail_usd;
  all.push({ name: before.policy, from: 0, to: at, color: ink().faint });
  const step = (name, change, color) => {
    if (Math.abs(change) < 0.005) return;
    all.push({ name, from: at, to: at + change, change, color });
    at += change;
  };
  before.parts.forEach((part, i) =>
    step(useName(part.use), after.parts[i].usd - part.usd, useColor(part.use)));
  step('guardrails', after.guardrail_usd - before.guardrail_usd, useColor('guardrails'));
  all.push({ name: after.policy, from: 0, to: after.billed_usd + after.guardrail_usd,
    color: '#0072b2' });
  return all;
}

function waterfall(data, chosen) {
  const bill = (name) => data.bill.find((of) => of.policy === name);
  const rows = () => steps(bill(data.baseline), bill(chosen()));
  return chart('Waterfall of the bill from the baseline to the chosen policy',
    () => 60 + 30 * rows().length, () => {
      const all = rows();
      return {
        grid: { left: 8, right: 90, top: 6, bottom: 8, containLabel: true },
        xAxis: { type: 'value', axisLabel: { formatter: shortUsd },
          splitNumber: isNarrow() ? 2 : 4 },
        yAxis: { type: 'category', inverse: true, data: all.map((of) => of.name),
          axisTick: { show: false },
          axisLabel: { width: 130, overflow: 'truncate', interval: 0, hideOverlap: false } },
        tooltip: { trigger: 'item',
          formatter: ({ dataIndex }) => {
            const of = all[dataIndex];
            const text = of.change === undefined ? usd(of.to) : difference(of.change, 'usd');
            return `${escaped(of.name)}: ${text}`;
          } },
        series: [
          { type: 'bar', stack: 'bill', silent: true, itemStyle: { color: 'transparent' },
            data: all.map((of) => Math.min(of.from, of.to)) },
          { type: 'bar', stack: 'bill', barWidth: 18,
            data: all.map((of) => ({ value: Math.abs(of.to - of.from),
              itemStyle: { color: of.color } })),
            label: { show: true, position: 'right', color: ink().text,
              formatter: ({ dataIndex }) => (all[dataIndex].change === undefined
                ? usd(all[dataIndex].to) : difference(all[dataIndex].change, 'usd')) } }],
      };
    });
}

export function front(data) {
  let chosen = data.best || data.policies[data.policies.length - 1].name;
  const parts = [el('h1', {}, data.title || data.scenario),
    el('p', { class: 'faint' }, `Scenario ${data.scenario}`,
      (data.sources || []).map((source) => ` · ${source}`))];
  if (data.partial) {
    parts.push(el('p', { class: 'banner' }, 'Partial: the runs were interrupted.'));
  }
  parts.push(el('p', { class: 'sentence' }, data.sentence));
  if (data.numbers) parts.push(el('div', { class: 'numbers' }, data.numbers.map(number)));
  const untrue = data.expectations ? data.expectations.untrue : [];
  if (untrue.length > 0) {
    parts.push(el('div', { class: 'banner' },
      el('p', {}, 'Expectations of the scenario that do not hold:'),
      el('ul', {}, untrue.map((line) => el('li', {}, line)))));
  }
  const others = (data.bill || []).filter((of) => of.policy !== data.baseline);
  if (others.length > 0 && data.bill.some((of) => of.policy === data.baseline)) {
    if (!others.some((of) => of.policy === chosen)) chosen = others[0].policy;
    const drawing = waterfall(data, () => chosen);
    parts.push(el('h2', {}, 'Where the money goes'),
      el('div', { class: 'controls' }, select(`From ${data.baseline} to`,
        others.map((of) => of.policy), chosen, (name) => { chosen = name; drawing.redraw(); })),
      drawing);
  }
  parts.push(el('h2', {}, 'What we assumed'),
    el('ul', { class: 'assumptions' }, data.assumptions.map((line) => el('li', {}, line))));
  const page = el('section', { class: 'front', id: 'summary', 'data-title': 'Summary' }, parts);
  return page;
}
