import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/code/languages/table.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { extractorOf } from './summary.ts';

/** For each language: sources with the line of their first syntax error; null: none. */
const SOURCES: Readonly<Record<string, readonly (readonly [source: string, line: number | null])[]>> = {
  go: [
    ['package a\n\nfunc f() {\n', 3],
    ['package a\n\nfunc f( {\n}\n', 3],
    ['package a\n\nfunc Map[T any](x T) (y T) { for range 3 {}; return }\n', null],
  ],
  rust: [
    ['fn f() {\n    let x = ;\n}\n', 2],
    [
      'fn f<const N: usize>(x: impl Fn(&str) -> bool) -> Result<(), Box<dyn Error>> { let Some(y) = z else { return }; Ok(()) }\n',
      null,
    ],
  ],
  java: [
    ['class A {\n    void f( {}\n}\n', 2],
    [
      'sealed interface A permits B {}\nrecord B(int x) implements A { B { if (x < 0) throw new E("""\n  text\n  """); } }\n',
      null,
    ],
  ],
  c: [
    ['int f(void) {\n    return (1;\n}\n', 3],
    ['int f(void) {\n', 1],
    ['int f(void) {\n#ifdef A\n#endif\n}\nint g(void) { return (1; }\n', 5],
    ['#define BEGIN {\nint f(void) BEGIN return 1; }\n', 2],
    ['#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n}\n', null],
    ["SOME_MACRO(x)\nMODULE_EXPORT int f(void) { return ')' + '\"'; } /* ( */ // {\n", null],
  ],
  cpp: [
    ['class A {\n  void f() { if (x) { }\n};\n', 1],
    ['class EXPORT_A A final : public B { auto f() -> int { return R"x(")))x"[0]; } };\n', null],
  ],
  csharp: [
    ['class A {\n    void F() { G(; }\n}\n', 2],
    ['class A {\n    void F() {\n}\n', 1],
    ['class A { int[] f = [1, 2, .. rest]; string s = $"{x switch { > 1 => "a", _ => "b" }}"; }\n', null],
  ],
  ruby: [
    ['class A\n  def f\n    x = (1\n  end\nend\n', 3],
    ['def f(a, b: 1, **) = g(a) { |x| x => {y:}; <<~TEXT }\n  text\nTEXT\n', null],
  ],
  php: [
    ['<?php\nfunction f( {\n}\n', 2],
    [
      '<?php\nenum A: string { case B = "b"; }\n$f = fn (int|string $x): ?A => $x?->y ?? match (true) { default => A::B };\n?>\n<b>text</b>\n',
      null,
    ],
  ],
  'common-lisp': [
    ['(defun a ()\n  (list 1 2)\n\n(defun b ()\n  2)\n', 2],
    ['(defun a ())\n(defun b ()))\n', 2],
    ['(defun a ()\n  "never closed)\n', 2],
    ['#| never closed\n(defun a ())\n', 1],
    ['(eval-when (:load-toplevel)\n(defun a () #\\( #\\) "(" |(| ; (\n  #| ( |# nil))\n', null],
  ],
  'emacs-lisp': [
    ['(defun a ()\n  (list ?\\( 2)\n\n;; text\n(defun b ()\n  2)\n', 2],
    ['(defvar a [1 ?\\] ?( ?\\" "\\"("])\n', null],
  ],
};

describe.each(Object.entries(SOURCES))('%s', (id, sources) => {
  it.each(sources)('%j: %s', async (source, line) => {
    const extract = await extractorOf(LANGUAGES.find((each) => each.id === id)!);
    const { problems } = extract(new TextEncoder().encode(source), 'a' as TreePath);
    expect(problems[0]?.line ?? null, JSON.stringify(problems)).toBe(line);
  });
});
