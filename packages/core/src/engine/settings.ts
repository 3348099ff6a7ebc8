/** The settings of a workspace: what its files and the environment say, and what the caller's own options make of it. */

import { type EffectiveSettings, effectiveSettings, type SettingsOverrides } from '../config/effective.ts';
import { assertValidSettings, readSettings, type SettingsFolders } from '../config/read-settings.ts';
import { DEFAULT_SETTINGS, ignoredText, type Settings, type SettingsSource } from '../config/settings.ts';
import { showName } from '../content/show-name.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { nameToJson } from '../model/names.ts';
import type { EventStream } from './events.ts';

export class SettingsReader {
  readonly #warned = new Set<string>();

  constructor(
    private readonly ports: Ports,
    private readonly overrides: SettingsOverrides & { readonly settings?: SettingsSource },
    private readonly events: EventStream,
  ) {}

  /** Whether files of settings are read at all. */
  get readsFiles(): boolean {
    return this.overrides.settings !== undefined;
  }

  read(places: SettingsFolders): Settings {
    const { settings: source } = this.overrides;
    return source === undefined ? DEFAULT_SETTINGS : readSettings(this.ports, places, source);
  }

  /** Warns once of each value that does not count. @throws SavepointError BAD_CONFIG */
  effectiveSettings(settings: Settings): EffectiveSettings {
    assertValidSettings(settings);
    for (const each of settings.ignored) {
      const message = ignoredText(each, each.file === null ? '' : showName(each.file));
      if (!this.#warned.has(message)) this.events.emit('warning', { message });
      this.#warned.add(message);
    }
    return this.effectiveUnchecked(settings);
  }

  /** As if the files were sound. */
  effectiveUnchecked(settings: Settings): EffectiveSettings {
    return effectiveSettings(settings, this.overrides);
  }
}

/** @throws SavepointError TURNED_OFF where settings turn checkpoints on request off */
export function assertRequestsEnabled({ values, origins, files }: Settings): void {
  const option = 'triggers.on_request';
  if (values[option]) return;
  const file = files.find(({ of }) => of === origins[option])?.path ?? null;
  const where = file === null ? 'The configuration' : showName(file);
  throw new SavepointError('TURNED_OFF', `${where} turns checkpoints on request off (${option}).`, {
    option,
    file: file === null ? null : nameToJson(file),
  });
}
