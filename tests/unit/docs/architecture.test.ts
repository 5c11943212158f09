// What the page about the architecture says of files, names and packages is compared with the sources.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ARROWS } from '../house/arrows.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/contributing/architecture.md');

/** The rows of all tables whose second cell is a name and whose third is a file. */
const steps = [...PAGE.matchAll(/^\| .+ \| `(\w+)` \| `([^`]+)` \|$/gm)].map(([, name = '', path = '']) => ({ name, path }));

/** The parts that the first column of a table names, in its order. */
const listed = (heading: string): string[] => {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
};

const declares = (path: string, name: string): boolean =>
  existsSync(join(ROOT, path)) && new RegExp(`\\b(?:const|function|class|interface) ${name}\\b`).test(read(path));

test('each step of the way of an upload and of a search is declared in the file that the page names', (t) => {
  t.true(steps.length > 30, String(steps.length));
  t.deepEqual(
    steps.filter(({ name, path }) => !declares(path, name)),
    [],
  );
});

test('the page lists every app and package, and each package only below those that it imports', (t) => {
  const packages = listed('Packages');
  const parts = [...packages.map((name) => `packages/${name}`), ...listed('Apps')];
  t.deepEqual(parts.toSorted(), Object.keys(ARROWS).toSorted());
  const above = (name: string, imported: string): boolean => packages.indexOf(imported) < packages.indexOf(name);
  t.deepEqual(
    packages.flatMap((name) =>
      (ARROWS[`packages/${name}`] ?? []).filter((imported) => !above(name, imported)).map((other) => `${name} imports ${other}`),
    ),
    [],
  );
});

/** Named as an example of what a reader makes. */
const PLANNED: ReadonlySet<string> = new Set(['apps/api/src/labels/unused.ts']);

test('source files that a page for contributors names without their folder exist, too', (t) => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => existsSync(join(ROOT, path)));
  const pages = files.filter((path) => /^docs\/contributing\/.*\.md$/.test(path));
  t.true(files.length > 500 && pages.length > 10);
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/`((?:[\w-]+\/)*\w[\w.-]*\.tsx?)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !PLANNED.has(name) && !files.some((file) => file === name || file.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  );
  t.deepEqual(missing, []);
});
