/** Light, dark, or as the system says. */

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'savepoint-theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return ORDER.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function nextTheme(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'system';
}
