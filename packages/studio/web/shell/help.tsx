import { shownText } from '../data/names.ts';
import { Dialog } from '../parts/dialog.tsx';
import { GradeLegend } from '../parts/grade-mark.tsx';
import { useAllCommands } from './keys.ts';

/** The keys that work in what is shown. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const commands = useAllCommands().filter(({ keys }) => keys !== undefined);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys-list">
        {commands.map(({ keys, label }) => (
          <Row key={`${keys} ${label}`} keys={keys ?? ''} label={label} />
        ))}
      </dl>
      <GradeLegend />
    </Dialog>
  );
}

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="keys">
      {keys.split(' ').map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key can come twice
        <span key={index}>
          <kbd>{SHOWN[key] ?? key}</kbd>{' '}
        </span>
      ))}
    </span>
  );
}

const SHOWN: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→' };

function Row({ keys, label }: { readonly keys: string; readonly label: string }) {
  return (
    <>
      <dt>{shownText(label)}</dt>
      <dd>
        <Keys keys={keys} />
      </dd>
    </>
  );
}
