// Prints how the code is built, beside the targets; computed from the sources, so that it shows whether a change helped.
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { VARIABLES } from '@sheaf/config';
import { listTests } from '../runner/test-files.ts';
import { predictRunSeconds } from '../runner/weights.ts';
import { ImportGraph } from './import-graph.ts';
import { type Size, sizesOfInterfaces } from './interfaces.ts';
import { figuresOf, MAX_MEMBERS, MAX_NAMES, RECORDED, sizesOfIndexes, worseFigures } from './limits.ts';
import { PRODUCTION, readSources, type SourceFile, TESTS } from './source-file.ts';

const ROOT = join(import.meta.dirname, '../..');
const CORES = 2;

/** An existing field of a source, in the spellings of database, interface and code. */
const FIELD = /\b(?:sync_interval\w*|syncInterval\w*)\b/;
/** Where an upload begins, where it is processed, and where it is found. */
const WAY = ['apps/api/src/documents/uploads.ts', 'apps/ocr-worker/src/run-job.ts', 'apps/api/src/search/routes.ts'];

const production = readSources(ROOT, [PRODUCTION]);
const tests = readSources(ROOT, [TESTS]);
const graph = new ImportGraph(ROOT, production);

const packageOf = (path: string): string => path.split('/').slice(0, 2).join('/');
const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const fieldOfSource = (): string => {
  const migrations = globSync('drizzle/*.sql', { cwd: ROOT, exclude: (name) => name.endsWith('.down.sql') });
  const files = [...production.map(({ path }) => path), ...migrations].filter((path) => FIELD.test(readFileSync(join(ROOT, path), 'utf8')));
  return `${files.length} / ${new Set(files.map(packageOf)).size}`;
};

/** Written by `npm run docs`. */
const GENERATED = ['docs/configuration/reference.md', 'deploy/service.example.yml'];
/** Where each variable has its entry; other tests set variables, which adds nothing to what a new one takes. */
const BEHAVIOUR = 'tests/spec/variable-behaviour.ts';

