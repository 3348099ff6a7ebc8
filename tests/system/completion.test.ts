/** Completion in real zsh and fish, which .ci/packages.txt installs. For bash see tests/frontends. */
import { expect, it } from 'vitest';
import { argumentsTyped, HOSTILE_FILES, projectToComplete } from '../frontends/shell-completion.ts';

it.each(['zsh', 'fish'] as const)('%s completes and quotes what it is given', async (shell) => {
  const p = await projectToComplete();
  const typed = [
    ['savepoint rest\tcp_1\t--dry\t', ['restore', 'cp_1', '--dry-run']],
    ['savepoint show @pro\t', ['show', '@prompt']],
    ['savepoint list --before=cp_1\t', ['list', '--before=cp_1']],
    ['savepoint turns --session s\t', ['turns', '--session', "s-1 o'clock"]],
    ['savepoint rollback --agent c\t', ['rollback', '--agent', "cl'au de"]],
    ['savepoint blame 20\tin\t', ['blame', '20folder/in side']],
    ['savepoint restore cp_1 -- -d\t', ['restore', 'cp_1', '--', '-dash']],
    ...HOSTILE_FILES.map((name) => [`savepoint blame ${name.slice(0, 2)}\t`, ['blame', name]] as const),
    ...HOSTILE_FILES.map((name) => [`savepoint blame '${name.slice(0, 2)}\t`, ['blame', name]] as const),
  ] as const;
  const found = await argumentsTyped(
    p,
    shell,
    typed.map(([line]) => line),
  );
  expect(found).toEqual(typed.map(([, args]) => args));
});
