/** Settings in the engine's terms and units. Options of the caller take precedence over the configuration files. */

import type { CaptureRules } from '../model/checkpoint.ts';
import {
  type RetentionLimit,
  type RetentionOptions,
  type RetentionPolicy,
  withRetentionOptions,
} from '../timeline/retention/retention.ts';
import type { BackupLocation } from '../transaction/backups.ts';
import { isChosenLimit, type LimitOption } from './limits.ts';
import type { Settings } from './settings.ts';

/** What is captured automatically. */
export interface AutomaticCapture {
  readonly enabled: boolean;
  readonly beforeWrite: boolean;
  readonly beforeEdit: boolean;
  readonly beforeBash: boolean;
  /** Empty: all commands. */
  readonly bashPatterns: readonly string[];
  readonly onPrompt: boolean;
}

/** What is exported from this machine automatically. */
export interface AutomaticExport {
  /** An absolute folder, or `s3://bucket/prefix`. */
  readonly to: string;
  readonly endpoint: string | null;
  readonly region: string | null;
  /** Tells this copy of a timeline from others that are exported to the same place; empty: it is the only one. */
  readonly name: string;
  readonly private: boolean;
  readonly messages: boolean;
}

export interface EffectiveSettings {
  /** Null: no automatic export. */
  readonly exporting: AutomaticExport | null;
  readonly rules: CaptureRules;
  /** Checkpoints include the index of each repository. */
  readonly recordIndex: boolean;
  /** The first checkpoint adopts objects from repositories. */
  readonly adopt: boolean;
  readonly retention: RetentionPolicy;
  readonly backups: BackupLocation;
  /** How long plans are kept after their last change. */
  readonly planMs: number;
  readonly automatic: AutomaticCapture;
  /** What copies that are folders get of dependency folders. */
  readonly copyDependencies: Settings['values']['copy_dependencies'];
  readonly hooks: { readonly budgetMs: number; readonly strict: boolean; readonly findingsAfterTurn: boolean };
  /** The daemon, which answers hooks. */
  readonly daemon: { readonly enabled: boolean; readonly idleMs: number };
  /** Two presses of this key in a program of `run` open the list of earlier states. Empty: depends on the program. */
  readonly run: { readonly key: string; readonly keyMs: number };
}

/** Options of the library's caller, which override the settings. */
export interface SettingsOverrides {
  readonly rules?: Partial<CaptureRules>;
  /**
   * Checkpoints also have the index of each repository, for `restore` with `git`. Default: from the settings, else
   * false.
   */
  readonly recordIndex?: boolean;
  /** The first checkpoint adopts contents from repositories. Default: from the settings, else true. */
  readonly adopt?: boolean;
  readonly retention?: RetentionOptions;
  /** Where edits keep backups of the files they replace. Default `store`. `beside`: next to the file, as `a.ts.bak`. */
  readonly backups?: BackupLocation;
}

const LIMIT_OPTIONS: readonly (readonly [LimitOption, RetentionLimit])[] = [
  ['max_checkpoints', 'maxCheckpoints'],
  ['retention_hours', 'maxAgeDays'],
  ['max_sessions', 'maxSessions'],
];

const KB = 1024;
const MB = 1024 * KB;
const HOURS = 24;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export function effectiveSettings({ values, origins }: Settings, given: SettingsOverrides): EffectiveSettings {
  return {
    rules: {
      maxFileBytes: values.max_file_mb * MB,
      maxIgnoredBytes: values.max_ignored_kb * KB,
      ...(values.include.length === 0 ? {} : { include: values.include }),
      ...(values.exclude.length === 0 ? {} : { exclude: values.exclude }),
      ...(values.roots.length === 0 ? {} : { roots: values.roots }),
      ...given.rules,
    },
    recordIndex: given.recordIndex ?? values.record_index,
    adopt: given.adopt ?? values.adopt,
    retention: withRetentionOptions(
      {
        maxCheckpoints: values.max_checkpoints,
        maxAgeDays: values.retention_hours / HOURS,
        keepAtLeast: values.keep_at_least,
        maxSessions: values.max_sessions,
        maxStoreBytes: values.max_store_mb * MB,
        chosen: new Set(LIMIT_OPTIONS.flatMap(([option, limit]) => (isChosenLimit(origins, option) ? [limit] : []))),
      },
      given.retention ?? {},
    ),
    exporting: exportSettingsOf(values),
    backups: given.backups ?? values.backups,
    planMs: values.plan_days * DAY,
    automatic: {
      enabled: values.enabled,
      beforeWrite: values['triggers.before_write'],
      beforeEdit: values['triggers.before_edit'],
      beforeBash: values['triggers.before_bash'],
      bashPatterns: values.bash_patterns,
      onPrompt: values['triggers.on_prompt'],
    },
    copyDependencies: values.copy_dependencies,
    hooks: {
      budgetMs: values['hooks.budget_ms'],
      strict: values['hooks.strict'],
      findingsAfterTurn: values['hooks.findings_after_turn'],
    },
    daemon: { enabled: values.daemon === 'on', idleMs: values.daemon_idle_minutes * MINUTE },
    run: { key: values['run.key'], keyMs: values['run.key_ms'] },
  };
}

function exportSettingsOf(values: Settings['values']): AutomaticExport | null {
  if (values['export.to'] === '') return null;
  return {
    to: values['export.to'],
    endpoint: values['export.endpoint'] || null,
    region: values['export.region'] || null,
    name: values['export.name'],
    private: values['export.private'],
    messages: values['export.messages'],
  };
}
