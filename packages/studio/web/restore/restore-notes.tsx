/** Everything about a restore that is not a diff: what prevents it, what stays, and the conversation. */

import { type JsonName, nameKey, shownLines, shownName, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { Line, Section } from '../take-back/sections.tsx';
import type { RestorePreview } from './preview-files.ts';

export interface RestoreNotesProps {
  readonly preview: RestorePreview;
  readonly onMode: (mode: 'exact' | 'keep-outside') => void;
  readonly onResolve: () => void;
}

export function RestoreNotes({ preview, onMode, onResolve }: RestoreNotesProps) {
  const { plan, parties, conversation, heads, headMoved, repositoriesGone, capture } = preview;
  const merged = plan.paths.filter((one) => one.merged);
  return (
    <div className="restore-notes preview">
      {parties !== null && (
        <Section tone="danger" title={`Not only ${list(parties.agents)} changed files since`}>
          {plan.conflicts.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
          <li className="choices">
            <button type="button" className="button" onClick={() => onMode('keep-outside')}>
              Take back only what agents changed
            </button>
            <button type="button" className="button" onClick={() => onMode('exact')}>
              Overwrite these changes, too
            </button>
          </li>
        </Section>
      )}
      {parties === null && plan.conflicts.length > 0 && (
        <Section
          tone="danger"
          title={`${plural(plan.conflicts.length, 'conflict')}: nothing is restored before you decide`}
        >
          {plan.conflicts.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
          <li className="choices">
            <button type="button" className="button" onClick={onResolve}>
              Resolve the conflicts
            </button>
          </li>
        </Section>
      )}
      {plan.refused.length > 0 && (
        <Section tone="danger" title="Cannot be backed up, so it is refused">
          {plan.refused.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
        </Section>
      )}
      {conversation !== null && <Conversation conversation={conversation} />}
      {merged.length > 0 && (
        <Section title="Merged with changes of others, which stay">
          {merged.map(({ path }) => (
            <Line key={nameKey(path)} path={shownName(path)} text="" />
          ))}
        </Section>
      )}
      {plan.kept.length > 0 && (
        <Section title="Stays as it is">
          {plan.kept.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
        </Section>
      )}
      {plan.notes.length + heads.length + headMoved.length + repositoriesGone.length > 0 && (
        <Section title="Also">
          {plan.notes.map(({ path, note }) => (
            <Line key={`${nameKey(path)} ${note}`} path={shownName(path)} text={shownText(note)} />
          ))}
          {heads.map(({ path, before, after, unreachableCount }) => (
            <Line
              key={`head ${nameKey(path)}`}
              path={headName(path)}
              text={`goes from ${headText(before)} to ${headText(after)}${
                unreachableCount > 0
                  ? `; ${plural(unreachableCount, 'commit')} no branch has then, kept in the store`
                  : ''
              }`}
            />
          ))}
          {headMoved.map(({ path, before, now }) => (
            <Line
              key={`moved ${nameKey(path)}`}
              path={headName(path)}
              text={`stays at ${headText(now)}. It was at ${headText(before)} then.`}
            />
          ))}
          {repositoriesGone.map((path) => (
            <Line
              key={`gone ${nameKey(path)}`}
              path={shownName(path)}
              text="was a repository then, and is not one now"
            />
          ))}
        </Section>
      )}
      {capture.leftOut.length + capture.partial.length > 0 && (
        <Section title="Not captured, so it is left alone">
          {[...capture.partial, ...capture.leftOut].slice(0, MOST_GAPS).map(({ path, reason }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={reason} />
          ))}
        </Section>
      )}
    </div>
  );
}

const MOST_GAPS = 20;

function Conversation({ conversation }: { readonly conversation: NonNullable<RestorePreview['conversation']> }) {
  const { only, possible, reason, messages, prompts, removed, agent } = conversation;
  if (!possible) {
    return (
      <Section tone="warning" title="The conversation cannot go back">
        <li>
          {shownText(reason ?? '')}
          {only ? '' : '. The files can go back all the same.'}
        </li>
      </Section>
    );
  }
  return (
    <Section title={`The conversation of ${shownText(agent ?? 'the agent')} loses ${plural(messages, 'message')}`}>
      <li>It goes back as a new session, with {plural(prompts, 'prompt')} less. The original is not changed.</li>
      {removed
        .filter(({ role, text }) => role !== 'tool' && text !== null)
        .map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same words can come twice
          <li key={index} className="message-lost">
            <span className="tag">{role === 'user' ? 'You' : shownText(agent ?? 'Agent')}</span>{' '}
            {shownLines(text ?? '')}
          </li>
        ))}
    </Section>
  );
}

/** The workspace itself can be the repository. */
function headName(path: JsonName): string {
  return nameKey(path) === '' ? 'HEAD' : `${shownName(path)}: HEAD`;
}

function headText({
  branch,
  commit,
}: {
  readonly branch: RestorePreview['headMoved'][number]['now']['branch'];
  readonly commit: string | null;
}) {
  const at = commit === null ? 'no commit' : commit.slice(0, 9);
  return branch === null ? at : `${shownName(branch)} (${at})`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'agents' : names.map(shownText).join(', ');
}
