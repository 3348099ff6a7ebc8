/** Proposes what an agent changed in a copy at the end of each of its turns, while its program goes on. */
import { type Savepoint, SavepointError } from '@savepoint/core';
import { conflictChoicesOf } from '@savepoint/core/frontend';
import type { CommandContext } from '../command.ts';
import { asFailure } from '../failure.ts';
import { countText } from '../show/format.ts';
import type { ShowOverlay } from '../terminal-host/host.ts';
import type { ConflictInput, Copy, CopyDifference, Proposal } from './proposal.ts';
import { differenceText } from './texts.ts';

export interface TurnDecisions {
  /** What is done without a question: apply the changes, or keep them as a plan that goes on. Null: the user is asked. */
  readonly always: { readonly kind: 'apply' } | { readonly kind: 'plan'; readonly intent: string | null } | null;
  /** The plan that is worked on. */
  readonly plan: string | null;
  readonly conflicts: ConflictInput;
  /** Receives what people read, at once or when the program has ended. */
  readonly say: (text: string) => void;
}

/** A turn whose changes are in the folder. */
interface AppliedTurn {
  readonly turn: number;
  /** With the folder after it. */
  readonly checkpoint: string;
}

/** `later`: the changes stay in the copy, and are part of the next proposal. */
type Decision = 'apply' | 'plan' | 'drop' | 'later';

type Rebased = Awaited<ReturnType<Savepoint['rebaseCopy']>>;

const BUSY = 'because the program goes on in the same files';

