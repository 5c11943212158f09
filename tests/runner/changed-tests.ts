import { execFileSync } from 'node:child_process';
import { ImportGraph } from '../structure/import-graph.ts';
import { PRODUCTION, readSources, type SourceFile, TESTS } from '../structure/source-file.ts';

const git = (root: string, ...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Files that differ from where this branch left `base`, with those that git does not know yet. */
const changedFiles = (root: string, base: string): string[] => {
  const [start = base] = git(root, 'merge-base', base, 'HEAD');
  return [
    ...new Set([...git(root, 'diff', '--name-only', '--diff-filter=d', start), ...git(root, 'ls-files', '--others', '--exclude-standard')]),
  ];
};

/** Tests that read all files of a kind without importing them. */
const READERS: readonly { readonly files: RegExp; readonly tests: RegExp }[] = [
  { files: /^(?:apps|packages)\/[^/]+\/src\/.*\.tsx?$/, tests: /^tests\/unit\/house\// },
  { files: /^(?:docs\/|[^/]+\.md$)/, tests: /^tests\/unit\/(?:docs|house|deploy)\// },
  { files: /^packages\/messages\/locales\//, tests: /^tests\/unit\/(?:messages|docs|contract|house)\// },
  { files: /^drizzle\//, tests: /^tests\/integration\/db\// },
  { files: /^(?:deploy\/|docker-compose|Dockerfile|Procfile)/, tests: /^tests\/unit\/deploy\// },
  { files: /^(?:tests\/run\.ts|tests\/runner\/|ava\.config\.js$)/, tests: /^tests\/unit\/runner\// },
];

/** How a file of the catalogue is named where it is imported. */
const importNameOf = (file: string): string => file.replace(/^packages\/([^/]+)\/locales\//, '@sheaf/$1/locales/');

/**
 * Of `sources`, the tests and their helpers that name one of `files` in full, by its path or as an import of a catalogue: they read it.
 * The English catalogue that production code imports is no reason: then every test would read it.
 */
export const filesThatName = (files: readonly string[], sources: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] => {
  const names = files.flatMap((file) => [file, importNameOf(file)]);
  return sources.filter(({ path, text }) => path.startsWith('tests/') && names.some((name) => text.includes(name))).map(({ path }) => path);
};

/**
 * These files of `sources` with all that import them, directly or not. What lies in tests/fixtures is started or read by its path, so
 * whoever names it counts as its importer.
 */
export const dependentsOf = (
  files: readonly string[],
  graph: ImportGraph,
  sources: readonly Pick<SourceFile, 'path' | 'text'>[],
): Set<string> => {
  let reached = graph.importersOf(files);
  for (;;) {
    const fixtures = [...reached].filter((file) => file.startsWith('tests/fixtures/')).map((file) => file.slice('tests/'.length));
    const named = filesThatName(fixtures, sources).filter((file) => !reached.has(file));
    if (named.length === 0) return reached;
    reached = graph.importersOf([...reached, ...named]);
  }
};

/** Of `tests`, those that changed, or import or read a changed file, and the changed files that no test is known to read. */
export const selectChanged = (root: string, base: string, tests: readonly string[]): { tests: string[]; outside: string[] } => {
  const sources = readSources(root, [PRODUCTION, TESTS]);
  const graph = new ImportGraph(root, sources);
  const changed = changedFiles(root, base);
  const unimported = changed.filter((file) => !graph.has(file));
  const reached = dependentsOf([...changed, ...filesThatName(unimported, sources)], graph, sources);
  const readers = READERS.filter(({ files }) => changed.some((file) => files.test(file)));
  return {
    tests: tests.filter((test) => reached.has(test) || readers.some((reader) => reader.tests.test(test))),
    outside: unimported.filter((file) => !READERS.some(({ files }) => files.test(file)) && filesThatName([file], sources).length === 0),
  };
};
