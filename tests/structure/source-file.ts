import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** What a file imports from one place, or exports again from there. */
export interface Import {
  readonly from: string;
  /** The names; undefined where the whole module is imported. */
  readonly names: readonly string[] | undefined;
  /** Nothing of it is left at run time. */
  readonly isType: boolean;
}

export interface SourceFile {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** The names that it exports, its own and those of others. */
  readonly exports: readonly string[];
}

interface Entry {
  readonly isType: boolean;
  readonly importName: { readonly kind: string; readonly name: string | null };
}

const toImport = (from: string, entries: readonly Entry[]): Import => ({
  from,
  names: entries.some(({ importName: { kind } }) => kind === 'NamespaceObject' || kind === 'All' || kind === 'AllButDefault')
    ? undefined
    : entries.map(({ importName: { kind, name } }) => (kind === 'Default' ? 'default' : (name ?? ''))),
  isType: entries.length > 0 && entries.every(({ isType }) => isType),
});

const parse = (path: string, text: string): SourceFile => {
  const { module } = parseSync(path, text);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const passedOn = Map.groupBy(
    exported.filter(({ moduleRequest }) => moduleRequest !== null),
    ({ moduleRequest }) => moduleRequest?.value ?? '',
  );
  return {
    path,
    text,
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries }) => toImport(moduleRequest.value, entries)),
      ...[...passedOn].map(([from, entries]) => toImport(from, entries)),
      ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
        from: text.slice(start + 1, end - 1),
        names: undefined,
        isType: false,
      })),
    ],
    exports: exported.map(({ exportName }) => exportName.name ?? 'default'),
  };
};

export const PRODUCTION = '{apps,packages}/*/src/**/*.{ts,tsx}';
export const TESTS = 'tests/**/*.ts';

/** The files below `root` that match, parsed. */
export const readSources = (root: string, patterns: readonly string[]): SourceFile[] =>
  globSync([...patterns], { cwd: root, exclude: (name) => name.includes('node_modules') }).map((path) =>
    parse(path, readFileSync(join(root, path), 'utf8')),
  );
