/** The settings of a workspace: from its files and the environment, overridden by the caller's options. */

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

  /** Whether configuration files are read at all. */
  get readsFiles(): boolean {
    return this.overrides.settings !== undefined;
  }

  read(places: SettingsFolders): Settings {
    const { settings: source } = this.overrides;
    return source === undefined ? DEFAULT_SETTINGS : readSettings(this.ports, places, source);
  }

  /** Warns once about each ignored value. @throws SavepointError BAD_CONFIG */
  effectiveSettings(settings: Settings): EffectiveSettings {
    assertValidSettings(settings);
    for (const each of settings.ignored) {
      const message = ignoredText(each, each.file === null ? '' : showName(each.file));
      if (!this.#warned.has(message)) this.events.emit('warning', { message });
      this.#warned.add(message);
    }
    return this.effectiveUnchecked(settings);
  }

  /** Does not check whether the files are valid. */
  effectiveUnchecked(settings: Settings): EffectiveSettings {
    return effectiveSettings(settings, this.overrides);
  }
}

/** @throws SavepointError TURNED_OFF if the settings turn off checkpoints on request */
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
