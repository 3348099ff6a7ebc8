/** Import and export declarations. */

import type { Node, Program } from 'oxc-parser';
import type { OpenImport } from './names.ts';
import { bindPattern } from './nodes.ts';
import type { Reading } from './reading.ts';

/** Records the declarations of a file. They stand at its top level only. */
export function readModuleDeclarations(program: Program, reading: Reading): void {
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') readImport(node, reading);
    else if (node.type === 'ExportNamedDeclaration') readExport(node, reading);
    else if (node.type === 'ExportAllDeclaration') readExportAll(node, reading);
    else if (node.type === 'ExportDefaultDeclaration') readDefault(node, reading);
    else if (node.type === 'TSImportEqualsDeclaration') readImportEquals(node, reading);
    else if (node.type === 'TSExportAssignment') readAssignment(node, reading);
  }
}

type NodeOf<Type extends Node['type']> = Extract<Node, { readonly type: Type }>;

function readImport(node: NodeOf<'ImportDeclaration'>, reading: Reading): void {
  const isType =
    node.importKind === 'type' ||
    (node.specifiers.length > 0 &&
      node.specifiers.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type'));
  const read = reading.addImport(isType ? 'type' : 'static', node.source.value, node.start);
  for (const one of node.specifiers) {
    const name =
      one.type === 'ImportSpecifier'
        ? exportName(one.imported)
        : one.type === 'ImportDefaultSpecifier'
          ? 'default'
          : '*';
    const bound = reading.nameOf(name, one.local.name, null, one.start);
    read.names.push(bound);
    reading.module.bind(one.local.name, bound);
  }
}

function readExport(node: NodeOf<'ExportNamedDeclaration'>, reading: Reading): void {
  if (node.source !== null) {
    const read = reading.addImport(node.exportKind === 'type' ? 'type' : 'static', node.source.value, node.start);
    for (const one of node.specifiers) passOn(read, exportName(one.local), exportName(one.exported), one, reading);
    return;
  }
  for (const one of node.specifiers) reading.addExport(exportName(one.exported), exportName(one.local), one);
  const declared = node.declaration;
  if (declared === null) return;
  if (declared.type === 'VariableDeclaration') {
    for (const { id } of declared.declarations) bindPattern(id, (name, at) => reading.addExport(name, name, at));
  } else if ('id' in declared && declared.id?.type === 'Identifier') {
    reading.addExport(declared.id.name, declared.id.name, declared.id);
  }
}

function readExportAll(node: NodeOf<'ExportAllDeclaration'>, reading: Reading): void {
  const read = reading.addImport(node.exportKind === 'type' ? 'type' : 'static', node.source.value, node.start);
  passOn(read, '*', node.exported === null ? '*' : exportName(node.exported), node, reading);
}

function readDefault(node: NodeOf<'ExportDefaultDeclaration'>, reading: Reading): void {
  const { declaration } = node;
  const name =
    declaration.type === 'Identifier'
      ? declaration.name
      : 'id' in declaration && declaration.id?.type === 'Identifier'
        ? declaration.id.name
        : 'default';
  reading.addExport('default', name, node);
}

function readImportEquals(node: NodeOf<'TSImportEqualsDeclaration'>, reading: Reading): void {
  if (node.moduleReference.type !== 'TSExternalModuleReference') {
    reading.module.bind(node.id.name);
    return;
  }
  const kind = node.importKind === 'type' ? 'type' : 'static';
  const read = reading.addImport(kind, node.moduleReference.expression.value, node.start);
  const bound = reading.nameOf('*', node.id.name, null, node.id.start);
  read.names.push(bound);
  reading.module.bind(node.id.name, bound);
}

function readAssignment(node: NodeOf<'TSExportAssignment'>, reading: Reading): void {
  reading.hasHiddenExports = true;
  reading.addExport('default', node.expression.type === 'Identifier' ? node.expression.name : 'default', node);
}

function passOn(read: OpenImport, name: string, exportedAs: string, at: Node, reading: Reading): void {
  read.names.push(reading.nameOf(name, null, exportedAs, at.start));
}

function exportName(node: Node): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : '';
}
