import { shownText } from '../data/names.ts';
import { type ForkRow, useForkVerb } from './fork-queries.ts';

/** In place of a fork: the folder of the workspace. */
export const WORKSPACE = '.';

export interface ComparedWithProps {
  readonly fork: Pick<ForkRow, 'name'>;
  /** Undefined: what the fork started from. */
  readonly other: string | undefined;
  readonly onOther: (other: string | undefined) => void;
}

/** Chooses what the files of a fork are compared with. */
export function ComparedWith({ fork, other, onOther }: ComparedWithProps) {
  const { data } = useForkVerb('forkList', {});
  const others = (data?.forks ?? []).map(({ name }) => name).filter((name) => name !== fork.name);
  const isGone = other !== undefined && other !== WORKSPACE && data !== undefined && !others.includes(other);
  return (
    <p className="compared-with">
      <label>
        Compare with{' '}
        <select
          className="field"
          value={other ?? ''}
          onChange={({ target }) => onOther(target.value === '' ? undefined : target.value)}
        >
          <option value="">what it started from</option>
          <option value={WORKSPACE}>the workspace as it is now</option>
          {[...others, ...(isGone ? [other] : [])].map((name) => (
            <option key={name} value={name}>
              fork {shownText(name)}
              {name === other && isGone ? ' (it is gone)' : ''}
            </option>
          ))}
        </select>
      </label>
      {other !== undefined && (
        <span className="hint">
          Removed lines are those of {shownText(fork.name)}, added ones those of{' '}
          {other === WORKSPACE ? 'the workspace' : shownText(other)}. Ignored files are left out.
        </span>
      )}
    </p>
  );
}
