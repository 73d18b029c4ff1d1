// Policies side by side: the bill by use, every measure, differences, cost against time.
import { chart, escaped, legendOf, whiskers } from './charts.js';
import { el, section, table } from './dom.js';
import { difference, inUnit, interval, shortUsd, timeUnit, usd, useName } from './format.js';
import { ink, policyColor, useColor } from './theme.js';

export function bill(data) {
  const uses = data.bill[0].parts.map((part) => part.use)
    .filter((use, i) => data.bill.some((of) => Math.abs(of.parts[i].usd) >= 0.005));
  const names = uses.map(useName);
  const value = (of, use) => of.parts.find((part) => part.use === use).usd;
  const drawing = chart('Bill of each policy by use',
    () => 50 + legendOf(names).pixels + 34 * data.bill.length,
    () => ({
      legend: legendOf(names).legend,
      grid: { left: 8, right: 30, bottom: 8, containLabel: true,
        top: legendOf(names).pixels + 10 },
      xAxis: { type: 'value', axisLabel: { formatter: shortUsd }, splitNumber: 4 },
      yAxis: { type: 'category', inverse: true, data: data.bill.map((of) => of.policy),
        axisLabel: { width: 130, overflow: 'truncate', interval: 0, hideOverlap: false } },
      tooltip: { trigger: 'item', formatter: ({ seriesName, name, value: amount }) =>
        `${escaped(name)}<br>${escaped(seriesName)}: ${usd(amount)}` },
      series: uses.map((use) => ({ type: 'bar', stack: 'bill', name: useName(use), barWidth: 20,
        itemStyle: { color: useColor(use) }, data: data.bill.map((of) => value(of, use)) })),
    }));
  const columns = [{ title: 'policy', left: true }, { title: 'billed' },
    ...uses.map((use) => ({ title: useName(use) })), { title: 'guardrails' }];
  const rows = data.bill.map((of) => [of.policy, usd(of.billed_usd),
    ...uses.map((use) => usd(value(of, use))), usd(of.guardrail_usd)]);
  return section('What was paid for?',
    'Every billed second has exactly one use. The uses of a policy sum to its bill; guardrails '
    + '(alarms and calls) come on top. Means over the runs.',
    drawing, table(columns, rows, 'Bill by use'));
}

export function measures(data) {
  const columns = [{ title: 'measure', left: true },
    ...data.policies.map(({ name }) => ({ title: [el('span', { class: 'swatch',
      style: `background:${policyColor(data, name)}` }), name] }))];
  const rows = data.measures.map((measure) => [measure.title,
    ...measure.values.map((value) => [inUnit(value.mean, measure.unit),
      el('span', { class: 'interval' }, interval(value, measure.unit))])]);
  return section('How do the policies compare?', data.random
    ? `Means of ${data.runs} runs with 95 % intervals. All policies see the same random draws.`
    : 'Nothing in this scenario is random: the numbers are exact.',
    table(columns, rows, 'Measures of each policy'),
    (data.notes || []).map((note) => el('p', { class: 'faint' }, note)));
}

const toneOf = (verdict) => ({ better: 'good', worse: 'bad' }[verdict] || 'faint');

/** A dot and its interval on the scale of its measure, with a line at zero. */
function forest(row, reach, color) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'forest');
  svg.setAttribute('viewBox', '0 0 190 20');
  svg.setAttribute('aria-hidden', 'true');
  const x = (value) => 95 + (85 * value) / reach;
  const add = (name, attributes) => {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
    svg.append(shape);
  };
  add('line', { x1: 95, x2: 95, y1: 0, y2: 20, stroke: 'currentColor', 'stroke-opacity': 0.35 });
  if (row.lo !== null) {
    add('line', { x1: x(row.lo), x2: x(row.hi), y1: 10, y2: 10, stroke: color,
      'stroke-width': 2 });
  }
  add('circle', { cx: x(row.diff), cy: 10, r: 4, fill: color });
  return svg;
}

