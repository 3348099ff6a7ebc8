/** What a source file says about itself, without looking at any other file. It depends on nothing but the bytes of the file. */

/**
 * - `static`: an import that is always carried out
 * - `type`: an import of types only
 * - `dynamic`: an import in an expression, such as `import('./x')`
 * - `text`: a dotted name in a string, such as `mock.patch("package.module.name")`
 */
export type ImportKind = 'static' | 'type' | 'dynamic' | 'text';

/** One name that a file takes from another. */
export interface ImportedName {
  /** As the other file exports it. `*`: everything. */
  readonly name: string;
  /** As this file calls it. Null: it has no name here, or only passes it on. */
  readonly local: string | null;
  /** As this file passes it on (`export { a as b } from`); null: it does not. `*`: under the names that they have there. */
  readonly exportedAs: string | null;
  /** From 1. */
  readonly line: number;
  /** If `name` is `*` or the name may be that of a module: the members of it that this file uses, and where. */
  readonly members: readonly Use[];
}

/** One import declaration. */
export interface Import {
  readonly kind: ImportKind;
  /**
   * The other file as written: `./a.js`, `react`, `..package.module`, `example.com/module/package`. Of the kind `text`: the
   * whole dotted name, and `names` is empty.
   */
  readonly from: string;
  readonly names: readonly ImportedName[];
  /** From 1. */
  readonly line: number;
  /** Whether the code provides for the case that it fails, such as in a `try`. */
  readonly isGuarded: boolean;
}

/** A name that other files can import. */
export interface Export {
  readonly name: string;
  /** The name of its definition in this file; null: it has none, or it is passed on from another file. */
  readonly local: string | null;
  /** From 1. */
  readonly line: number;
}

export const DEFINITION_KINDS = ['function', 'class', 'method', 'type', 'variable', 'module'] as const;

export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

/** Something that a file defines. */
export interface Definition {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** The class, type or module that it belongs to; null: the file. */
  readonly container: string | null;
  /** First and last line, from 1. */
  readonly line: number;
  readonly endLine: number;
  /** Its head without its body, with spaces normalised: what users of it depend on. */
  readonly signature: string;
  /** How many arguments a call may have; null: it cannot be called, or it is not known. `most` null: any number. */
  readonly arity: Arity | null;
  /** Whether it may have members that cannot be seen, such as inherited ones. Absent: no. */
  readonly hasHiddenMembers?: boolean;
  /**
   * What it is (a variable, a property, another name of a type), or what a call of it gives after `(`: as in `accesses`.
   * `[` before it is a list of it, `~` a promise, and `^` the object whose member this is. Absent: not known.
   */
  readonly type?: string;
  /** The types that all its hidden members come from. Absent: not known. */
  readonly bases?: readonly string[];
}

export interface Arity {
  readonly least: number;
  /** Null: any number. */
  readonly most: number | null;
  /** In languages where arguments may be given by name; without the object of a method. */
  readonly parameters?: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  /** How it is given: by its place only, by its name only, either; `rest`: any more by place; `names`: any more by name. */
  readonly by: 'place' | 'name' | 'either' | 'rest' | 'names';
}

/** One call of a name, or of a member. */
export interface Call {
  /** From 1. */
  readonly line: number;
  readonly arguments: number;
  /** The names of those that are given by name. Absent: none. */
  readonly names?: readonly string[];
  /** Whether there may be more arguments, such as by `...rest`. */
  readonly isOpen: boolean;
}

/** Where a file uses a name. */
export interface Use {
  readonly name: string;
  /** From 1; the first ones, and at most 20. */
  readonly lines: readonly number[];
  /** All of them. */
  readonly count: number;
  /** The calls among them: the first ones, and some with each number of arguments. Absent: none, or the language does not tell. */
  readonly calls?: readonly Call[];
}

export interface SyntaxProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

export interface FileFacts {
  readonly language: string;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  /** Whether it may export names that cannot be seen, such as by `module.exports = f()` or `__getattr__`. */
  readonly hasHiddenExports: boolean;
  /** The exports that an import of `*` takes. Absent: all of them, or as the language has it. */
  readonly starNames?: readonly string[];
  readonly definitions: readonly Definition[];
  /** Names that it uses and does not bind itself, and names of its own definitions. */
  readonly uses: readonly Use[];
  /** Members that it uses of anything: `x.name`. */
  readonly memberUses: readonly Use[];
  /** Names that it gives to members of anything: of classes, types, objects. Absent: the language does not tell. */
  readonly memberNames?: readonly string[];
  /**
   * Members of things whose type can be known: a name of the file, `:` in front of it if it is a type, then `.name` for a
   * member, `()` for a call, `[]` for an element, `~` for what a promise gives. Absent: the language does not tell.
   */
  readonly accesses?: readonly Use[];
  /** What the file declares globally or in other modules, such as interfaces to which it adds members. Absent: nothing. */
  readonly augmented?: readonly string[];
  /** Of `accesses`: those whose object the code has checked to be of a narrower type. Absent: none. */
  readonly narrowed?: readonly string[];
  /** Lines, from 1, where the code says that it expects an error (`@ts-expect-error`). Absent: none. */
  readonly expectedErrors?: readonly number[];
  /** Whether it has neither imports nor exports, so that nothing can be imported from it. Absent: no, or not known. */
  readonly isScript?: boolean;
  readonly problems: readonly SyntaxProblem[];
}
