import { describe, expect, it } from 'vitest';
import { type AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { Script, Step } from '../../agents/model/plan.ts';
import { timeline } from '../../agents/timeline.ts';

/** The real program with a guard. What it breaks is taken back, it reads why, and it goes on. */

const { read, edit } = claude;
const CHECKS = { sums: { command: ['sh', 'sums.sh'], kind: 'tests', format: 'lines' } };
const TEST = '. ./lib.sh\nsum=$(add 1 2)\n[ "$sum" = 3 ] || { echo "FAIL add: $sum is not 3"; exit 1; }\n';
const LIB = 'add() { echo $(($1 + $2)); }\n\n# one\n# two\n# three\n\n# notes\n';
const TEST_MS = 10 * 60_000;

function guardedProject(...options: readonly string[]): AgentProject {
  const project = hookedProject(claude);
  project.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  project.write('sums.sh', TEST);
  project.write('lib.sh', LIB);
  project.commitAll();
  project.ok('checkpoint', '-m', 'start');
  project.ok('trust', '--yes');
  project.ok('guard', 'on', '--check', 'sums', ...options);
  return project;
}

function answer(marker: string, ...steps: readonly Step[]): Script {
  return { marker, isForPrompt: true, steps };
}

describe.skipIf(whyNot !== null)('claude, guarded', () => {
  it(
    'reads what failed and that its turn was taken back, repairs it, and the edit of a person stays',
    async () => {
      const project = guardedProject();
      const lib = project.at('lib.sh');
      const first = answer(
        'Do the FIRST part.',
        { calls: [read(lib)] },
        { calls: [edit(lib, '# one', '# ONE')] },
        { text: 'The first part is done.' },
      );
      expect(await project.work([first], { args: ACCEPT }, first.marker)).toMatchObject({ status: 0 });
      const session = timeline(project).find((step) => step.session !== null)?.session ?? '';
      const second = answer(
        'Do the SECOND part.',
        { calls: [edit(lib, '$1 + $2', '$1 - $2')] },
        { text: 'The second part is done.', meanwhile: "sed -i 's/# notes/# notes of a person/' lib.sh" },
      );
      const repair = answer(
        'Stop hook feedback:',
        { calls: [read(lib)] },
        { calls: [edit(lib, '$1 + $2', '$2 + $1')] },
        { text: 'Repaired.' },
      );
      const args = [...ACCEPT, '--resume', session];
      const ran = await project.work([first, second, repair], { args }, second.marker);
      expect(ran.status).toBe(0);
      expect(ran.stdout).toContain('Repaired.');
      const heard = ran.seen.flatMap(({ userTexts }) => userTexts.map(({ text }) => text)).join('\n');
      expect(heard).toMatch(/checks became worse.*were taken back \(cp_\d+, attempt 1 of 3\)/);
      expect(heard).toContain('- sums: FAIL add: -1 is not 3');
      const results = JSON.stringify(ran.seen.at(-1)?.results);
      // What it read after that: its own work is gone, and the person's is there.
      expect(results).toContain('notes of a person');
      expect(project.read('lib.sh')).toBe(
        LIB.replace('$1 + $2', '$2 + $1').replace('# one', '# ONE').replace('# notes', '# notes of a person'),
      );
      const { events } = JSON.parse(project.ok('guard', 'status', '--json').stdout) as {
        readonly events: readonly { readonly outcome: string }[];
      };
      expect(events.map(({ outcome }) => outcome)).toEqual(['good', 'taken-back', 'repaired']);
      const steps = timeline(project);
      expect(steps.map(({ description }) => description)).toContainEqual(
        'Guard: 1 new failure of sums. Rolled back 1 change of claude: lib.sh',
      );
      expect(steps.at(-1)).toMatchObject({ trigger: 'call', testResult: 'pass' });
    },
    TEST_MS,
  );
});