export function differences(data) {
  const rows = [];
  const metrics = [...new Set(data.differences.map((row) => row.metric))];
  for (const metric of metrics) {
    const group = data.differences.filter((row) => row.metric === metric);
    const reach = Math.max(...group.flatMap((row) => [row.diff, row.lo, row.hi])
      .map((value) => Math.abs(value || 0)));
    if (reach === 0) continue;
    group.forEach((row, i) => rows.push({
      group: i === 0 && rows.length > 0,
      cells: [i === 0 ? row.title : '', row.policy, difference(row.diff, row.unit),
        row.lo === null ? '–'
          : `${difference(row.lo, row.unit)} to ${difference(row.hi, row.unit)}`,
        forest(row, reach, policyColor(data, row.policy)),
        el('span', { class: toneOf(row.verdict) }, row.verdict || '–')] }));
  }
  if (rows.length === 0) return null;
  const columns = [{ title: 'measure', left: true }, { title: 'policy', left: true },
    { title: 'difference' }, { title: '95 % interval' }, { title: '', left: true },
    { title: 'verdict', left: true }];
  return section('Is the difference real?',
    `Each policy minus ${data.baseline}, paired by run. An interval that includes zero shows no `
    + 'difference. Measures without any difference are left out.',
    table(columns, rows, 'Differences against the baseline'));
}

/** Points of cost against time, with whiskers; `of` are {name, cost, time, front, color}. */
export function costAgainstTime(of) {
  const points = of.filter((row) => row.cost.mean !== null && row.time.mean !== null);
  const longest = Math.max(...points.map((row) => row.time.hi || row.time.mean));
  const unit = timeUnit(longest);
  const place = (row) => [row.time.mean / unit.seconds, row.cost.mean];
  const withRange = (key) => points.map((row, i) => [row, i]).filter(([row]) =>
    row[key].lo !== null && row[key].lo !== undefined);
  const bars = (key, along) => {
    const rows = withRange(key);
    const scale = key === 'time' ? unit.seconds : 1;
    return whiskers(rows.map(([row]) => [...place(row), row[key].lo / scale, row[key].hi / scale]),
      along, (i) => rows[i][0].color());
  };
  return chart('Cost against time to result', 340, () => ({
    grid: { left: 14, right: 40, top: 34, bottom: 34, containLabel: true },
    xAxis: { type: 'value', scale: true, name: `time to result (${unit.name})`,
      nameLocation: 'middle', nameGap: 30, boundaryGap: ['15%', '15%'] },
    yAxis: { type: 'value', scale: true, name: 'billed', axisLabel: { formatter: shortUsd },
      boundaryGap: ['15%', '15%'] },
    tooltip: { formatter: ({ dataIndex }) => {
      const row = points[dataIndex];
      return `${escaped(row.name)}<br>${usd(row.cost.mean)} ${interval(row.cost, 'usd')}<br>`
        + `${inUnit(row.time.mean, 's')} ${interval(row.time, 's')}`;
    } },
    series: [bars('cost', 'y'), bars('time', 'x'), {
      type: 'scatter', symbolSize: 12, z: 4,
      data: points.map((row) => ({ value: place(row), symbol: row.front ? 'diamond' : 'circle',
        symbolSize: row.front ? 16 : 11, itemStyle: { color: row.color() } })),
      labelLayout: { hideOverlap: true, moveOverlap: 'shiftY' },
      label: { show: true, position: [12, -16], align: 'left', color: ink().text,
        formatter: ({ dataIndex }) => points[dataIndex].label || points[dataIndex].name },
    }],
  }));
}

export function pareto(data) {
  const rows = data.pareto.map((row) => ({ ...row, name: row.policy,
    color: () => policyColor(data, row.policy) }));
  const varies = (key) => new Set(rows.map((row) => row[key].mean)
    .filter((mean) => mean !== null)).size > 1;
  if (!varies('cost') || !varies('time')) return null;
  const front = data.pareto.filter((row) => row.front).map((row) => row.policy);
  return section('What is the trade between cost and time?', front.length > 0
    ? `No policy is both cheaper and faster than: ${front.join(', ')} (diamonds).`
    : 'Lower and further left is better.', costAgainstTime(rows));
}
