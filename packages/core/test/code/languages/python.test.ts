import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import type { FactExtractor } from '../../../src/code/language.ts';
import { PYTHON } from '../../../src/code/languages/python/language.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { extractorOf, resolved, summary, treeOf } from './summary.ts';

let extract: FactExtractor;
beforeAll(async () => {
  extract = await extractorOf(PYTHON);
});

const factsOf = (source: string) => extract(new TextEncoder().encode(source), 'a.py' as TreePath);
const problemsOf = (source: string) => factsOf(source).problems.map(({ line }) => line);

it('says all of a file', () => {
  const facts = extract(readFileSync(new URL('fixtures/everything.py', import.meta.url)), 'everything.py' as TreePath);
  expect(facts.starNames).toEqual(['Widget', 'make', 'LIMIT']);
  expect(facts.hasHiddenExports).toBe(false);
  expect(summary(facts)).toMatchInlineSnapshot(`
    {
      "definitions": [
        "16-16 variable json: json",
        "21-21 variable __all__: __all__",
        "24-24 variable LIMIT: LIMIT: int",
        "27-47 class Widget (1-2): class Widget(models.Base)",
        "30-30 variable Widget.kind: kind",
        "32-34 method Widget.__init__ (1-2): def __init__(self, name, *, size=LIMIT)",
        "33-33 variable Widget.name: name",
        "34-34 variable Widget._size: _size",
        "37-38 method Widget.size: @property def size(self) -> int",
        "41-41 method Widget.parse (1-2): @staticmethod def parse(text, strict=False)",
        "44-44 method Widget.load (1-any): @classmethod async def load(cls, path, *rest)",
        "47-47 method Widget.decorated: @some.decorator def decorated(self)",
        "50-64 function make (1-any): def make(shape: "Shape", other: Optional["sibling.Thing"] = None, /, **options) -> Widget",
        "67-73 function generic (1-1): def generic[T: int](value: T) -> T",
      ],
      "exports": [
        "21 __all__",
        "24 LIMIT",
        "27 Widget",
        "50 make",
        "67 generic",
      ],
      "imports": [
        "4 static os | * as os > os {path 59}",
        "5 static package.models | * as models > models {Base 27, Point 69}",
        "6 static package.nested.deep | * as package.nested.deep {go 60}",
        "7 static typing | TYPE_CHECKING > TYPE_CHECKING | Optional > Optional",
        "9 static . | sibling > sibling {Thing 52}",
        "10 static ..other | helper as renamed > renamed | CONSTANT > CONSTANT",
        "11 static .star | * as - > *",
        "14 static guarded fast_json | * as json > json",
        "19 type .types | Shape > Shape",
        "56 dynamic package.late | * as late {call 59}",
        "62 text package.models.Base.save",
        "64 dynamic package.plugin | * as -",
        "59 text os.path.join",
      ],
      "memberUses": [
        "Base 27",
        "_size 38",
        "decorator 46",
        "width 58",
        "items 58",
        "call 59",
        "join 59",
        "path 59",
        "go 60",
        "deep 60",
        "nested 60",
        "dynamic_name 61",
        "load 62",
        "object 62",
        "import_module 64",
        "x 69",
      ],
      "problems": [],
      "uses": [
        "TYPE_CHECKING 18",
        "Widget 21 55 62",
        "make 21",
        "LIMIT 22 32",
        "CONSTANT 24",
        "models 27 69",
        "some 46",
        "Shape 51",
        "Optional 52",
        "sibling 52",
        "renamed 59",
        "os 59",
        "package 60",
        "patch 62 (2)",
        "importlib 64",
        "undefined_name 73",
      ],
    }
  `);
});

it.each([
  ['def __getattr__(name): ...', true],
  ['globals()["x"] = 1', true],
  ['globals().update(values)', true],
  ['import sys\nsys.modules[__name__] = Lazy()', true],
  ['__getattr__, __dir__, __all__ = attach(__name__)', true],
  ['def f():\n    return globals()', false],
  ['class A:\n    def __getattr__(self, name): ...', false],
])('%j may export names that cannot be seen: %s', (source, expected) => {
  expect(factsOf(source).hasHiddenExports).toBe(expected);
});

it('does not know __all__ if parts of it are computed', () => {
  expect(factsOf('__all__ = ["a"]\n__all__ += other.__all__\n').starNames).toBeUndefined();
  expect(factsOf('__all__ = ["a"]\n__all__.extend(["b"])\n').starNames).toEqual(['a', 'b']);
  expect(factsOf('a = 1\n').starNames).toBeUndefined();
});

