/** The command palette: everything that can be done here, found by its words. */
import { useId, useState } from 'react';
import { shownText } from '../data/names.ts';
import { useModal } from '../parts/dialog.tsx';
import { Keys } from './help.tsx';
import { type Command, useAllCommands } from './keys.ts';

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const ref = useModal(onClose);
  const list = useId();
  const found = matching(useAllCommands(), text);
  const at = Math.min(chosen, found.length - 1);
  const run = (command: Command | undefined): void => {
    onClose();
    command?.run();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <dialog ref={ref} className="palette" aria-label="Command palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${at}` : undefined}
        aria-label="Search for a command"
        placeholder="What do you want to do?"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} className="options" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
          <div
            key={command.label}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(command)}
            onPointerMove={() => setChosen(index)}
          >
            {shownText(command.label)}
            {command.keys !== undefined && <Keys keys={command.keys} />}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="loading">No command has these words.</p>}
    </dialog>
  );
}

function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const newest = new Map(commands.map((command) => [command.label, command]));
  return [...newest.values()].filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}
