import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The names that the library exports. Adding or removing one is a decision, and must be in CHANGELOG.md. */

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

const LIBRARY = `
  Actor Author Authorship BundleOptions CallContext CallEnd CallId CallOptions CallRequest ChangeId ChangeKind ChangeSet
  Checkpoint
  CheckpointId CheckpointOptions CheckpointResult Configuration ConversationPosition DiffResult DiskPath ERROR_CODES Edit
  EditOptions EditResult EndedCall Entry ErrorCode ErrorData Events FileRequest GivenWrite HistoryEntry HistoryPage HistoryQuery
  JsonName Listener OpenOptions OperationResult Overview PathChange PathConflict PermissionNote Preview Progress
  PutBack RecordedChange RemoteOptions RemoteSavepoint RestoreMode RestoreOptions RestoreOutcome RollbackOptions
  RollbackToOptions RolledBackTo RootState Sandbox
  Savepoint SavepointError Selection Session SessionId SessionList SessionOptions ShellVariables Stats Status TestResult ToolKind TranscriptMark TreePath
  Trigger UndoOptions WatchEvent WorkspaceCache bytesFromText exactName executionAdapter localSandbox nameFromJson nameToJson open
  openRemote showName showText sshSandbox textFromBytes
`;

interface Exported {
  readonly name: string;
  /** The name in the file. */
  readonly declared: string;
  readonly file: string;
}

function exportsOf(entry: string): readonly Exported[] {
  const text = readFileSync(join(SOURCES, entry), 'utf8');
  return [...text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(([, names = '', file = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((named) => {
        const [declared = '', name = declared] = named.split(' as ');
        return { name, declared, file: join(dirname(join(SOURCES, entry)), file) };
      }),
  );
}

/** A doc comment must come right before the declaration. */
function isDocumented({ declared: name, file }: Exported): boolean {
  const text = readFileSync(file, 'utf8');
  const declared = new RegExp(`\\*/\\nexport (?:async )?(?:interface|type|const|function|class) ${name}\\b`);
  return declared.test(text);
}

describe('the library', () => {
  it('exports these names, and no others', () => {
    const names = exportsOf('index.ts').map(({ name }) => name);
    expect([...names].sort()).toEqual(LIBRARY.trim().split(/\s+/).sort());
    expect(names.length).toBeLessThanOrEqual(90);
  });

  it('documents each of them', () => {
    const bare = exportsOf('index.ts').filter((one) => !isDocumented(one));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});
