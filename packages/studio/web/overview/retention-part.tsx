/** How long checkpoints are kept, and what the next clean-up would drop. */
import { shownText } from '../data/names.ts';
import { bytesText, plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';

/** The options that say what clean-up keeps, with their units. */
const LIMITS: Readonly<Record<string, readonly [name: string, unit: string]>> = {
  max_checkpoints: ['Kept at most', 'checkpoints'],
  retention_hours: ['Kept for', 'hours'],
  max_sessions: ['Kept of agents', 'sessions'],
  keep_at_least: ['Always kept', 'newest checkpoints'],
  max_store_mb: ['Largest size', 'MB, with copies and forks'],
};

export function RetentionPart({ bytes }: { readonly bytes: number | null }) {
  const config = useVerb('config', {});
  const status = useVerb('status', {});
  const limits = config.data?.options.filter(({ key }) => LIMITS[key] !== undefined) ?? [];
  const { unconfirmedDrops = 0, copies } = status.data ?? {};
  return (
    <section aria-label="Storage and retention">
      <h2>Storage and retention</h2>
      <dl>
        {bytes !== null && (
          <>
            <dt>Checkpoints take</dt>
            <dd>{bytesText(bytes)}</dd>
          </>
        )}
        {copies !== undefined && (
          <>
            <dt>Copies and forks take</dt>
            <dd>
              {bytesText(copies.bytes)}
              {copies.stale > 0 && ` (${plural(copies.stale, 'copy', 'copies')} without a process)`}
            </dd>
          </>
        )}
        {limits.map(({ key, value, from }) => (
          <Limit key={key} option={key} value={value} origin={from} />
        ))}
      </dl>
      {unconfirmedDrops > 0 && (
        <p className="notice">
          Your limits would also drop {plural(unconfirmedDrops, 'checkpoint')} of the newest 50. They stay until you run{' '}
          <code>savepoint gc</code>.
        </p>
      )}
    </section>
  );
}

function amountText(value: number, unit: string): string {
  if (unit === 'hours' && value % 24 === 0) return plural(value / 24, 'day');
  return `${value.toLocaleString('en')} ${unit}`;
}

interface LimitProps {
  readonly option: string;
  readonly value: unknown;
  readonly origin: string;
}

function Limit({ option, value, origin }: LimitProps) {
  const [name, unit] = LIMITS[option] ?? [option, ''];
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {typeof value === 'number' ? amountText(value, unit) : shownText(String(value))}
        {origin !== 'default' && <span className="tag"> set by {origin}</span>}
      </dd>
    </>
  );
}
