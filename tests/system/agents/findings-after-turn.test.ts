import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { codex } from '../../agents/codex.ts';
import { whyNot } from '../../agents/hooked.ts';
import { timeline } from '../../agents/timeline.ts';

/** The real programs read with a prompt what their last turn broke, if the user wants that. */

const TEST_MS = 10 * 60_000;
const FIRST = 'Rename the price.';
const SECOND = 'Go on.';
const TRIED = [
  { program: claude, args: ACCEPT, resume: (session: string) => [...ACCEPT, '--resume', session] },
  { program: codex, args: [], resume: (session: string) => ['resume', session] },
];

describe.skipIf(whyNot !== null)('findings after a turn', () => {
  it.each(TRIED.map((one) => [one.program.name, one] as const))(
    '%s reads them with its next prompt, and not again',
    async (_, { program, args, resume }) => {
      const project = hookedProject(program);
      mkdirSync(project.store, { recursive: true, mode: 0o700 });
      writeFileSync(join(project.store, 'config.json'), JSON.stringify({ hooks: { findings_after_turn: true } }));
      project.write('price.ts', 'export const price = 1;\n');
      project.write('shop.ts', "import { price } from './price';\n\nprice;\n");
      const steps = [{ calls: [program.shell('echo "export const cost = 1;" > price.ts')] }, { text: 'Renamed.' }];
      const first = await project.work([{ marker: FIRST, isForPrompt: true, steps }], { args }, FIRST);
      expect(first, first.stderr).toMatchObject({ status: 0 });

      const goOn = {
        marker: SECOND,
        isForPrompt: true,
        steps: [{ calls: [program.shell('true')] }, { text: 'Done.' }],
      };
      const session = timeline(project).at(-1)?.session ?? '';
      const second = await project.work([goOn], { args: resume(session) }, SECOND);
      expect(second, second.stderr).toMatchObject({ status: 0 });
      const broken = "- shop.ts:1: price.ts no longer exports 'price'";
      const [prompted] = second.seen.filter(({ marker }) => marker === SECOND);
      expect(prompted?.allText).toContain(broken);
      expect(second.seen.at(-1)?.allText.split(broken)).toHaveLength(2);
    },
    TEST_MS,
  );
});
