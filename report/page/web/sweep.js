// A sweep: net saving by setting, the effect of each key, and cost against time of the settings.
import { chart, escaped, isNarrow } from './charts.js';
import { el, section, select, table } from './dom.js';
import { costAgainstTime } from './comparison.js';
import { count, difference, inUnit, interval, shortUsd } from './format.js';
import { ink } from './theme.js';

const titleOf = (metric) => (metric === 'net_saving_usd' ? 'net saving' : metric);
const short = (key) => key.split('.').slice(-2).join('.');
const axisText = (unit) => (unit === 'usd' ? shortUsd : (value) => inUnit(value, unit));

/** Dollars to the dollar, so that neighbours differ; without a value nothing. */
function cellText(value, unit, spread) {
  if (value === null) return '–';
  if (unit !== 'usd' || isNarrow()) return axisText(unit)(value);
  return spread < 10 ? inUnit(value, unit) : inUnit(Math.round(value), unit).slice(0, -3);
}

function heat(data) {
  const maps = (data.sweep.heat || []).filter((map) => map.cells.some((cell) => cell[2] !== null));
  if (maps.length === 0) return null;
  let chosen = 0;
  const drawing = chart('Heat map of the settings',
    () => 150 + 30 * data.sweep.axes[maps[chosen].y].values.length, () => {
      const map = maps[chosen];
      const [x, y] = [data.sweep.axes[map.x], data.sweep.axes[map.y]];
      const values = map.cells.map((cell) => cell[2]).filter((value) => value !== null);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return {
        grid: { left: 14, right: 24, top: 34, bottom: 96, containLabel: true },
        xAxis: { type: 'category', data: x.values, name: short(x.name), nameLocation: 'middle',
          nameGap: 32 },
        yAxis: { type: 'category', data: y.values, name: short(y.name),
          nameTextStyle: { align: 'left' } },
        visualMap: { min: least, max: most, calculable: false, orient: 'horizontal', bottom: 4,
          left: 'center', textStyle: { color: ink().text },
          text: [axisText(map.unit)(most), axisText(map.unit)(least)],
          inRange: { color: ['#440154', '#3b528b', '#21908c', '#5dc863', '#fde725'] } },
        tooltip: { formatter: ({ value }) => `${escaped(short(x.name))}=${escaped(x.values[value[0]])}`
          + `<br>${escaped(short(y.name))}=${escaped(y.values[value[1]])}<br>`
          + `${escaped(map.title)}: ${inUnit(value[2], map.unit)}` },
        series: [{ type: 'heatmap', data: map.cells, label: { show: map.cells.length <= 60,
          formatter: ({ value }) => cellText(value[2], map.unit, most - least) } }],
      };
    });
  return section('What should be set?',
    `${maps[0].title} of each pair of values, mean over the runs.`,
    el('div', { class: 'controls' }, select('Policy', maps.map((map, i) => [String(i),
      `${map.policy}: ${map.title}`]), '0', (i) => { chosen = Number(i); drawing.redraw(); })),
    drawing);
}

function settings(data) {
  const { best } = data.sweep;
  if (!best || best.rows.length === 0) return null;
  const columns = [{ title: 'setting', left: true, wrap: true }, { title: 'policy', left: true },
    { title: titleOf(best.metric) }, { title: 'billed' }, { title: 'time to result' }];
  const cell = (of, unit) => [inUnit(of.mean, unit), el('span', { class: 'interval' },
    interval(of, unit))];
  const isOther = best.metric !== 'billed_usd' && best.metric !== 'time_to_result'
    && best.metric !== 'mean_time_to_result_s';
  const shown = (row) => row.filter((of, i) => i !== 2 || isOther);
  return section('Which settings are best?', best.rows.length < best.total
    ? `The best ${count(best.rows.length)} of ${count(best.total)}; sweep.csv has all.`
    : 'All settings, the best first.',
    table(shown(columns), best.rows.map((row) => shown([row.settings, row.policy,
      cell(row.value, best.unit), cell(row.cost, 'usd'), cell(row.time, 's')])), 'Settings'),
    (data.notes || []).map((note) => el('p', { class: 'faint' }, `${note}.`)));
}

function tornado(data) {
  const all = data.sweep.tornado || [];
  if (all.length === 0) return null;
  let chosen = 0;
  const ordered = () => [...all[chosen].rows].sort((a, b) =>
    Math.max(Math.abs(b.low), Math.abs(b.high), Math.abs(b.high - b.low))
    - Math.max(Math.abs(a.low), Math.abs(a.high), Math.abs(a.high - a.low)));
  const drawing = chart('Tornado chart of the settings', () => 90 + 34 * all[chosen].rows.length,
    () => {
      const rows = ordered();
      const { unit } = all[chosen];
      const bar = (key, side, color) => ({ type: 'bar', name: key, stack: 'effect', barWidth: 16,
        color, data: rows.map((row) => row[key]),
        label: { show: true, position: side, color: ink().text,
          formatter: ({ dataIndex }) => rows[dataIndex][`${key}_value`] } });
      return {
        grid: { left: 8, right: 60, top: 10, bottom: 34, containLabel: true },
        xAxis: { type: 'value', boundaryGap: ['12%', '12%'], axisLabel: { formatter: axisText(unit) }, splitNumber: 4,
          name: `change of ${all[chosen].metric}`, nameLocation: 'middle', nameGap: 30 },
        yAxis: { type: 'category', inverse: true, data: rows.map((row) => short(row.axis)),
          axisLabel: { interval: 0, hideOverlap: false, width: 150, overflow: 'truncate' } },
        tooltip: { formatter: ({ dataIndex, seriesName }) => {
          const row = rows[dataIndex];
          return `${escaped(row.axis)}=${escaped(row[`${seriesName}_value`])}: `
            + `${difference(row[seriesName], unit)}`;
        } },
        series: [bar('low', 'left', '#d55e00'), bar('high', 'right', '#0072b2')],
      };
    });
  return section('Which setting matters most?',
    `The smallest and the largest change of each key: ${data.sweep.effects}.`,
    el('div', { class: 'controls' }, select('Policy', all.map((of, i) => [String(i),
      `${of.policy}: ${of.metric}`]), '0', (i) => { chosen = Number(i); drawing.redraw(); })),
    drawing);
}

function front(data) {
  const rows = (data.sweep.front || []).map((row) => ({ ...row, front: row.front,
    name: `${row.policy}, ${row.settings}`, label: row.front ? row.settings : '',
    color: () => (row.front ? '#0072b2' : ink().faint) }));
  if (rows.length < 2) return null;
  return section('What is the trade between cost and time?',
    'Each point is a setting. No setting is both cheaper and faster than a diamond.',
    costAgainstTime(rows));
}

export function sweep(data) {
  return [settings(data), heat(data), tornado(data), front(data)].filter((part) => part !== null);
}
