import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { codex } from '../../agents/codex.ts';
import { copilot } from '../../agents/copilot.ts';
import { gemini } from '../../agents/gemini.ts';
import { whyNot } from '../../agents/hooked.ts';

/** Other real programs go on after the guard has taken their turn back, and read why. For Claude Code: claude-guard.test.ts. */

const CHECKS = { own: { command: ['sh', 'own.sh'], kind: 'tests', format: 'lines' } };

describe.skipIf(whyNot !== null)('the guard', () => {
  it.each([codex, copilot, gemini])(
    'makes $name go on',
    async (program) => {
      const project = hookedProject(program);
      project.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
      project.write('own.sh', 'if [ -e bad ]; then echo FAIL there is bad; exit 1; fi\n');
      project.commitAll();
      project.ok('checkpoint', '-m', 'start');
      project.ok('trust', '--yes');
      project.ok('guard', 'on', '--check', 'own');
      const steps = [{ calls: [program.shell('touch bad')] }, { text: 'Done.' }];
      const ran = await project.work([{ marker: '', steps }], {}, 'Do it.');
      expect(ran.status).toBe(0);
      const last = ran.seen.at(-1)?.allText ?? '';
      expect(last).toMatch(/Savepoint guard: checks became worse.*were taken back \(cp_\d+, attempt 1 of 3\)/);
      expect(last).toContain('- own: FAIL there is bad');
      expect(project.has('bad')).toBe(false);
    },
    10 * 60_000,
  );
});
