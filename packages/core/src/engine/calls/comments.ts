/** Calls for comments of people on lines, which go to the agents that wrote them. */

import { givenPath } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Comment } from '../../model/comment.ts';
import { SavepointError } from '../../model/errors.ts';
import { isWithin, type JsonName } from '../../model/names.ts';
import {
  COMMENT_CHARACTERS,
  hasComments,
  MOST_COMMENTS,
  readComments,
  writeComments,
} from '../../store/state/comments.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { anchorOf, type CommentRequest } from '../comments/anchor.ts';
import { type CommentView, placed, viewOf } from '../comments/placed.ts';
import { takeFor } from '../comments/take.ts';
import type { Engine } from '../engine.ts';
import { findPlan } from '../plans/stored-plans.ts';
import { callerOf, servedCallInfo } from '../served-call.ts';
import { assertByUser } from '../shell-call.ts';

/** Which comments are listed, and in which files their lines are looked for. */
export interface CommentQuery extends CallOptions, Pick<CommentRequest, 'plan' | 'at' | 'from'> {
  /** Only comments on these paths and everything below them. */
  readonly paths?: readonly JsonName[];
  /** Also those that are resolved. Default false. */
  readonly all?: boolean;
  /** Only those for the agent that calls this, which count as sent then. Others get none. Default false. */
  readonly forCaller?: boolean;
}

export interface CommentCalls {
  /**
   * Records what a person says about lines, for the agent that wrote them: it goes to the agent with its next prompt. Only
   * a person may do this.
   * @throws SavepointError USAGE for lines that the file does not have, an empty or too long text, or too many comments;
   *   PATH_REFUSED if it is not a text file; NEEDS_CONFIRMATION if an agent asks; UNKNOWN_CHECKPOINT, UNKNOWN_PLAN
   */
  addComment(request: CommentRequest, options?: CallOptions): Promise<CommentView>;
  /** The oldest first. @throws SavepointError STORE_DAMAGED, UNKNOWN_CHECKPOINT, UNKNOWN_PLAN */
  comments(query?: CommentQuery): Promise<readonly CommentView[]>;
  /** @param isResolved false: it is open again, and is not sent once more. @throws SavepointError USAGE if there is none, NEEDS_CONFIRMATION */
  resolveComment(id: string, isResolved: boolean, options?: CallOptions): Promise<CommentView>;
  /** @param id `last` is the newest. @throws SavepointError USAGE if there is none, NEEDS_CONFIRMATION */
  deleteComment(id: string, options?: CallOptions): Promise<CommentView>;
}

export function commentCalls(engine: Engine): CommentCalls {
  return {
    addComment: (request, options = {}) =>
      engine.write(options, 'existing', async ({ workspace, pace }) => {
        assertByUser(engine, workspace, 'commentAdd');
        const { ports, store } = workspace;
        const before = readComments(ports.fs, store.layout);
        const said = textOf(request.text);
        const { anchor, addressee } = await anchorOf(engine, workspace, request, pace);
        const comment: Comment = {
          id: `cm_${ports.random.hex(4)}`,
          by: callerOf(engine, workspace, options),
          time: ports.clock.now(),
          text: said,
          anchor,
          ...addressee,
          sent: null,
          resolved: null,
        };
        writeComments(ports.fs, store.layout, [...withRoom(before), comment]);
        return viewOf(comment, { first: anchor.first, last: anchor.last });
      }),
    comments: async ({ forCaller = false, ...query } = {}) => {
      if (forCaller) return takeByCaller(engine, query);
      return engine.read(async (workspace) => {
        const { ports, store } = workspace;
        if (!hasComments(ports, store.layout)) return [];
        const all = readComments(ports.fs, store.layout);
        return placed(engine, workspace, wanted(workspace, all, query), query, engine.pace(query));
      });
    },
    resolveComment: (id, isResolved, options = {}) =>
      change(engine, 'commentResolve', id, options, (comment, workspace) => {
        const by = callerOf(engine, workspace, options);
        return { ...comment, resolved: isResolved ? { by, time: workspace.ports.clock.now() } : null };
      }),
    deleteComment: (id, options = {}) => change(engine, 'commentDelete', id, options, () => null),
  };
}

async function takeByCaller(engine: Engine, options: CallOptions): Promise<readonly CommentView[]> {
  if (engine.actor.kind !== 'agent') return [];
  const recipient = await engine.read(async (workspace) => {
    const { session = null, actor = engine.actor } = servedCallInfo(engine, workspace, options);
    return { agent: actor.name, session };
  });
  return takeFor(engine, recipient, options);
}

async function change(
  engine: Engine,
  verb: 'commentResolve' | 'commentDelete',
  id: string,
  options: CallOptions,
  to: (comment: Comment, workspace: Workspace) => Comment | null,
): Promise<CommentView> {
  return engine.write(options, 'existing', async ({ workspace, pace }) => {
    assertByUser(engine, workspace, verb);
    const { ports, store } = workspace;
    const all = readComments(ports.fs, store.layout);
    const found = id === 'last' ? all.at(-1) : all.find((one) => one.id === id);
    if (found === undefined) throw unknownComment(id);
    const now = to(found, workspace);
    const after = all.flatMap((one) => (one !== found ? [one] : now === null ? [] : [now]));
    writeComments(ports.fs, store.layout, after);
    const [view] = await placed(engine, workspace, [now ?? found], {}, pace);
    return view as CommentView;
  });
}

/** @throws SavepointError USAGE */
function textOf(given: string): string {
  const text = given.trim().replace(/\p{Surrogate}/gu, '\ufffd');
  if (text === '') throw new SavepointError('USAGE', 'A comment needs a text.', { argument: 'text' });
  if (text.length <= COMMENT_CHARACTERS) return text;
  throw new SavepointError(
    'USAGE',
    `The text of the comment is too long: ${text.length} characters, and the limit is ${COMMENT_CHARACTERS}.`,
    { argument: 'text' },
  );
}

/** The oldest resolved ones make room. @throws SavepointError USAGE */
function withRoom(comments: readonly Comment[]): readonly Comment[] {
  if (comments.length < MOST_COMMENTS) return comments;
  const oldest = comments.find(({ resolved }) => resolved !== null);
  if (oldest !== undefined) return comments.filter((one) => one !== oldest);
  throw new SavepointError(
    'USAGE',
    `There are ${comments.length} comments that are not resolved, which is the limit.`,
    { argument: 'text' },
    {
      hint: 'Nothing was recorded. `savepoint comment resolve ID` marks one as done, `savepoint comment delete ID` removes it.',
    },
  );
}

function wanted(
  workspace: Workspace,
  comments: readonly Comment[],
  { plan: planName, paths, all = false }: CommentQuery,
): readonly Comment[] {
  const plan = planName === undefined ? null : findPlan(workspace, planName).id;
  const within = paths?.map((path) => givenPath(workspace, path));
  return comments.filter(
    ({ anchor, resolved }) =>
      (all || resolved === null) &&
      (plan === null || anchor.plan?.id === plan) &&
      (within === undefined || within.some((path) => isWithin(anchor.path, path))),
  );
}

function unknownComment(id: string): SavepointError {
  const shown = JSON.stringify(id.slice(0, 100));
  return new SavepointError(
    'USAGE',
    `There is no comment ${shown}.`,
    { argument: 'id' },
    { hint: '`savepoint comment list --all` lists all comments.' },
  );
}
