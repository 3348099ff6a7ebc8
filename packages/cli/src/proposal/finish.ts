/** Decides with the user what becomes of the changes in a copy, and does it. Whatever fails, the copy stays. */
import { type JsonName, type Savepoint, SavepointError, showText } from '@savepoint/core';
import { conflictChoicesOf, operationToJson } from '@savepoint/core/frontend';
import type { CommandContext, Environment } from '../command.ts';
import { asFailure, failureAsText } from '../failure.ts';
import { choose, readLine } from '../input/choose.ts';
import { page } from '../pager.ts';
import { patchText } from '../show/patch.ts';
import type { OutputView } from '../view.ts';
import { writeAll } from '../write.ts';
import { type Decision, typedFile } from './decision.ts';
import { keptText } from './kept-text.ts';
import { isOwnDaemon, isOwnHook } from './own-programs.ts';
import type { ConflictInput, CopyDifference, Finished, Proposal } from './proposal.ts';
import {
  appliedText,
  conflictText,
  differenceText,
  endedText,
  plannedText,
  planStaysText,
  savedText,
  unchangedText,
} from './texts.ts';

export interface Finishing {
  readonly context: Pick<CommandContext, 'savepoint' | 'absolutePath' | 'view' | 'clearProgress'>;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Null: the user is asked. */
  readonly decision: Decision | null;
  /** Whether there is a terminal to ask on. */
  readonly mayAsk: boolean;
  readonly conflicts: ConflictInput;
  /** Receives what people read. */
  readonly say: (text: string) => void;
}

export async function finishProposal(proposal: Proposal, given: Finishing): Promise<Finished> {
  const run = new ProposalRun(proposal, given);
  try {
    return await run.finish();
  } catch (error) {
    return run.failed(asFailure(error));
  }
}

class ProposalRun {
  #difference: CopyDifference | null = null;
  #choices: ConflictInput = {};
  #ended: readonly string[] = [];

  constructor(
    private readonly proposal: Proposal,
    private readonly given: Finishing,
  ) {}