const newVariable = (): string => {
  const deployment = globSync(['.env.example', 'deploy/**/*', 'docker-compose.yml'], { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  const written = [...production.map(({ path }) => path), BEHAVIOUR, ...deployment.filter((path) => !GENERATED.includes(path))];
  const texts = (paths: readonly string[]): string[] => paths.map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const medianOf = (files: readonly string[]): number =>
    median(Object.keys(VARIABLES).map((name) => files.filter((text) => new RegExp(`\\b${name}\\b`).test(text)).length));
  return `${medianOf(texts(written))} and ${medianOf(texts(GENERATED))} generated`;
};

const largest = ([first]: readonly Size[]): string => (first === undefined ? 'none' : `${first.members} (${first.name})`);

const figures = figuresOf(ROOT, production, tests);
const linesOf = (sources: readonly SourceFile[]): number[] =>
  sources.map(({ text }) => text.split('\n').length - 1).toSorted((a, b) => a - b);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const sizes = (): string => {
  const lines = linesOf(production);
  return `${median(lines)}; ${lines[Math.floor(lines.length * 0.9)] ?? 0}`;
};

const withRecord = (name: keyof typeof RECORDED): string => `${figures[name]} (recorded ${RECORDED[name]})`;

const way = (): string => {
  const missing = WAY.filter((path) => !graph.has(path));
  return missing.length > 0
    ? `? (${missing.join(', ')} is gone: name its successor in tests/structure/main.ts)`
    : String(graph.reachableFrom(WAY).size);
};

const typeCycles = graph.cycles().length - graph.cycles({ types: false }).length;

const ROWS: readonly (readonly [metric: string, today: string | number, target: string, how: string])[] = [
  [
    'files / packages touched by a new field on a source',
    fieldOfSource(),
    '6 / 3',
    'files that name the field sync_interval, migrations included',
  ],
  [
    'files touched by a new variable',
    newVariable(),
    '3',
    'median over all variables of the files that name it: sources, its entry among the tests, deployment',
  ],
  [
    'files from upload to search hit',
    `at most ${way()}`,
    '60',
    'upper bound: all that the three entry points import at run time; `npm run structure -- --upload` measures it',
  ],
  [
    'largest dependency interface',
    largest(sizesOfInterfaces(production)),
    `${MAX_MEMBERS}`,
    'members, with those inherited from each other, of interfaces named Deps, Dependencies, Collaborators, Services, Context or Parts',
  ],
  ['packages', withRecord('packages'), '27', 'folders of packages/'],
  [
    'parts that know archive_number',
    withRecord('packagesThatKnowArchiveNumber'),
    '6',
    'packages and apps whose sources name the field, in any spelling',
  ],
  [
    'small files with one importer',
    withRecord('smallFilesOfOne'),
    '0',
    'files under 40 lines that only one file of their folder imports, those on the list of exceptions included',
  ],
  [
    'deep imports from tests into apps and packages',
    withRecord('deepImports'),
    '0',
    'pairs of a test and a file of an app or a package that it imports by path',
  ],
  ['names in the largest index', largest(sizesOfIndexes(production)), `${MAX_NAMES}`, 'names that packages/*/src/index.ts exports'],
  [
    'duplicated pairs of places',
    withRecord('duplicatedPairs'),
    '80',
    'pairs of places with six or more lines of the same shape, whatever their names',
  ],
  ['production files', withRecord('files'), 'about 1,000', 'apps/*/src and packages/*/src'],
  ['their median and 90th percentile of lines', sizes(), '120; 300', 'apps/*/src and packages/*/src'],
  [
    'lines of production and of tests',
    `${sum(linesOf(production))}; ${sum(linesOf(tests))}`,
    '130,000; 98,000',
    'comments and blank lines included',
  ],
  ['type-only cycles', typeCycles, '0', 'circles of imports that are none without the types'],
  [
    `npm test, ${CORES} cores`,
    `at least ${Math.round(predictRunSeconds(listTests(ROOT, false), CORES) / 60)} min`,
    '12 min',
    'CPU time of tests/runner/weights.json and of the checks, spread over the cores; the database and programs that nobody waits for are not in it: a run takes nearly twice as long',
  ],
];

/** Prints rows below each other, the last column as wide as it is. */
const printTable = (rows: readonly (readonly (string | number)[])[]): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const row of rows)
    process.stdout.write(
      `${row.map((cell, column) => String(cell).padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0))).join('  ')}\n`,
    );
};

const printUpload = async (): Promise<void> => {
  const { measureUpload } = await import('./upload-coverage.ts');
  const { files, idle } = await measureUpload();
  const rows = [...Map.groupBy(files, packageOf)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, own]) => [name, own.length, own.filter((file) => idle.has(file)).length]);
  printTable([['files from upload to search hit', 'executed', 'of them in an idle service too'], ...rows, ['all', files.size, idle.size]]);
  process.stdout.write(
    `Production files of which a function ran (V8 precise coverage, no top levels of modules) between the upload of a PDF with text and the
search that finds it, in the api, the OCR worker and their threads. The idle service had the same processes and no request.\n`,
  );
  if (process.argv.includes('--list'))
    process.stdout.write(
      [...files]
        .toSorted()
        .map((file) => `${file}${idle.has(file) ? ' (idle too)' : ''}\n`)
        .join(''),
    );
};

if (process.argv.includes('--upload')) await printUpload();
else {
  printTable([['metric', 'today', 'target', 'how it is computed'], ...ROWS]);
  const worse = worseFigures(figures);
  if (worse.length > 0) {
    process.stderr.write(`Worse than recorded in tests/structure/limits.ts:\n${worse.join('\n')}\n`);
    process.exitCode = 1;
  }
}
