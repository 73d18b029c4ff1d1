// Cost by tag: what each value of a tag is billed and wastes under each policy.
import { el, section, select, table } from './dom.js';
import { inUnit } from './format.js';
import { policyColor } from './theme.js';

export function tags(data) {
  let key = data.tags[0].key;
  const body = el('div', {});
  const draw = () => {
    const { rows } = data.tags.find((of) => of.key === key);
    const most = Math.max(1e-9, ...rows.flatMap((row) => row.billed_usd));
    const columns = [{ title: key, left: true, wrap: true },
      ...data.policies.flatMap(({ name }) => [{ title: `${name}: billed` }, { title: 'wasted' }])];
    const cells = rows.map((row) => [row.value, ...data.policies.flatMap(({ name }, i) => [
      [inUnit(row.billed_usd[i], 'usd'), el('span', { class: 'bar',
        style: `width:${(110 * (row.billed_usd[i] || 0)) / most}px;`
          + `background:${policyColor(data, name)}` })],
      inUnit(row.wasted_usd[i], 'usd')])]);
    body.replaceChildren(table(columns, cells, `Cost by ${key}`));
  };
  draw();
  return section('Who pays?', 'Cost of jobs by tag. Means over the runs.',
    el('div', { class: 'controls' },
      select('Tag', data.tags.map((of) => of.key), key, (name) => { key = name; draw(); })),
    body);
}
