/** Adds our hooks to the text of settings. */
import type { HookCommand } from './hook-command.ts';
import type { JsonForm } from './integration.ts';
import { withEntry } from './json-edit.ts';
import { skipSpace } from './json-text.ts';

/**
 * @param text null or empty: no settings yet
 * @throws JsonTextError, SettingsShapeError
 */
export function withHooks(text: string | null, form: JsonForm, command: HookCommand): string {
  const isEmpty = text === null || skipSpace(text, 0) === text.length;
  const start = isEmpty ? JSON.stringify(form.base) : text;
  return form.entries(command).reduce((all, { list, value }) => withEntry(all, list, value), start);
}
