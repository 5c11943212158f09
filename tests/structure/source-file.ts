import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { type DependencyInterface, dependencyInterfacesOf } from './interfaces.ts';

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
  readonly interfaces: readonly DependencyInterface[];
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

export const parseSource = (path: string, text: string): SourceFile => {
  const parsed = parseSync(path, text);
  const { module } = parsed;
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
    interfaces: dependencyInterfacesOf(text, () => parsed.program),
  };
};

export const PRODUCTION = '{apps,packages}/*/src/**/*.{ts,tsx}';
export const TESTS = 'tests/**/*.ts';

/** The files below `root` that match and whose text is wanted, parsed; without those that tests of the linter write for a moment. */
export const readSources = (root: string, patterns: readonly string[], isWanted = (_text: string): boolean => true): SourceFile[] =>
  globSync([...patterns], { cwd: root, exclude: (name) => /node_modules|lint-trial-/.test(name) }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return isWanted(text) ? [parseSource(path, text)] : [];
  });
