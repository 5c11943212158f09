// `npm run docs`: writes the table of all variables into the README, between its two marks, and the example of service.yml.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configurationTable, exampleServiceFile } from '@sheaf/config';

const ROOT = join(import.meta.dirname, '../../..');
const README = join(ROOT, 'README.md');
const EXAMPLE = join(ROOT, 'deploy/service.example.yml');
const MARKS = /(<!-- configuration:begin[^>]*-->\n)[\s\S]*?(<!-- configuration:end -->)/;

const text = await readFile(README, 'utf8');
if (!MARKS.test(text)) throw new Error('the README has lost its marks for the configuration table');
await writeFile(
  README,
  text.replace(MARKS, (_all, begin: string, end: string) => `${begin}\n${configurationTable()}\n\n${end}`),
);
await mkdir(dirname(EXAMPLE), { recursive: true });
await writeFile(EXAMPLE, exampleServiceFile());
