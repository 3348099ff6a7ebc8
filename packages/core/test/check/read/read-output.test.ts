import { expect, test } from 'vitest';
import { type Verdict, verdictOf } from '../../../src/check/read/read-output.ts';
import { MAX_FINDINGS } from '../../../src/check/read/reading.ts';
import type { CheckKind, OutputFormat } from '../../../src/config/check-settings.ts';
import { OUTPUT_FORMATS } from '../../../src/config/check-settings.ts';

interface Given {
  readonly format: OutputFormat;
  readonly kind?: CheckKind;
  readonly exit?: number;
  readonly tool?: string;
  readonly folder?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly file?: string | null;
}

function read({
  format,
  kind = 'lint',
  exit = 1,
  tool = format,
  folder = '',
  stdout = '',
  stderr = '',
  file = null,
}: Given): Verdict {
  return verdictOf(
    { format, kind },
    {
      tool,
      exit,
      stdout: Buffer.from(stdout),
      stderr: Buffer.from(stderr),
      file: file === null ? null : Buffer.from(file),
      paths: { roots: ['/w/project'], folder },
    },
  );
}

/** Path, rule and message of each finding. */
function findings(given: Given): readonly (readonly [string | null, string | null, string])[] {
  return read(given).findings.map(({ path, rule, message }) => [path, rule, message]);
}

test('eslint: errors count, warnings only if they made it fail', () => {
  const file = JSON.stringify([
    {
      filePath: '/w/project/src/a.js',
      messages: [
        { ruleId: 'no-undef', severity: 2, message: "'x' is not defined.", line: 3, column: 7 },
        { ruleId: 'no-console', severity: 1, message: 'Unexpected console statement.', line: 4 },
        { ruleId: null, fatal: true, severity: 2, message: 'Parsing error: Unexpected token' },
      ],
    },
  ]);
  expect(findings({ format: 'eslint', file })).toEqual([
    ['src/a.js', 'no-undef', "'x' is not defined."],
    ['src/a.js', null, 'Parsing error: Unexpected token'],
  ]);
  const warnings = JSON.stringify([
    { filePath: '/w/project/a.js', messages: [{ ruleId: 'w', severity: 1, message: 'm' }] },
  ]);
  expect(read({ format: 'eslint', file: warnings, exit: 0 }).outcome).toBe('passed');
  expect(findings({ format: 'eslint', file: warnings, exit: 1 })).toEqual([['a.js', 'w', 'm']]);
});

test('eslint: nothing printed is a crash, also if it says that it succeeded', () => {
  expect(read({ format: 'eslint', exit: 2, stderr: 'Oops! Something went wrong!' }).outcome).toBe('crashed');
  expect(read({ format: 'eslint', exit: 0 }).outcome).toBe('crashed');
});

test('ruff, mypy and pyright', () => {
  const ruff = JSON.stringify([
    { filename: '/w/project/a.py', code: 'F401', message: '`os` imported but unused', location: { row: 1, column: 8 } },
    { filename: '/elsewhere/b.py', code: null, message: 'SyntaxError: Expected an expression', location: null },
  ]);
  expect(findings({ format: 'ruff', file: ruff })).toEqual([
    ['a.py', 'F401', '`os` imported but unused'],
    [null, null, 'SyntaxError: Expected an expression'],
  ]);
  const mypy = [
    '{"file": "b.py", "line": 2, "column": 4, "message": "Name \\"x\\" is not defined", "hint": null, "code": "name-defined", "severity": "error"}',
    '{"file": "b.py", "line": 2, "column": 4, "message": "See here", "hint": null, "code": null, "severity": "note"}',
    'not JSON',
  ].join('\n');
  expect(findings({ format: 'mypy', stdout: mypy, folder: 'lib' })).toEqual([
    ['lib/b.py', 'name-defined', 'Name "x" is not defined'],
  ]);
  expect(read({ format: 'mypy', exit: 2, stderr: 'usage: mypy' }).outcome).toBe('crashed');
  const pyright = JSON.stringify({
    generalDiagnostics: [
      {
        file: '/w/project/c.py',
        severity: 'error',
        message: '"y" is not a known attribute',
        rule: 'reportAttributeAccessIssue',
      },
      { file: '/w/project/c.py', severity: 'warning', message: 'unused', rule: 'w' },
    ],
    summary: { filesAnalyzed: 1 },
  });
  expect(findings({ format: 'pyright', stdout: pyright })).toEqual([
    ['c.py', 'reportAttributeAccessIssue', '"y" is not a known attribute'],
  ]);
});