  get #savepoint(): Savepoint {
    return this.given.context.savepoint;
  }

  async finish(): Promise<Finished> {
    const { say, context, signal, decision, mayAsk } = this.given;
    const { copy, isGood } = this.proposal;
    // They would go on changing what is shown and applied.
    const ended = await this.#savepoint.endCopyPrograms(copy, { mayFinish: isOwnHook, signal });
    this.#ended = ended
      .filter((command) => !isOwnHook(command) && !isOwnDaemon(command))
      .map((command) => showText(command.join(' ')));
    if (this.#ended.length > 0) say(endedText(this.#ended));
    const found = await this.#savepoint.diffCopy(copy, { signal });
    this.#difference = found;
    context.clearProgress();
    if (found.changes.length === 0 && found.problems.length === 0 && found.commits.length === 0) {
      say(unchangedText(found, this.proposal.hasApplied === true));
      if (decision?.kind === 'plan' && decision.revises !== null) say(planStaysText(decision.revises));
      await copy.copy.drop();
      return this.#finished('unchanged');
    }
    say(differenceText(found, context.view));
    if (decision === null) return this.#ask(found);
    if (decision.kind !== 'apply' || decision.isAlways || isGood) return this.#carryOut(decision, found);
    if (mayAsk) {
      say('The command failed, so the changes were not applied.\n');
      return this.#ask(found);
    }
    const hint = 'Use --apply --always to apply the changes of a command that fails.';
    return this.failed(
      new SavepointError('CANCELLED', 'The command failed, so its changes were not applied.', {}, { hint }),
    );
  }

  async failed(failure: SavepointError): Promise<Finished> {
    const { say, context } = this.given;
    context.clearProgress();
    say(failureAsText(failure, context.view.style));
    return { ...(await this.#keep()), failure };
  }

  async #ask(found: CopyDifference): Promise<Finished> {
    const { env, context } = this.given;
    const { view } = context;
    for (;;) {
      const answer = await choose('What to do with these changes?', ANSWERS, KEEP);
      switch (answer) {
        case 'diff':
          await this.#showDiff(view, env);
          continue;
        case 'plan':
          return this.#carryOut({ kind: 'plan', intent: null, revises: null }, found);
        case 'patch': {
          const file = await this.#askForFile();
          if (file === null) continue;
          return this.#carryOut({ kind: 'patch', file }, found);
        }
        case 'apply': {
          const operation = await this.#applyOrAsk();
          if (operation === null) continue;
          return this.#applied(found, operation);
        }
        default:
          return this.#carryOut({ kind: answer }, found);
      }
    }
  }

  async #carryOut(decision: Decision, found: CopyDifference): Promise<Finished> {
    const { copy } = this.proposal;
    const { signal, say, context } = this.given;
    switch (decision.kind) {
      case 'keep':
        return this.#keep();
      case 'drop':
        await copy.copy.drop();
        say('Dropped the changes.\n');
        return this.#finished('dropped');
      case 'patch': {
        const saved = await this.#savepoint.saveCopyPatch(copy, decision.file, { signal });
        context.clearProgress();
        say(savedText(saved, decision.file));
        return this.#done('saved', saved, { file: decision.file });
      }
      case 'plan':
        return this.#planned(found, decision);
      case 'apply':
        return this.#applied(found, await this.#apply(this.given.conflicts));
    }
  }

  /** @returns null: the user wants another way on */
  async #applyOrAsk(): Promise<Operation | null> {
    const { conflicts, context, say } = this.given;
    const preview = await this.#preview(conflicts);
    if (preview.plan.conflicts.length === 0) return this.#apply(conflicts);
    say(conflictText(preview, context.view));
    const answer = await choose('How to go on?', ON_CONFLICT, BACK);
    const paths = preview.plan.conflicts.map(({ path }) => path);
    switch (answer) {
      case 'theirs':
      case 'ours':
        return this.#apply({ ...conflicts, [answer]: [...(conflicts[answer] ?? []), ...paths] });
      case 'skip':
        return this.#apply({ ...conflicts, skipConflicts: true });
      case 'back':
        return null;
    }
  }

  async #preview(conflicts: ConflictInput) {
    const preview = await this.#savepoint.previewApply(this.proposal.copy, await this.#applyOptions(conflicts));
    return operationToJson(preview, []);
  }

  async #apply(conflicts: ConflictInput): Promise<Operation> {
    this.#choices = conflicts;
    const done = await this.#savepoint.applyCopy(this.proposal.copy, await this.#applyOptions(conflicts));
    return operationToJson(done, []);
  }

  async #applyOptions(conflicts: ConflictInput) {
    const { description, author } = this.proposal;
    const choices = await conflictChoicesOf(this.#savepoint, conflicts);
    const by = author === undefined ? {} : { author };
    const force = conflicts.force === true ? { force: true } : {};
    return { description, ...by, ...choices, ...force, signal: this.given.signal };
  }

  async #applied(found: CopyDifference, operation: Operation): Promise<Finished> {
    const { context, say } = this.given;
    context.clearProgress();
    say(appliedText(operation, found.changes.length > found.uncaptured.length, context.view));
    // With --ours, what the copy has there is given up. What is skipped may still be wanted.
    const isPartial = this.#choices.skipConflicts === true && operation.plan.kept.length > 0;
    return this.#done('applied', found, { operation }, isPartial);
  }

  async #planned(found: CopyDifference, { intent, revises }: PlanDecision): Promise<Finished> {
    const { copy, author, description } = this.proposal;
    const { say, context, signal } = this.given;
    const origin = { copy, ...(author === undefined ? {} : { author }) };
    const { plan, changes } =
      revises === null
        ? await this.#savepoint.proposeFrom(origin, { intent: intent ?? description, signal })
        : await this.#savepoint.revisePlan(revises, origin, { signal });
    context.clearProgress();
    say(plannedText(plan, changes.length));
    return this.#done('planned', found, { plan: plan.id });
  }

  /** Drops the copy unless it has something that nothing else has. */
  async #done(
    outcome: 'applied' | 'saved' | 'planned',
    { uncaptured, problems, commits }: CopyDifference,
    more: Partial<Finished>,
    isPartial = false,
  ): Promise<Finished> {
    const isUncaptured = uncaptured.length > 0 || problems.length > 0;
    const why = isUncaptured ? 'uncaptured' : commits.length > 0 ? 'commits' : isPartial ? 'skipped' : null;
    const isKept = why !== null;
    if (isKept) {
      this.given.say(keptText({ copy: this.proposal.copy, why, plan: more.plan ?? null, commits }));
      await this.proposal.copy.copy.close();
    } else await this.proposal.copy.copy.drop();
    return { ...this.#finished(outcome), isKept, ...more };
  }

  async #keep(): Promise<Finished> {
    const { copy } = this.proposal;
    this.given.say(keptText({ copy, why: null, plan: null, commits: this.#difference?.commits ?? [] }));
    await this.proposal.copy.copy.close();
    return this.#finished('kept');
  }

  #finished(outcome: Finished['outcome']): Finished {
    return {
      outcome,
      isKept: outcome === 'kept',
      difference: this.#difference,
      ended: this.#ended,
      operation: null,
      file: null,
      plan: null,
      failure: null,
    };
  }

  async #showDiff(view: OutputView, env: Environment): Promise<void> {
    const { patch } = await this.#savepoint.diffCopy(this.proposal.copy, { patch: true, signal: this.given.signal });
    this.given.context.clearProgress();
    if (patch !== null) {
      page(patchText(patch.text.toString('latin1'), view), env, (await this.#savepoint.place()).root);
    }
  }

  async #askForFile(): Promise<JsonName | null> {
    const typed = await readLine('File:');
    if (typed === null || typed.trim() === '') return null;
    try {
      return typedFile(typed.trim(), this.given.context);
    } catch (error) {
      writeAll(2, failureAsText(asFailure(error), this.given.context.view.style));
      return null;
    }
  }
}

type PlanDecision = Extract<Decision, { readonly kind: 'plan' }>;

type Operation = ReturnType<typeof operationToJson>;

const ANSWERS = [
  { key: 'a', label: 'apply', value: 'apply' },
  { key: 'r', label: 'keep as a plan to review', value: 'plan' },
  { key: 'p', label: 'save as patch', value: 'patch' },
  { key: 'd', label: 'show the diff', value: 'diff' },
  { key: 'x', label: 'drop', value: 'drop' },
] as const;
const KEEP = { key: 'k', label: 'keep the copy', value: 'keep' } as const;

const ON_CONFLICT = [
  { key: 't', label: "take the copy's lines", value: 'theirs' },
  { key: 'o', label: "keep the folder's lines", value: 'ours' },
  { key: 's', label: 'skip these paths', value: 'skip' },
] as const;
const BACK = { key: 'b', label: 'back', value: 'back' } as const;
