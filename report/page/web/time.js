// Charts over time: instances in use, and what the time of each job was.
import { chart, escaped, isNarrow, legendOf } from './charts.js';
import { el, filter, section, select } from './dom.js';
import { count, duration, timeUnit, usd, useName } from './format.js';
import { ink, useColor } from './theme.js';

const names = (rows, key) => [...new Set(rows.map((row) => row[key]))];

/** The value of a step function at each of `times`. */
function at(times, row, values) {
  let i = -1;
  return times.map((time) => {
    while (i + 1 < row.t.length && row.t[i + 1] <= time) i += 1;
    return i < 0 || values === null ? 0 : values[i] || 0;
  });
}

function shareSeries(rows, times, toPoints, colorOf) {
  const series = [];
  rows.forEach((row, i) => {
    const name = row.name.split('/')[0];
    const held = at(times, row, row.allocated);
    const lent = at(times, row, row.borrowed);
    const area = (title, values, opacity, decal) => ({
      name: title, type: 'line', step: 'end', stack: 'held', symbol: 'none',
      lineStyle: { width: 0 }, itemStyle: { color: colorOf(i), opacity, decal },
      areaStyle: { color: colorOf(i), opacity }, data: toPoints(values) });
    series.push(area(name, held.map((value, j) => value - lent[j]), 0.85));
    if (lent.some((value) => value > 0)) {
      series.push(area(`${name}, borrowed`, lent, 0.4,
        { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -0.8,
          color: 'rgba(0,0,0,0.45)' }));
    }
  });
  return series;
}

export function usage(data) {
  const pools = data.usage.filter((row) => row.scope === 'pool');
  if (pools.length === 0) return null;
  let policy = data.best || pools[0].policy;
  if (!pools.some((row) => row.policy === policy)) policy = pools[0].policy;
  const held = (row) => Math.max(0, ...(row.allocated || []));
  let pool = pools.filter((row) => row.policy === policy)
    .reduce((most, row) => (held(row) > held(most) ? row : most)).name;
  const colors = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a6d00'];
  const drawing = chart('Instances over time', 330, () => {
    const row = pools.find((of) => of.policy === policy && of.name === pool);
    if (!row) return { xAxis: {}, yAxis: {}, series: [] };
    const shares = data.usage.filter((of) => of.scope === 'share' && of.policy === policy
      && of.name.endsWith(`/${pool}`));
    const times = [...new Set([row, ...shares].flatMap((of) => of.t))].sort((a, b) => a - b);
    const unit = timeUnit(times[times.length - 1] - times[0]);
    const toPoints = (values) => times.map((time, i) => [time / unit.seconds, values[i]]);
    const line = (name, values, color, more) => ({ name, type: 'line', step: 'end',
      symbol: 'none', color, lineStyle: { width: 1.5, color, ...more }, data: toPoints(values) });
    const series = shares.length > 0
      ? shareSeries(shares, times, toPoints, (i) => colors[i % colors.length])
      : [{ ...line('allocated', at(times, row, row.allocated), '#0072b2'),
        areaStyle: { opacity: 0.3 } }];
    if (shares.length > 0 && shares[0].quota) {
      series.push(line(`quota of ${shares[0].name.split('/')[0]}`,
        at(times, shares[0], shares[0].quota), ink().faint, { type: 'dashed' }));
    }
    series.push({ ...line('used', at(times, row, row.used), '#1b9e77'),
      areaStyle: shares.length > 0 ? undefined : { opacity: 0.45 } });
    series.push(line('capacity', at(times, row, row.capacity), ink().text, { type: 'dotted' }));
    if (row.runnable && row.runnable.some((value) => value > 0)) {
      series.push(line('requested by waiting jobs', at(times, row, row.runnable), '#d7301f'));
    }
    const { legend, pixels } = legendOf(series.map((of) => of.name));
    return {
      legend,
      grid: { left: 14, right: 24, top: pixels + 24, bottom: 34, containLabel: true },
      xAxis: { type: 'value', name: `time (${unit.name})`, nameLocation: 'middle', nameGap: 30,
        min: times[0] / unit.seconds, max: times[times.length - 1] / unit.seconds,
        axisLabel: { showMaxLabel: false } },
      yAxis: { type: 'value', name: 'instances', minInterval: 1 },
      tooltip: { trigger: 'axis', formatter: (all) => {
        const head = duration(all[0].value[0] * unit.seconds);
        return [head, ...all.map((of) => `${of.marker}${escaped(of.seriesName)}: `
          + `${count(of.value[1])}`)].join('<br>');
      } },
      series,
    };
  });
  const redraw = () => drawing.redraw();
  return section('Was the capacity used?',
    'Instances that are available, allocated, and making progress. Replication 0.',
    el('div', { class: 'controls' },
      select('Policy', names(pools, 'policy'), policy, (name) => { policy = name; redraw(); }),
      names(pools, 'name').length > 1
        ? select('Pool', names(pools, 'name'), pool, (name) => { pool = name; redraw(); }) : ''),
    drawing);
}