test('tsc: global errors, and messages that continue in the next line', () => {
  const stdout =
    'a/b.ts(3,5): error TS2345: Argument of type X.\n  Types are incompatible.\nerror TS5083: Cannot read file "/w/project/x.json".\n';
  expect(findings({ format: 'tsc', stdout, exit: 2 })).toEqual([
    ['a/b.ts', 'TS2345', 'Argument of type X.'],
    [null, 'TS5083', 'Cannot read file "x.json".'],
  ]);
});

test('pytest: failures, parameters, files that cannot be imported; nothing collected', () => {
  const file = `<?xml version="1.0"?><testsuites name="pytest tests"><testsuite tests="4">
<testcase classname="tests.test_a.TestX" name="test_y[2]" file="tests/test_a.py" line="3" time="0.001"><failure message="AssertionError: no &lt;b&gt;&#10;assert 2 == 1">long text <error/></failure></testcase>
<testcase classname="tests.test_a" name="test_ok" file="tests/test_a.py" time="0.0" />
<testcase classname="" name="tests.test_b" file="tests/test_b.py"><error message="collection failure">ImportError</error></testcase>
<testcase classname="tests.test_a" name="test_s" file="tests/test_a.py"><skipped message="later"/></testcase>
</testsuite></testsuites>`;
  const given = { format: 'junit', kind: 'tests', tool: 'pytest', file } as const;
  expect(findings(given)).toEqual([
    ['tests/test_a.py', 'tests.test_a.TestX.test_y[2]', ''],
    ['tests/test_b.py', 'tests.test_b (the tests of the file were not collected)', ''],
  ]);
  expect(read(given).findings[0]?.shown).toBe('tests/test_a.py: tests.test_a.TestX.test_y[2]: AssertionError: no <b>');
  const empty = '<?xml version="1.0"?><testsuites><testsuite tests="0" /></testsuites>';
  expect(read({ ...given, file: empty, exit: 5 }).outcome).toBe('collected-nothing');
  const skipped = '<testsuites><testcase name="a"><skipped/></testcase></testsuites>';
  expect(read({ ...given, file: skipped, exit: 0 }).outcome).toBe('collected-nothing');
  expect(read({ ...given, file: null, exit: 3 }).outcome).toBe('crashed');
});

test('jest: a coverage table in the output does not matter', () => {
  const json = JSON.stringify({
    testResults: [
      {
        name: '/w/project/a.test.js',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'sum adds', status: 'failed', failureMessages: ['Error: no\n    at /w/project/a.test.js:3:1'] },
          { fullName: 'sum waits', status: 'pending', failureMessages: [] },
          { fullName: 'sum works', status: 'passed', failureMessages: [] },
        ],
      },
    ],
  });
  const given = {
    format: 'test-json',
    kind: 'tests',
    tool: 'jest',
    stdout: '-----|---\nFile | %\n',
    file: json,
  } as const;
  expect(findings(given)).toEqual([['a.test.js', 'sum adds', '']]);
  expect(read({ ...given, file: null }).outcome).toBe('crashed');
});

test('go: tests, failures to build in text of old versions and in events of new ones', () => {
  const event = (fields: object): string => `${JSON.stringify(fields)}\n`;
  const stdout =
    event({ Action: 'run', Package: 'x/a', Test: 'TestAdd' }) +
    event({ Action: 'fail', Package: 'x/a', Test: 'TestAdd', Elapsed: 0.01 }) +
    event({ Action: 'fail', Package: 'x/a', Elapsed: 0.1 }) +
    event({ ImportPath: 'x/b', Action: 'build-output', Output: 'b/b.go:3:2: undefined: y\n' }) +
    event({ Action: 'fail', Package: 'x/b', Elapsed: 0 }) +
    '# x/c\nc/c.go:7:9: syntax error\nFAIL\tx/c [build failed]\n';
  expect(findings({ format: 'go-test', kind: 'tests', stdout })).toEqual([
    [null, 'x/a TestAdd', ''],
    ['b/b.go', null, 'undefined: y'],
    ['c/c.go', null, 'syntax error'],
    [null, 'x/b', 'the package failed'],
    [null, 'x/c', 'the package failed'],
  ]);
  const none = event({ Action: 'skip', Package: 'x/a', Elapsed: 0 });
  expect(read({ format: 'go-test', kind: 'tests', stdout: none, exit: 0 }).outcome).toBe('collected-nothing');
  const stderr = '# x/a\n./a.go:5:2: Printf format %d has arg s of wrong type\n';
  expect(findings({ format: 'go-vet', stderr, folder: 'svc' })).toEqual([
    ['svc/a.go', null, 'Printf format %d has arg s of wrong type'],
  ]);
});

