// The limits of docs/contributing/index.md, with the figures of `npm run structure`.
import { join } from 'node:path';
import test from 'ava';
import { figuresOf, findOffenders, mayImportDeep, RECORDED, worseFigures } from '../../structure/limits.ts';
import { PRODUCTION, parseSource, readSources, TESTS } from '../../structure/source-file.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('interfaces, indexes and files are within their limits, tests import packages by name, and no imports form a circle', (t) => {
  const production = readSources(ROOT, [PRODUCTION]);
  t.true(production.length > 1_000, 'the sources were found');
  t.deepEqual(findOffenders(ROOT, production, readSources(ROOT, [TESTS], mayImportDeep)), []);
});

test('no figure of the house is worse than the one recorded', (t) => {
  const production = readSources(ROOT, [PRODUCTION]);
  t.deepEqual(worseFigures(figuresOf(ROOT, production, readSources(ROOT, [TESTS], mayImportDeep))), []);
  t.deepEqual(worseFigures({ ...RECORDED, files: RECORDED.files + 1 }), [`files: ${RECORDED.files + 1}, it was ${RECORDED.files}`]);
});

const members = (count: number): string => Array.from({ length: count }, (_, at) => `m${at}: string;`).join(' ');
const names = (count: number): string => Array.from({ length: count }, (_, at) => `export const n${at} = ${at};\n`).join('');
const offendersOf = (files: Readonly<Record<string, string>>): string[] => {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text));
  const isTest = ({ path }: { readonly path: string }): boolean => path.startsWith('tests/');
  return findOffenders(
    ROOT,
    sources.filter((source) => !isTest(source)),
    sources.filter(({ path, text }) => isTest({ path }) && mayImportDeep(text)),
  );
};

test('what is over a limit is named', (t) => {
  const expected: readonly (readonly [files: Record<string, string>, name: RegExp])[] = [
    [{ 'apps/a/src/a.ts': `export interface ADeps { ${members(9)} }` }, /^ADeps .*: 9 members/],
    [{ 'apps/a/src/a.ts': `interface ADeps { ${members(5)} }\ninterface BDeps extends ADeps { ${members(4)} }` }, /^BDeps .*: 9 members/],
    [{ 'apps/a/src/a.ts': `interface BDeps extends Pick<ADeps, 'a' | 'b'> { ${members(7)} }` }, /^BDeps .*: 9 members/],
    [{ 'packages/a/src/index.ts': names(61) }, /^packages\/a .*: 61 names/],
    [{ 'apps/a/src/a.ts': '\n'.repeat(401) }, /^apps\/a\/src\/a\.ts .*: 401 lines/],
    [
      { 'apps/a/src/a.ts': `import { b } from './b.ts';`, 'apps/a/src/b.ts': 'export const b = 1;' },
      /^apps\/a\/src\/b\.ts has fewer than 40 lines and one importer: put it into apps\/a\/src\/a\.ts$/,
    ],
    [{ 'tests/unit/a/a.test.ts': `import { a } from '../../../packages/a/src/a.ts';` }, /^tests\/unit\/a\/a\.test\.ts imports /],
    [
      {
        'apps/a/src/a.ts': `import type { B } from './b.ts';${'\n'.repeat(40)}`,
        'apps/a/src/b.ts': `import type { A } from './a.ts';${'\n'.repeat(40)}`,
      },
      /^circle of imports: apps\/a\/src\/a\.ts, apps\/a\/src\/b\.ts$/,
    ],
  ];
  for (const [files, name] of expected) {
    const offenders = offendersOf(files);
    t.is(offenders.length, 1, JSON.stringify(offenders));
    t.regex(offenders[0] ?? '', name);
  }
  t.deepEqual(
    offendersOf({
      'apps/a/src/a.ts': `export interface ADeps { ${members(8)} }\ninterface BDeps extends Omit<ADeps, 'm1'> { b: string }${'\n'.repeat(399)}`,
      'packages/a/src/index.ts': names(60),
      'tests/unit/a/a.test.ts': `import { a } from '@sheaf/a/testing';`,
    }),
    [],
  );
});
