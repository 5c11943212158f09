import { dirname, join, normalize } from 'node:path';
import { countDuplicatedPairs } from './duplicates.ts';
import { ImportGraph } from './import-graph.ts';
import { type Size, sizesOfInterfaces } from './interfaces.ts';
import type { SourceFile } from './source-file.ts';

export const MAX_MEMBERS = 8;
export const MAX_NAMES = 60;
export const MAX_LINES = 400;
/** A file with fewer lines and one importer in its folder belongs into that importer. */
export const MIN_LINES = 40;

/** Written by `npm run messages`, and one table of all endpoints. */
const LONG_BY_NATURE: readonly string[] = ['packages/messages/src/message-arguments.ts', 'packages/contract/src/interface.ts'];

/** Parts of screens that would make the file that imports them too long. The list only shrinks. */
const SMALL_BY_NATURE: readonly string[] = [
  'apps/web/src/app/messages.tsx',
  'apps/web/src/screens/document/download/download-menu.tsx',
  'apps/web/src/screens/documents/removal-dialog.tsx',
  'apps/web/src/screens/ingest/split-links.tsx',
  'apps/web/src/screens/page-editor/save-problem.tsx',
  'packages/extraction/src/pdf/pdf-text-layer.ts',
];

const byMembers = (sizes: readonly Size[]): Size[] => sizes.toSorted((a, b) => b.members - a.members);

/** The indexes of packages by the names that they export, the largest first. */
export const sizesOfIndexes = (production: readonly SourceFile[]): Size[] =>
  byMembers(
    production.flatMap(({ path, exports }) => {
      const [, name] = /^(packages\/[^/]+)\/src\/index\.ts$/.exec(path) ?? [];
      return name === undefined ? [] : [{ name, path, members: exports.length }];
    }),
  );

/** Files by their lines, the longest first, without those that are long by nature. */
export const sizesOfFiles = (production: readonly SourceFile[]): Size[] =>
  byMembers(
    production
      .filter(({ path }) => !LONG_BY_NATURE.includes(path))
      .map(({ path, text }) => ({ name: path, path, members: text.split('\n').length - 1 })),
  );

/**
 * Files under `MIN_LINES` that only one file imports, which is in their folder, with what imports them. A plain module that a screen or
 * a hook imports may stay small: tests read it without a browser.
 */
export const smallFilesOfOne = (root: string, production: readonly SourceFile[]): string[] => {
  const graph = new ImportGraph(root, production);
  const importers = new Map<string, Set<string>>();
  for (const { path } of production.filter((source) => !/\/(?:index|testing)\.ts$/.test(source.path)))
    for (const to of graph.importsOf(path)) importers.set(to, (importers.get(to) ?? new Set()).add(path));
  return production.flatMap(({ path, text }) => {
    const [importer, ...others] = importers.get(path) ?? [];
    if (importer === undefined || others.length > 0 || dirname(importer) !== dirname(path)) return [];
    if (text.split('\n').length - 1 >= MIN_LINES || SMALL_BY_NATURE.includes(path)) return [];
    const isTestedAlone = path.startsWith('apps/web/') && path.endsWith('.ts');
    return isTestedAlone ? [] : [`${path} has fewer than ${MIN_LINES} lines and one importer: put it into ${importer}`];
  });
};

/** Figures of the house that may not get worse: `RECORDED` holds the best so far. Lower it when one gets better; raise it only with the reason in the commit. */
export interface HouseFigures {
  readonly packages: number;
  readonly files: number;
  readonly smallFilesOfOne: number;
  readonly packagesThatKnowArchiveNumber: number;
  readonly deepImports: number;
  readonly duplicatedPairs: number;
}

export const RECORDED: HouseFigures = {
  packages: 28,
  files: 1_115,
  smallFilesOfOne: 6,
  packagesThatKnowArchiveNumber: 8,
  deepImports: 0,
  duplicatedPairs: 76,
};

const partOf = (path: string): string => path.split('/').slice(0, 2).join('/');

export const figuresOf = (root: string, production: readonly SourceFile[], tests: readonly SourceFile[]): HouseFigures => ({
  packages: new Set(production.map(({ path }) => partOf(path)).filter((part) => part.startsWith('packages/'))).size,
  files: production.length,
  smallFilesOfOne: smallFilesOfOne(root, production).length + SMALL_BY_NATURE.length,
  packagesThatKnowArchiveNumber: new Set(production.filter(({ text }) => /\barchive_?number/i.test(text)).map(({ path }) => partOf(path)))
    .size,
  deepImports: deepImports(tests).length,
  duplicatedPairs: countDuplicatedPairs(production),
});

/** The figures that are worse than those recorded, each in a line with both. */
export const worseFigures = (today: HouseFigures, recorded: HouseFigures = RECORDED): string[] =>
  Object.entries(recorded).flatMap(([name, best]) => {
    const now = today[name as keyof HouseFigures];
    return now > best ? [`${name}: ${now}, it was ${best}`] : [];
  });

/** Whether a test may import a file of an app or a package by its path. */
export const mayImportDeep = (text: string): boolean => /['"]\.[./]*\/(?:apps|packages)\//.test(text);

/** A test and a file of an app or a package that it imports by its path. */
export const deepImports = (tests: readonly SourceFile[]): string[] => [
  ...new Set(
    tests.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('.') && normalize(join(dirname(path), from)).match(/^(?:apps|packages)\//) !== null)
        .map(({ from }) => `${path} imports ${from}: use @sheaf/NAME or @sheaf/NAME/testing`),
    ),
  ),
];

/** What is over a limit, each in a line. `tests`: at least those for which `mayImportDeep` is true. */
export const findOffenders = (root: string, production: readonly SourceFile[], tests: readonly SourceFile[]): string[] => {
  const over = (sizes: readonly Size[], limit: number, what: string): string[] =>
    sizes
      .filter(({ members }) => members > limit)
      .map(({ name, path, members }) => `${name} (${path}): ${members} ${what}, limit ${limit}`);
  return [
    ...over(sizesOfInterfaces(production), MAX_MEMBERS, 'members'),
    ...over(sizesOfIndexes(production), MAX_NAMES, 'names'),
    ...over(sizesOfFiles(production), MAX_LINES, 'lines'),
    ...smallFilesOfOne(root, production),
    ...deepImports(tests),
    ...new ImportGraph(root, production).cycles().map((paths) => `circle of imports: ${paths.join(', ')}`),
  ];
};
