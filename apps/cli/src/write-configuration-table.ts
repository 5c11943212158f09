// `npm run docs`: writes the table of all variables into the README, between its two marks.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationTable } from '@sheaf/config';

const README = join(import.meta.dirname, '../../../README.md');
const MARKS = /(<!-- configuration:begin[^>]*-->\n)[\s\S]*?(<!-- configuration:end -->)/;

const text = await readFile(README, 'utf8');
if (!MARKS.test(text)) throw new Error('the README has lost its marks for the configuration table');
await writeFile(
  README,
  text.replace(MARKS, (_all, begin: string, end: string) => `${begin}\n${configurationTable()}\n\n${end}`),
);