/** The turns of one run, until `stop`. */
export class EachTurn {
  #copy: Copy;
  #plan: string | null;
  #turns = 0;
  readonly #applied: AppliedTurn[] = [];
  #show: ShowOverlay | null = null;
  readonly #end = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    private readonly proposal: Omit<Proposal, 'isGood'>,
    private readonly context: Pick<CommandContext, 'savepoint' | 'view'>,
    private readonly decisions: TurnDecisions,
  ) {
    this.#copy = proposal.copy;
    this.#plan = decisions.plan;
    this.#ended = this.#follow();
  }

  get applied(): readonly AppliedTurn[] {
    return this.#applied;
  }

  get #savepoint(): Savepoint {
    return this.context.savepoint;
  }

  askWith(show: ShowOverlay): void {
    this.#show = show;
  }

  /**
   * Waits for what is being done about a turn.
   * @returns the copy, whose changes are relative to the last turn that was applied, and the open plan that they are part of
   */
  async stop(): Promise<{ readonly copy: Copy; readonly plan: string | null }> {
    this.#end.abort();
    await this.#ended;
    await this.#leaveClosedPlan();
    return { copy: this.#copy, plan: this.#plan };
  }

  /** Never fails: what is not done about a turn is proposed after the next one, or at the end. */
  async #follow(): Promise<void> {
    const { signal } = this.#end;
    let mark: string | null = null;
    try {
      for (;;) {
        mark = await this.#savepoint.nextTurn(this.#copy, mark, { signal });
        if (signal.aborted) return;
        this.#turns++;
        await this.#propose().catch((error: unknown) => this.#failed(error));
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  async #propose(): Promise<void> {
    const found = await this.#savepoint.diffCopy(this.#copy);
    const decision = found.changes.length === 0 ? 'go on' : await this.#decide(found);
    if (decision === 'later') return;
    if (decision === 'plan') return this.#keepAsPlan();
    const { copy, outcome } = decision === 'apply' ? await this.#apply() : await this.#rebase(decision === 'drop');
    this.#copy = copy;
    if (decision === 'drop') this.#report(outcome === 'moved' ? 'its changes were dropped' : `not dropped, ${BUSY}`);
    else if (outcome !== 'moved') this.#report(`your own changes are not in the copy yet, ${BUSY}`);
  }

  #rebase(discard: boolean): Promise<Rebased> {
    return this.#savepoint.rebaseCopy(this.#copy, { discard });
  }

  async #decide(found: CopyDifference): Promise<Decision> {
    if (this.decisions.always !== null) return this.decisions.always.kind;
    const show = this.#show;
    if (show === null) return 'later';
    const [{ PageOverlay }, { chooseWay }] = await Promise.all([
      import('../terminal-host/page-overlay.ts'),
      import('../terminal-host/overlay/choice-page.ts'),
    ]);
    const { view } = this.context;
    const lines = differenceText(found, { ...view, isPage: true }).split('\n');
    let decision: Decision = 'later';
    await show(
      new PageOverlay(view.style, async (ui) => {
        decision = await chooseWay(ui, [`Turn ${this.#turns} has ended.`, '', ...lines], WAYS, LATER);
      }),
    );
    return decision;
  }

  async #apply(): Promise<Rebased> {
    const { description, author } = this.proposal;
    const { force, ...conflicts } = this.decisions.conflicts;
    const choices = await conflictChoicesOf(this.#savepoint, conflicts);
    const { checkpoint, plan, rebased } = await this.#savepoint.applyTurn(this.#copy, {
      description: `${description}, turn ${this.#turns}`,
      ...(author === undefined ? {} : { author }),
      ...choices,
      ...(force === true ? { force } : {}),
    });
    if (checkpoint !== null) {
      this.#applied.push({ turn: this.#turns, checkpoint: checkpoint.id });
      this.#report(`applied to ${countText(plan.paths.length, 'path')}  (now ${checkpoint.id})`);
    }
    return rebased;
  }

  async #keepAsPlan(): Promise<void> {
    await this.#leaveClosedPlan();
    const { description, author } = this.proposal;
    const { always } = this.decisions;
    const origin = { copy: this.#copy, ...(author === undefined ? {} : { author }) };
    const intent = (always?.kind === 'plan' ? always.intent : null) ?? description;
    const { plan, changes } =
      this.#plan === null
        ? await this.#savepoint.proposeFrom(origin, { intent })
        : await this.#savepoint.revisePlan(this.#plan, origin);
    this.#plan = plan.id;
    this.#report(`${countText(changes.length, 'change')} in ${plan.id}, revision ${plan.revision}`);
    // What the user changed comes into the copy.
    this.#copy = (await this.#rebase(false)).copy;
  }

  /** A plan that was applied or cancelled does not go on. What was applied is then not a change of the copy. */
  async #leaveClosedPlan(): Promise<void> {
    if (this.#plan === null) return;
    const { status } = await this.#savepoint.plan(this.#plan);
    if (status === 'pending' || status === 'approved') return;
    this.#plan = null;
    this.#copy = (await this.#rebase(false)).copy;
  }

  #failed(error: unknown): void {
    const what = this.decisions.always?.kind === 'plan' ? 'not in the plan' : 'not applied';
    this.#report(`${what}. ${asFailure(error).message}`);
  }

  #report(text: string): void {
    this.decisions.say(`savepoint: turn ${this.#turns}: ${text}\n`);
  }
}

/** @throws SavepointError USAGE */
export function assertEachTurn(given: {
  readonly access: string | null;
  /** Whether the answer is known without a question. */
  readonly isAnswered: boolean;
  readonly isTerminal: boolean;
}): void {
  const argument = '--each-turn';
  if (given.access !== null) {
    throw new SavepointError('USAGE', '--each-turn needs a program that may edit.', { argument });
  }
  if (given.isAnswered || given.isTerminal) return;
  const message = 'There is no terminal to ask what to do with the changes of each turn.';
  const hint = 'The command was not run. Use --each-turn with --apply or --plan.';
  throw new SavepointError('USAGE', message, { argument }, { hint });
}

const WAYS = [
  { label: 'apply these changes to the folder', value: 'apply' },
  { label: 'drop them: the copy gets the state of the folder', value: 'drop' },
  { label: 'keep them as a plan to review', value: 'plan' },
] as const;
const LATER = { label: 'decide later, and go on', value: 'later' } as const;
