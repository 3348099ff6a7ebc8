/** How the options of retention relate: what the user sets wins, and what then has no effect is reported. */
import type { OptionKey, SettingValues } from './options.ts';

type Origins = Readonly<Record<OptionKey, string>>;

export type LimitOption = 'max_checkpoints' | 'retention_hours' | 'max_sessions';

/** Whether a limit is the user's own and not restricted by a `keep_at_least` of theirs. */
export function isChosenLimit(origins: Origins, option: LimitOption): boolean {
  return origins[option] === 'user' && origins.keep_at_least === 'default';
}

/** Returns the limits that `keep_at_least` leaves without effect, each with the reason. */
export function limitsWithoutEffect(
  values: SettingValues,
  origins: Origins,
): readonly { readonly key: LimitOption; readonly why: string }[] {
  const { keep_at_least: floor, max_checkpoints: most } = values;
  const isRestricted = (key: LimitOption): boolean => origins[key] !== 'default' && !isChosenLimit(origins, key);
  const kept = `keep_at_least always keeps the newest ${floor} checkpoints`;
  return [
    ...(isRestricted('max_checkpoints') && most < floor ? [{ key: 'max_checkpoints' as const, why: kept }] : []),
    ...(['retention_hours', 'max_sessions'] as const).flatMap((key) =>
      isRestricted(key) && most <= floor
        ? [{ key, why: `${kept}, and max_checkpoints keeps no more than ${most}` }]
        : [],
    ),
  ];
}
