// Elements of the page. Text is always set as text: names of jobs are not trusted.

/** An element with attributes and children: strings, elements, or nested arrays of them. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== ''));
  return element;
}

/** A labelled select; `options` are strings or [value, text]. */
export function select(label, options, chosen, onChange) {
  const list = el('select', { onchange: () => onChange(list.value) }, options.map((option) => {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    return el('option', { value, selected: value === chosen ? '' : null }, text || value);
  }));
  return el('label', {}, label, list);
}

/** A labelled field for text; `onInput` receives it in lower case. */
export function filter(label, onInput) {
  const field = el('input', { type: 'search', oninput: () => onInput(field.value.toLowerCase()) });
  return el('label', {}, label, field);
}

/** Columns are {title, left, wrap}; a cell is a string, an element, or a list of them. */
export function table(columns, rows, caption) {
  const kind = (column) => [column.left ? 'left' : '', column.wrap ? 'wrap' : ''].join(' ').trim();
  const head = el('tr', {}, columns.map((column) =>
    el('th', { class: kind(column) || null, scope: 'col' }, column.title)));
  const body = rows.map((row) => el('tr', { class: row.group ? 'group' : null },
    (row.cells || row).map((cell, i) => el('td', { class: kind(columns[i]) || null }, cell))));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('thead', {}, head), el('tbody', {}, body)));
}

let sections = 0;

/** A section with a heading, one line on what it shows, and its contents. */
export function section(title, line, ...contents) {
  sections += 1;
  return el('section', { id: `s${sections}`, 'data-title': title }, el('h2', {}, title),
    line === '' ? '' : el('p', { class: 'faint' }, line), ...contents);
}