test('cargo: errors of the compiler once, and failed tests', () => {
  const message = (level: string, text: string): string =>
    `${JSON.stringify({
      reason: 'compiler-message',
      message: {
        level,
        message: text,
        rendered: text,
        code: level === 'error' ? { code: 'E0308' } : null,
        spans: [{ file_name: 'src/lib.rs', is_primary: true, line_start: 1, column_start: 17 }],
      },
    })}\n`;
  const stdout =
    message('error', 'mismatched types') +
    message('error', 'mismatched types') +
    message('warning', 'unused variable') +
    message('failure-note', 'For more information') +
    '\nrunning 2 tests\ntest tests::works ... FAILED\ntest tests::ok ... ok\n';
  expect(findings({ format: 'cargo', kind: 'tests', stdout, exit: 101 })).toEqual([
    ['src/lib.rs', 'E0308', 'mismatched types'],
    [null, 'tests::works', ''],
  ]);
  expect(read({ format: 'cargo', kind: 'tests', stdout: 'running 0 tests\n', exit: 0 }).outcome).toBe(
    'collected-nothing',
  );
});

test('lines: numbers, colours and times do not identify a failure', () => {
  const [first] = findings({
    format: 'lines',
    stdout: '\x1b[31mError:\x1b[0m 3 of 12 tests failed in 1.2s at 0xdeadbeef (/tmp/x1/y)\n',
  });
  const [second] = findings({
    format: 'lines',
    stdout: 'Error: 4 of 17 tests failed in 33 ms at 0xcafebabe (/tmp/z2/y)\n',
  });
  expect(first).toEqual(second);
  expect(first?.[2]).toContain('Error: <n> of <n> tests failed');
});

const HOSTILE = [
  '',
  'null',
  '[]',
  '{}',
  '[null, 1, "a", {"filePath": 3, "messages": [null, {"severity": 2, "message": {"a": 1}}]}]',
  '{"testResults": [null, {"assertionResults": [{"status": "failed"}], "status": "failed", "name": {"x": 1}}]}',
  '{"generalDiagnostics": [null, {"severity": "error"}], "diagnostics": [null, {"severity": "error"}]}',
  '['.repeat(100_000),
  `{"reason":"compiler-message","message":{"level":"error","message":"\\u001b]0;x\\u0007","spans":"no"}}\n`,
  `<testsuites>${'<testcase name="a"><failure '.repeat(20_000)}`,
  `<testsuites>${'<!--'.repeat(50_000)}`,
  `<testsuites><testcase name="${'&amp;'.repeat(50_000)}"><failure/></testcase>`,
  `<testsuites>${' '.repeat(300_000)}<testcase name="a" ${' a="b"'.repeat(10_000)}><failure/>`,
  `${'a'.repeat(300_000)}(1,1): error TS1: x\n`,
  `${'a/'.repeat(100_000)}x.c:1:1: error\n`,
  `error ${'\x1b['.repeat(100_000)}\n`,
  `test ${'x'.repeat(200_000)} ... FAILED\n`,
  'src/../../../etc/passwd:1: error\n',
];

test.each(OUTPUT_FORMATS)(
  '%s: hostile output is read in bounded time, and is never a success of a failed run',
  (format) => {
    for (const text of HOSTILE) {
      for (const kind of ['tests', 'lint'] as const) {
        const verdict = read({ format, kind, stdout: text, stderr: text, file: text, exit: 1 });
        expect(verdict.outcome, text.slice(0, 80)).not.toBe('passed');
        for (const { path, rule, message, shown } of verdict.findings) {
          expect(path ?? '').not.toMatch(/(?:^|\/)\.\.(?:\/|$)|^\//);
          expect((rule ?? '').length + message.length + shown.length).toBeLessThan(5_000);
        }
      }
    }
  },
);

test('more findings than can be kept are counted', () => {
  const stdout = Array.from({ length: MAX_FINDINGS + 7 }, (_, i) => `a${i}.ts(1,1): error TS1: x\n`).join('');
  const { findings: kept, omitted } = read({ format: 'tsc', stdout });
  expect([kept.length, omitted]).toEqual([MAX_FINDINGS, 7]);
});