it.each([
  ['def f(a):\n    return a', []],
  ['def f():\n    global g\n    g = 1\n    return g', ['g']],
  ['class A:\n    x = 1\n    y = x\n    def f(self): return x', ['x']],
  ['class A:\n    x = [1]\n    y = [x for _ in x]', []],
  ['f = lambda a, b=c: a + b', ['c']],
  ['def f():\n    try: ...\n    except Error as e: print(e)', ['Error']],
  ['with a() as (b, c): b(c)', ['a', 'b', 'c']],
  ['for a.b, c[d] in e: ...', ['a', 'c', 'd', 'e']],
  ['def f(n):\n    def g():\n        nonlocal n\n        n = 1\n    return g', []],
  ['type Pair[T] = tuple[T, U]', ['U']],
  ['def f[T](a: T) -> T: ...', []],
  ['print(len([]), __name__)', []],
  ['f(key=value)', ['f', 'value']],
  ['x: "Unknown | other.Thing" = 1', []],
  ['class Known: ...\nx: "Known"', ['Known']],
])('the names that %j uses and does not bind itself are %j', (source, expected) => {
  expect(factsOf(source).uses.map(({ name }) => name)).toEqual(expected);
});

it('follows members of members of an imported package as a dotted name', () => {
  const source = 'import a\nimport a.b\nfrom . import c\n\na.x.y()\na.b.z()\nc.d.e()\n';
  expect(summary(factsOf(source))['imports']).toEqual([
    '1 static a | * as a > a {x 5, b 6}',
    '2 static a.b | * as a.b {z 6}',
    '3 static . | c > c {d 7}',
    '5 text a.x.y',
    '6 text a.b.z',
    '7 text .c.d.e',
  ]);
});

it.each([
  'def f(:\n    pass\n',
  'x = (1,\n',
  'class A\n    pass\n',
  '<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n',
  'x = "abc\n',
  'if x:\n    # nothing\nelse:\n    pass\n',
  'def f():\n',
])('%j has a syntax error', (source) => {
  expect(problemsOf(source).length).toBeGreaterThan(0);
});

it.each([
  'print "old"\n',
  'try: ...\nexcept A, B: ...\n',
  'x = t"Hello {name}"\n',
  'lazy import json\n',
  'x = [*a for a in b]\n',
  'match x:\n    case {"a": [b, *_], **rest} if b: ...\n',
  'async def f():\n    async with (a as b, c as d): ...\n',
  'def f(a, /, b, *, c): ...\n',
  'x = f"{a!r:>{width}} {"nested"}"\n',
  'type X[*Ts, **P = [int]] = int\n',
  '',
  '\ufeffx = 1\n',
  'x = 1\r\ny = 2\r\n',
])('%j has none', (source) => {
  expect(problemsOf(source)).toEqual([]);
});

it('counts arguments by place and by name', () => {
  const source = `from dataclasses import dataclass, field
@dataclass(frozen=True)
class A:
    a: int
    b: str = "x"
    c: ClassVar[int] = 1
    d: list = field(default_factory=list)
    e: int = field(init=False)
class B(A): ...
@dataclass(kw_only=True)
class C:
    a: int
class D:
    def m(self, x, *, y=2): self.z = 1
def f(a, /, b, *c, d, e=1, **g): ...
f(1, 2, d=3)
f(*a)
o.m(1, y=2)
o.attribute = Mock(total=1)
`;
  const { definitions, uses, memberUses, memberNames } = factsOf(source);
  const arities = definitions.flatMap(({ name, arity, hasHiddenMembers }) => {
    if (arity === null && hasHiddenMembers === undefined) return [];
    const parameters = (arity?.parameters ?? []).map((each) => `${each.name}${each.isOptional ? '?' : ''} ${each.by}`);
    return [`${name} ${arity?.least}-${arity?.most} ${parameters.join(', ')}${hasHiddenMembers ? ' hidden' : ''}`];
  });
  expect(arities).toEqual([
    'A 1-3 a either, b? either, d? either',
    'B undefined-undefined  hidden',
    'm 1-2 x either, y? name',
    'f 3-null a place, b either, c? rest, d name, e? name, g? names',
  ]);
  expect(uses.find(({ name }) => name === 'f')?.calls).toEqual([
    { line: 16, arguments: 3, isOpen: false, names: ['d'] },
    { line: 17, arguments: 0, isOpen: true },
  ]);
  expect(memberUses.find(({ name }) => name === 'm')?.calls).toEqual([
    { line: 18, arguments: 2, isOpen: false, names: ['y'] },
  ]);
  expect(memberNames).toEqual(['z', 'attribute', 'total']);
});

