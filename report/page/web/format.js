// Numbers as text, as reeve prints them in a terminal.
const minus = '\u2212';

const grouped = (text) => text.replace(/\B(?=(\d{3})+$)/g, ',');

/** 17280 → "$17,280.00" */
export function usd(value) {
  const [whole, cents] = Math.abs(value).toFixed(2).split('.');
  const sign = value < 0 && Number(Math.abs(value).toFixed(2)) !== 0 ? minus : '';
  return `${sign}$${grouped(whole)}.${cents}`;
}

/** 260582 → "72h23m02s" */
export function duration(seconds) {
  const sign = seconds < 0 ? minus : '';
  let rest = Math.round(Math.abs(seconds));
  if (rest === 0 && seconds !== 0) return `${sign}${Math.abs(seconds).toPrecision(2)}s`;
  const hours = Math.floor(rest / 3600);
  const minutes = Math.floor((rest % 3600) / 60);
  rest %= 60;
  const two = (number) => String(number).padStart(2, '0');
  if (hours > 0) return `${sign}${grouped(String(hours))}h${two(minutes)}m${two(rest)}s`;
  if (minutes > 0) return `${sign}${minutes}m${two(rest)}s`;
  return `${sign}${rest}s`;
}

/** 1234.5 → "1,234.5" */
export function count(value) {
  const size = Math.abs(value);
  const text = Number.isInteger(value) ? String(size) : size.toFixed(size < 1000 ? 2 : 1);
  const [whole, part] = text.split('.');
  const trimmed = part === undefined ? '' : part.replace(/0+$/, '');
  const sign = value < 0 && Number(text) !== 0 ? minus : '';
  return sign + grouped(whole) + (trimmed === '' ? '' : `.${trimmed}`);
}

const units = {
  usd,
  s: duration,
  pct: (value) => `${value.toFixed(1).replace('-', minus)} %`,
  gpu_hours: (value) => `${count(value)} GPU-h`,
  instance_hours: (value) => `${count(value)} instance-h`,
  per_hour: (value) => `${count(value)} per hour`,
};

/** The value in its unit; "–" if there is none. */
export function inUnit(value, unit) {
  if (value === null || value === undefined) return '–';
  return (units[unit] || count)(value);
}

/** A difference: with its sign, and percentages in percentage points. */
export function difference(value, unit) {
  if (value === null || value === undefined) return '–';
  const text = unit === 'pct' ? `${value.toFixed(1).replace('-', minus)} pp` : inUnit(value, unit);
  return value > 0 ? `+${text}` : text;
}

/** "± $3.00", or "[low, high]" if the mean is not in the middle; '' without an interval. */
export function interval(of, unit) {
  if (of.lo === null || of.lo === undefined || of.hi === of.lo) return '';
  const down = of.mean - of.lo;
  const up = of.hi - of.mean;
  if (Math.abs(up - down) > 0.01 * (up + down)) {
    return `[${inUnit(of.lo, unit)}, ${inUnit(of.hi, unit)}]`;
  }
  return `± ${inUnit((of.hi - of.lo) / 2, unit)}`;
}

/** A readable unit for an axis of seconds up to `longest`: its size and its suffix. */
export function timeUnit(longest) {
  if (longest > 4 * 86400) return { seconds: 86400, name: 'days' };
  if (longest > 3 * 3600) return { seconds: 3600, name: 'hours' };
  if (longest > 180) return { seconds: 60, name: 'minutes' };
  return { seconds: 1, name: 'seconds' };
}

/** "$17k": of an axis. */
export function shortUsd(value) {
  const size = Math.abs(value);
  const sign = value < 0 ? minus : '';
  const short = (number, suffix) => `${sign}$${Number(number.toPrecision(3))}${suffix}`;
  if (size >= 1e6) return short(size / 1e6, 'M');
  if (size >= 1e3) return short(size / 1e3, 'k');
  return short(size, '');
}

/** "lost_work" → "lost work"; "drain" → "stop grace" */
export function useName(use) {
  const names = { drain: 'stop grace', orphan: 'orphaned', false_stop: 'false-stop cost' };
  return names[use] || use.replace(/_/g, ' ');
}
