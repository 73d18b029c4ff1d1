// Distributions: times of jobs, and delays of detection with the verdicts on stops.
import { chart, escaped, legendOf } from './charts.js';
import { el, section, select, table } from './dom.js';
import { count, duration, inUnit, timeUnit, usd } from './format.js';
import { policyColor } from './theme.js';

const titles = { time_to_result_s: 'time to result', wait_s: 'wait before the first start' };

export function distributions(data) {
  const many = data.cdf.filter((row) => row.jobs > 1);
  if (many.length === 0) return null;
  const tiers = [...new Set(data.cdf.map((row) => row.tier))];
  let metric = 'time_to_result_s';
  let tier = '';
  const chosen = () => data.cdf.filter((row) => row.metric === metric && row.tier === tier);
  const drawing = chart('Distribution of times', 320, () => {
    const rows = chosen();
    const unit = timeUnit(Math.max(1, ...rows.map((row) => row.x[row.x.length - 1])));
    const { legend, pixels } = legendOf(rows.map((row) => row.policy));
    return {
      legend,
      grid: { left: 14, right: 24, top: pixels + 24, bottom: 34, containLabel: true },
      xAxis: { type: 'value', name: `${titles[metric]} (${unit.name})`, nameLocation: 'middle',
        nameGap: 30, min: 0 },
      yAxis: { type: 'value', min: 0, max: 1, name: 'part of the jobs',
        axisLabel: { formatter: (value) => `${Math.round(value * 100)} %` } },
      tooltip: { trigger: 'item', formatter: ({ seriesName, value }) => `${escaped(seriesName)}: `
        + `${Math.round(value[1] * 1000) / 10} % within ${duration(value[0] * unit.seconds)}` },
      series: rows.map((row) => ({ name: row.policy, type: 'line', step: 'end',
        symbol: 'circle', symbolSize: row.x.length > 60 ? 3 : 5,
        color: policyColor(data, row.policy), lineStyle: { width: 2 },
        data: [[row.x[0] / unit.seconds, 0],
          ...row.x.map((x, i) => [x / unit.seconds, row.p[i]])] })),
    };
  });
  const rows = () => chosen().map((row) => [row.policy, count(row.jobs),
    ...row.quantiles.map((value) => inUnit(value, 's'))]);
  const columns = [{ title: 'policy', left: true }, { title: 'jobs' }, { title: 'median' },
    { title: '90 %' }, { title: '99 %' }];
  const numbers = el('div', {}, table(columns, rows(), 'Quantiles'));
  const redraw = () => {
    drawing.redraw();
    numbers.replaceChildren(table(columns, rows(), 'Quantiles'));
  };
  return section('Who gets results sooner?',
    'The part of all jobs that are within a time, over all runs. A curve that ends below 100 % has '
    + 'jobs without a result.',
    el('div', { class: 'controls' },
      select('Time', Object.entries(titles), metric, (name) => { metric = name; redraw(); }),
      tiers.length > 1 ? select('Tier', tiers.map((of) => [of, of || 'all jobs']), tier,
        (name) => { tier = name; redraw(); }) : ''),
    drawing, numbers);
}

export function stops(data) {
  const { rows, bins, counts } = data.stops;
  const columns = [{ title: 'policy', left: true }, { title: 'rule', left: true },
    { title: 'right' }, { title: 'late' }, { title: 'false' }, { title: 'missed' },
    { title: 'runs' }, { title: 'destroyed by false stops' }];
  const cells = rows.map((row) => [row.policy, row.rule, count(row.right), count(row.late),
    count(row.false), count(row.missed), count(row.runs), usd(row.false_stop_usd)]);
  const drawn = counts.filter((of) => of.count.some((number) => number > 0));
  const unit = timeUnit(bins[bins.length - 1].to_s);
  const { legend, pixels } = legendOf(drawn.map((of) => `${of.policy}: ${of.rule}`));
  const drawing = drawn.length === 0 ? '' : chart('Delays of detection', 240 + pixels, () => ({
    legend,
    grid: { left: 14, right: 24, top: pixels + 24, bottom: 34, containLabel: true },
    xAxis: { type: 'category', data: bins.map((bin) => count(bin.to_s / unit.seconds)), name: `delay up to (${unit.name})`,
      nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'value', name: 'stops', minInterval: 1 },
    tooltip: { trigger: 'item', formatter: ({ seriesName, dataIndex, value }) =>
      `${escaped(seriesName)}<br>${inUnit(bins[dataIndex].from_s, 's')} to `
      + `${inUnit(bins[dataIndex].to_s, 's')}: ${count(value)}` },
    series: drawn.map((of) => ({ type: 'bar', name: `${of.policy}: ${of.rule}`,
      color: policyColor(data, of.policy), data: of.count })),
  }));
  return section('Can the rules be trusted?',
    'Stops against the truth of the simulation: right; late; false, when the job was healthy; '
    + 'missed, a stall without a stop. The histogram has the delay from the start of the stall to '
    + 'the stop.', table(columns, cells, 'Verdicts on stops'), drawing);
}
