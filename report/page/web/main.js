// Draws the report from the data in the page: a summary, then one section for each question.
import { bill, differences, measures, pareto } from './comparison.js';
import { decisions } from './decisions.js';
import { el } from './dom.js';
import { front } from './front.js';
import { method } from './method.js';
import { distributions, stops } from './spread.js';
import { sweep } from './sweep.js';
import { tags } from './tags.js';
import { jobs, usage } from './time.js';

const data = JSON.parse(document.getElementById('reeve-data').textContent);
const has = (key) => data[key] && (!Array.isArray(data[key]) || data[key].length > 0);

/** Sections in their order: the data that each needs, and what draws it. */
const order = [['bill', bill], ['measures', measures], ['differences', differences],
  ['pareto', pareto], ['usage', usage], ['gantt', jobs], ['cdf', distributions],
  ['stops', stops], ['tags', tags], ['sweep', sweep], ['decisions', decisions],
  ['method', method]];

const report = document.getElementById('report');
report.append(front(data));
for (const [key, draw] of order) {
  if (!has(key) || (key === 'decisions' && data.decisions.rows.length === 0)) continue;
  const drawn = draw(data);
  if (drawn) report.append(...[drawn].flat());
}
document.getElementById('contents').append(el('ol', {}, [...report.querySelectorAll('section')]
  .map((part) => el('li', {}, el('a', { href: `#${part.id}` }, part.dataset.title)))));
document.documentElement.dataset.ready = 'yes';
