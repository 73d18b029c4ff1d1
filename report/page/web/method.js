// How the numbers were made, what they leave out, and where the tables are.
import { el, section, table } from './dom.js';

export function method(data) {
  const rows = data.method.map(([title, value]) => [title, value]);
  const tables = data.tables || [];
  return section('Should I believe it?',
    'The same scenario, seed and version give the same bytes on every machine.',
    table([{ title: '', left: true, wrap: true }, { title: '', left: true, wrap: true }], rows,
      'Method'),
    el('h3', {}, 'Limits'), el('ul', {}, data.limits.map((line) => el('li', {}, line))),
    tables.length === 0 ? '' : [el('h3', {}, 'Tables'),
      el('p', {}, tables.map((name, i) => [i > 0 ? ', ' : '',
        data.beside ? el('a', { href: encodeURI(name) }, name) : name]))]);
}
