import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { Script } from '../../agents/model/plan.ts';

/** The real program: a prompt mentions a file, and a person changes that file before the model edits another one. */

const TEST_MS = 10 * 60_000;

describe.skipIf(whyNot !== null)('claude, with a file in scope', () => {
  it(
    'reads that it changed, and by whom, before its next step',
    async () => {
      const project = hookedProject(claude);
      const prompt = 'Work on @src/lib.txt and @missing.txt now.';
      const script: Script = {
        marker: prompt,
        isForPrompt: true,
        steps: [
          { calls: [claude.write(project.at('new.txt'), 'new\n')], meanwhile: 'echo delta >> src/lib.txt' },
          { text: 'Done.' },
        ],
      };
      const ran = await project.work([script], { args: ACCEPT }, prompt);
      expect(ran.status).toBe(0);
      const [, second] = ran.seen.filter(({ marker }) => marker === prompt);
      expect(second?.allText).toMatch(
        /files that you work with were changed by others[\s\S]*- write src\/lib\.txt, by the user or another program \(cp_\d+\)/,
      );
      const { scopes } = JSON.parse(project.ok('scope', 'list', '--json').stdout);
      expect(scopes).toMatchObject([
        { agent: 'claude', paths: [{ path: 'src/lib.txt', by: 'mention' }], changed: [], unrecorded: [] },
      ]);
    },
    TEST_MS,
  );
});