const tree = {
  'pyproject.toml': '[tool.setuptools.packages.find]\nwhere = ["code"]\n',
  'code/app/__init__.py': '',
  'code/app/main.py': '',
  'code/app/sub/__init__.pyi': '',
  'code/app/sub/fast.pyx': '',
  'code/app/json/__init__.py': '',
  'code/spread/part/one.py': '',
  'tests/test_main.py': '',
  'tests/helper.py': '',
  'tests/data/plugin/__init__.py': '',
  'tests/data/other/setup.py': '',
  'tests/data/other/frozen.py': '',
  'examples/shop/setup.py': '',
  'examples/shop/src/shop/__init__.py': '',
  'examples/shop/tests/__init__.py': '',
  'examples/shop/tests/test_shop.py': '',
};

it.each([
  ['code/app/main.py', '.', 'code/app/__init__.py'],
  ['code/app/main.py', '.sub', 'code/app/sub/__init__.pyi'],
  ['code/app/main.py', '.sub.fast', 'unknown'],
  ['code/app/main.py', '.gone', 'missing'],
  ['code/app/main.py', '....far', 'unknown'],
  ['code/app/sub/__init__.pyi', '..main', 'code/app/main.py'],
  ['code/app/main.py', 'app.main', 'code/app/main.py'],
  ['code/app/main.py', 'app.gone', 'missing'],
  ['code/app/main.py', 'json', 'outside'],
  ['code/app/main.py', 'requests', 'outside'],
  ['code/app/main.py', 'spread.part.one', 'code/spread/part/one.py'],
  ['code/app/main.py', 'spread.part.two', 'missing'],
  ['code/app/main.py', 'spread.elsewhere.two', 'unknown'],
  ['code/app/main.py', 'spread', 'unknown'],
  ['tests/test_main.py', 'app', 'code/app/__init__.py'],
  ['tests/test_main.py', 'helper', 'tests/helper.py'],
  ['code/app/main.py', 'helper', 'outside'],
  ['tests/test_main.py', 'plugin', 'tests/data/plugin/__init__.py'],
  ['code/app/main.py', 'plugin', 'outside'],
  ['tests/test_main.py', 'frozen', 'outside'],
  ['tests/data/other/frozen.py', 'frozen', 'tests/data/other/frozen.py'],
  ['examples/shop/tests/test_shop.py', 'shop', 'examples/shop/src/shop/__init__.py'],
  ['examples/shop/tests/test_shop.py', 'tests.test_shop', 'examples/shop/tests/test_shop.py'],
])('%s: %s leads to %s', (importer, from, expected) => {
  expect(resolved(PYTHON, tree, importer, from)).toBe(expected);
});

it('finds modules as names of packages, and in dotted text', () => {
  const resolver = PYTHON.resolverOf(treeOf(tree));
  const importer = 'tests/test_main.py' as TreePath;
  expect(resolver.resolveName?.(importer, 'app', 'main')).toEqual({ to: 'files', paths: ['code/app/main.py'] });
  expect(resolver.resolveName?.(importer, 'app', 'gone')).toEqual({ to: 'missing' });
  expect(resolver.resolveName?.('code/app/main.py' as TreePath, '.', 'sub')).toEqual({
    to: 'files',
    paths: ['code/app/sub/__init__.pyi'],
  });
  expect(resolver.resolveText?.(importer, 'app.main.Class.method')).toEqual({
    paths: ['code/app/main.py'],
    rest: ['Class', 'method'],
  });
  expect(resolver.resolveText?.(importer, 'app.gone')).toEqual({ paths: ['code/app/__init__.py'], rest: ['gone'] });
  expect(resolver.resolveText?.(importer, 'example.com')).toBeNull();
});

it('knows members of its own types, which prove nothing', () => {
  const own = ['encode', 'append', 'items', 'read_text', 'group', 'join', 'strftime'];
  expect(own.filter((name) => PYTHON.ownMembers?.has(name) !== true)).toEqual([]);
  expect(PYTHON.ownMembers?.has('handle_pip_version_check')).toBe(false);
});
