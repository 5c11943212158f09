import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendixTables, checkConfig, everydayTable, exampleServiceFile, FILE_PLACES, VARIABLES, type VariableName } from '@sheaf/config';
import test from 'ava';

test('deploy/service.example.yml is as the declarations make it', async (t) => {
  t.is(
    await readFile(join(import.meta.dirname, '../../../deploy/service.example.yml'), 'utf8'),
    exampleServiceFile(),
    'run `npm run docs`',
  );
});

test('the example has every variable, and with each key made to count it says what the defaults say', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-example-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const check = (text: string) => {
    writeFileSync(join(folder, 'service.yml'), text);
    return checkConfig({ environment: { CONFIG_FILE: join(folder, 'service.yml') } });
  };
  t.deepEqual(check(exampleServiceFile()).issues, []);
  const { issues, raw } = check(exampleServiceFile().replaceAll(/^ {2}#(?=\S)/gm, '  '));
  t.deepEqual(issues, []);
  const { raw: defaults } = checkConfig({ environment: {} });
  for (const name of FILE_PLACES.keys()) {
    t.is(raw[name]?.text, defaults[name]?.text, name);
    t.is(raw[name]?.origin, defaults[name] === undefined ? undefined : 'file', name);
  }
});

const namesIn = (tables: string): string[] => [...tables.matchAll(/^\| `([A-Z\d_]+)` \|/gm)].map(([, name = '']) => name);
const ALL = Object.keys(VARIABLES) as VariableName[];
const EVERYDAY = ALL.filter((name) => VARIABLES[name].isEveryday);

test('the reference lists each variable once: about thirty everyday ones, and all others by subject', (t) => {
  t.true(EVERYDAY.length >= 25 && EVERYDAY.length <= 35, String(EVERYDAY.length));
  t.deepEqual(namesIn(everydayTable()), EVERYDAY);
  t.deepEqual(namesIn(appendixTables()).toSorted(), ALL.filter((name) => !EVERYDAY.includes(name)).toSorted());
  const headings = [...appendixTables().matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
  t.deepEqual(headings, [...new Set(headings)]);
});

test('the example of service.yml has everyday variables first, in the order of its sections and in each of them', (t) => {
  const sections = exampleServiceFile()
    .split(/^(?=\w+:$)/m)
    .slice(1)
    .map((section) => [...section.matchAll(/^ {2}# ([A-Z\d_]+): /gm)].map(([, name = '']) => VARIABLES[name as VariableName].isEveryday));
  const falling = (flags: readonly boolean[]): boolean => flags.every((flag, at) => at === 0 || !flag || flags[at - 1] === true);
  t.true(falling(sections.map((flags) => flags.includes(true))));
  for (const flags of sections) t.true(falling(flags));
});
