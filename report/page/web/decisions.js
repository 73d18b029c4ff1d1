// The log of decisions: each opens the datapoints that the rule saw and the counterfactual.
import { el, filter, section, select, table } from './dom.js';
import { count, duration, usd } from './format.js';

const page = 25;

/** JSON as a readable list; arrays of objects are small tables. */
function readable(value) {
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const isTable = value.length > 0 && value.every((row) =>
      row !== null && typeof row === 'object' && !Array.isArray(row));
    if (!isTable) return value.map((of) => (typeof of === 'object' ? JSON.stringify(of) : of))
      .join(', ');
    const keys = [...new Set(value.flatMap((row) => Object.keys(row)))];
    return table(keys.map((key) => ({ title: key.replace(/_/g, ' '), left: true })),
      value.map((row) => keys.map((key) => (row[key] === undefined ? '' : readable(row[key])))),
      'Datapoints');
  }
  return table([{ title: 'input', left: true }, { title: 'value', left: true, wrap: true }],
    Object.entries(value).map(([key, of]) => [key.replace(/_/g, ' '), readable(of)]), 'Inputs');
}

function counterfactual(row) {
  if (row.cost_if_not_usd === null) return '';
  const more = row.cost_if_not_usd >= 0;
  return el('p', {}, el('strong', {}, `Without this decision: ${usd(Math.abs(row.cost_if_not_usd))} `
    + `${more ? 'more' : 'less'} would have been billed.`));
}

function entry(row) {
  const body = el('div', { class: 'decision' });
  const item = el('details', { ontoggle: () => {
    if (!item.open || body.childElementCount > 0) return;
    body.append(...[counterfactual(row),
      el('p', { class: 'faint' }, `Run ${row.run}, decision ${row.id}, mode ${row.mode}, verdict `
        + `${row.verdict}`, row.outcome ? `, outcome ${row.outcome}` : '',
        row.latency_s === null ? '' : `, latency ${duration(row.latency_s)}`),
      row.threshold === null ? '' : el('p', {}, 'Threshold: ', readable(row.threshold)),
      row.inputs === null ? '' : readable(row.inputs),
      row.alternatives === null ? ''
        : el('div', {}, el('h3', {}, 'Alternatives'), readable(row.alternatives))]
      .filter((part) => part !== ''));
  } }, el('summary', {}, el('span', { class: 'when' }, `${duration(row.t_s)}  `),
    el('strong', {}, row.action.replace(/_/g, ' ')), ` ${row.job} `,
    el('span', { class: 'faint' }, `by ${row.rule}, ${row.run}, ${row.verdict}`)), body);
  return item;
}

export function decisions(data) {
  const rows = data.decisions.rows;
  const wanted = { policy: '', rule: '', action: '', text: '' };
  let shown = page;
  const list = el('div', {});
  const note = el('p', { class: 'faint' });
  const more = el('button', { type: 'button', onclick: () => { shown += page; draw(); } },
    'Show more');
  const policyOf = (row) => row.run.slice(0, row.run.lastIndexOf('/'));
  function draw() {
    const found = rows.filter((row) => (!wanted.policy || policyOf(row) === wanted.policy)
      && (!wanted.rule || row.rule === wanted.rule)
      && (!wanted.action || row.action === wanted.action)
      && `${row.job} ${row.verdict} ${row.outcome}`.toLowerCase().includes(wanted.text));
    list.replaceChildren(...found.slice(0, shown).map(entry));
    more.hidden = found.length <= shown;
    note.textContent = `${count(Math.min(shown, found.length))} of ${count(found.length)} shown; `
      + `replication 0 has ${count(data.decisions.total)} decisions`
      + `${data.decisions.total > rows.length ? ', all of them in decisions.csv' : ''}.`;
  }
  const choose = (label, key, values) => select(label, [['', 'all'],
    ...[...new Set(values)].map((value) => [value, value])], '',
  (value) => { wanted[key] = value; shown = page; draw(); });
  draw();
  const part = section('Why did a rule act?',
    'Each decision opens what the rule saw, and what would have been billed without it.',
    el('div', { class: 'controls' }, choose('Policy', 'policy', rows.map(policyOf)),
      choose('Rule', 'rule', rows.map((row) => row.rule)),
      choose('Action', 'action', rows.map((row) => row.action)),
      filter('Job, verdict or outcome', (text) => { wanted.text = text; shown = page; draw(); })),
    note, list, more);
  part.classList.add('long');
  return part;
}