const mostRows = 60;
/** Actions that say nothing of a job: they have no mark. */

function jobRects(rows, unit) {
  return rows.flatMap((job, i) => job.parts.map(([from, to, what]) =>
    [from / unit.seconds, to / unit.seconds, i, what]));
}

function rectOf(height) {
  return (params, api) => {
    const from = api.coord([api.value(0), api.value(2)]);
    const to = api.coord([api.value(1), api.value(2)]);
    const frame = params.coordSys;
    const left = Math.max(from[0], frame.x);
    const right = Math.min(Math.max(to[0], from[0] + 1), frame.x + frame.width);
    return { type: 'rect', style: { fill: useColor(api.value(3)) },
      shape: { x: left, y: from[1] - height / 2, width: Math.max(right - left, 0.5), height } };
  };
}

export function jobs(data) {
  if (!data.gantt.some((of) => of.jobs.length > 0)) return null;
  let policy = data.best || data.gantt[0].policy;
  let text = '';
  const of = () => data.gantt.find((row) => row.policy === policy) || data.gantt[0];
  const shown = () => of().jobs.filter((job) =>
    `${job.job} ${job.share} ${job.tier} ${job.status}`.toLowerCase().includes(text))
    .sort((a, b) => b.wasted_usd - a.wasted_usd).slice(0, mostRows)
    .sort((a, b) => a.submit_s - b.submit_s);
  const note = el('p', { class: 'faint' });
  const drawing = chart('What the time of each job was', () => 100 + 20 * shown().length, () => {
    const rows = shown();
    const all = of();
    note.textContent = `${count(rows.length)} of ${count(all.jobs_total)} jobs`
      + (text === '' ? ', those that waste most' : ` match; the filter searches the `
        + `${count(all.jobs.length)} that waste most`)
      + '. A triangle is a decision on the job.';
    const last = Math.max(1, ...rows.flatMap((job) => job.parts.map((part) => part[1])));
    const unit = timeUnit(last);
    const rects = jobRects(rows, unit);
    const { legend, pixels } = legendOf([...new Set(rects.map((rect) => useName(rect[3])))]);
    const place = new Map(rows.map((job, i) => [job.job, i]));
    const marks = all.marks.filter((mark) => place.has(mark.job));
    return {
      legend,
      grid: { left: 8, right: 24, top: pixels + 10, bottom: 34, containLabel: true },
      xAxis: { type: 'value', name: `time (${unit.name})`, nameLocation: 'middle', nameGap: 30,
        min: 0, max: last / unit.seconds, axisLabel: { showMaxLabel: false } },
      yAxis: { type: 'category', inverse: true, data: rows.map((job) => job.job),
        axisTick: { show: false }, axisLabel: { width: isNarrow() ? 90 : 160,
          overflow: 'truncate', interval: 0, hideOverlap: false } },
      tooltip: { trigger: 'item', formatter: (item) => {
        if (item.seriesType === 'scatter') {
          const mark = marks[item.dataIndex];
          return `${escaped(mark.job)} at ${duration(mark.t_s)}<br>${escaped(mark.rule)}: `
            + `${escaped(mark.action)}, ${escaped(mark.verdict)}`;
        }
        if (!item.value) return '';
        const [from, to, row, what] = item.value;
        const job = rows[row];
        return `${escaped(job.job)} (${escaped(job.status)}), wasted ${usd(job.wasted_usd)}<br>`
          + `${useName(what)} for ${duration((to - from) * unit.seconds)}`;
      } },
      series: [
        ...[...new Set(rects.map((rect) => rect[3]))].map((what) => ({
          type: 'custom', name: useName(what), renderItem: rectOf(12), encode: { x: [0, 1], y: 2 },
          itemStyle: { color: useColor(what) }, data: rects.filter((rect) => rect[3] === what) })),
        { type: 'scatter', symbol: 'triangle', symbolSize: 9, symbolOffset: [0, 9], z: 5,
          itemStyle: { color: ink().text },
          data: marks.map((mark) => [mark.t_s / unit.seconds, place.get(mark.job)]) }],
    };
  });
  const redraw = () => drawing.redraw();
  return section('What happened to the jobs?', 'Replication 0.',
    el('div', { class: 'controls' },
      select('Policy', data.gantt.map((row) => row.policy), policy,
        (name) => { policy = name; redraw(); }),
      filter('Job, share, tier or status', (words) => { text = words; redraw(); })),
    drawing, note);
}
