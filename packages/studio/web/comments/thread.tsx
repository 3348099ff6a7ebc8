import { actorName } from '../data/authors.ts';
import { shownLines, shownText, textOf } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import type { Comment } from './threads.ts';
import type { DiffComments } from './use-comments.ts';

export interface ThreadProps {
  readonly comments: readonly Comment[];
  readonly acts: DiffComments;
  /** Whether they are below their lines, or at the top of their file. */
  readonly isPlaced: boolean;
}

/** The comments on one line, below it. */
export function Thread({ comments, acts, isPlaced }: ThreadProps) {
  return (
    <section className="thread" aria-label="Comments">
      {comments.map((comment) => (
        <CommentCard key={comment.id} comment={comment} acts={acts} isPlaced={isPlaced} />
      ))}
    </section>
  );
}

interface CommentCardProps {
  readonly comment: Comment;
  readonly acts: DiffComments;
  readonly isPlaced: boolean;
}

function CommentCard({ comment, acts, isPlaced }: CommentCardProps) {
  const { by, time, text, status, place, made_at: made, lines } = comment;
  const isResolved = status === 'resolved';
  const where = place ?? made;
  return (
    <article className={`comment ${status}`}>
      <header>
        <strong>{shownText(actorName(by))}</strong>
        <time dateTime={time} title={fullText(time)}>
          {clockText(time)}
        </time>
        {!isPlaced && (
          <span>{where.first === where.last ? `line ${where.first}` : `lines ${where.first}–${where.last}`}</span>
        )}
        {place === null && <span className="tag">outdated</span>}
        <Delivery comment={comment} />
        <span className="space" />
        {acts.canChange && (
          <>
            <button
              type="button"
              className="button small quiet"
              disabled={acts.isBusy}
              onClick={() => acts.resolve(comment)}
            >
              {isResolved ? 'Reopen' : 'Resolve'}
            </button>
            <button
              type="button"
              className="button small quiet"
              disabled={acts.isBusy}
              onClick={() => acts.remove(comment)}
            >
              Delete
            </button>
          </>
        )}
      </header>
      {place === null && <pre>{shownLines(textOf(lines).replace(/\n$/, ''))}</pre>}
      <p>{shownLines(text)}</p>
    </article>
  );
}

/** Whether an agent has it, and otherwise which one gets it when. */
function Delivery({ comment }: { readonly comment: Comment }) {
  const isOfCopy = useIsOfCopy(comment);
  const { sent } = comment;
  const title =
    sent === null ? undefined : `${fullText(sent.time)}${sent.session === null ? '' : `, session ${sent.session}`}`;
  return (
    <span className="delivery" title={title === undefined ? undefined : shownText(title)}>
      {deliveryText(comment, isOfCopy)}
    </span>
  );
}

/** Whether it is about a plan of an agent that works in a copy. */
function useIsOfCopy({ plan }: Comment): boolean {
  const { data } = useVerb('planList', { all: true }, { isEnabled: plan !== null, keepsLast: true });
  return data?.plans.some(({ id, source }) => id === plan?.id && source === 'isolated') ?? false;
}

function deliveryText({ status, sent, agent, delivery }: Comment, isOfCopy: boolean): string {
  const was = sent === null ? null : `sent to ${shownText(sent.agent)} at ${clockText(sent.time)}`;
  if (status === 'resolved') return was === null ? 'resolved, not sent' : `resolved, ${was}`;
  if (was !== null) return was;
  if (agent === null) return 'not sent yet: goes to the next agent with its next prompt';
  if (delivery === 'tool') return `not sent yet: ${shownText(agent)} has no hooks, so it gets this only by plan_status`;
  return `not sent yet: goes to ${shownText(agent)} with its next prompt${isOfCopy ? ', in its copy or here' : ''}`;
}
