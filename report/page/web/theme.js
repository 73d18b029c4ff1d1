// Colours of policies and of uses of time, readable for colour-blind people.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;

export const isDark = () => dark.matches && !printing;

/** Calls back when the page becomes dark, light, or printed. */
export function onTheme(redraw) {
  dark.addEventListener('change', redraw);
  window.addEventListener('beforeprint', () => { printing = true; redraw(); });
  window.addEventListener('afterprint', () => { printing = false; redraw(); });
}

const ofPolicies = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#8a6d00',
  '#6a3d9a'];

/** Of a policy by its place; the baseline is grey. */
export function policyColor(data, name) {
  if (name === data.baseline) return isDark() ? '#a5adb8' : '#767f8a';
  const others = data.policies.map((policy) => policy.name).filter((of) => of !== data.baseline);
  return ofPolicies[Math.max(others.indexOf(name), 0) % ofPolicies.length];
}

const ofUses = {
  productive: '#1b9e77', startup: '#8dd3e8', checkpoint: '#3b8bba', stalled: '#d7301f',
  lost_work: '#f28e2b', drain: '#e7c65b', orphan: '#9b6fc4', idle_reserved: '#9aa3ad',
  false_stop: '#8c2d5a', residual: '#555555', preempted: '#c58b9b', guardrails: '#b07d3c',
};

export function useColor(use) {
  if (use === 'waiting') return isDark() ? '#414a57' : '#d5dae0';
  return ofUses[use] || '#777777';
}

/** Of text, lines and paper, for charts. */
export function ink() {
  return isDark()
    ? { text: '#e6e9ee', faint: '#a3adba', line: '#303743', paper: '#14181f', panel: '#1b212a' }
    : { text: '#1c2330', faint: '#5c6675', line: '#dfe3e8', paper: '#ffffff', panel: '#f6f7f9' };
}
