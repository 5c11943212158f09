// Follows docs/contributing/adding-a-field.md in a copy of the sources, and counts the files that this takes.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { newMigration } from '../../generators/migration.ts';
import { fullOnly } from '../../support/full-run.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WALK = readFileSync(join(ROOT, 'docs/contributing/adding-a-field.md'), 'utf8');
const MAX_FILES = 5;

/** What the field runs through: its declaration, schema, answers and lists. */
const PARTS = ['vocabulary', 'messages', 'contract', 'process', 'db', 'documents'].map((name) => `packages/${name}`);
const SCHEMA = 'packages/db/src/schema/documents.ts';
const FIELDS = 'packages/vocabulary/src/document-fields.ts';
const UPGRADE = 'tests/e2e/upgrade.full.test.ts';

const copySources = () => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-field-'));
  // links between packages are relative, so that those of the copy lead to its own packages
  for (const part of [...PARTS, 'drizzle', UPGRADE])
    cpSync(join(ROOT, part), join(root, part), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  cpSync(join(ROOT, 'tsconfig.json'), join(root, 'base.json'));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
};

/** A block of the walk by how it begins. */
const blockOf = (start: string): string => {
  const block = [...WALK.matchAll(/```\w+\n(?<text>.*?)```/gs)]
    .map(({ groups }) => groups?.['text'] ?? '')
    .find((text) => text.includes(start));
  if (block === undefined) throw new Error(`the walk has no block with "${start}"`);
  return block;
};

const edit = (root: string, path: string, change: (text: string) => string): void => {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`nothing to change in ${path}`);
  writeFileSync(file, after);
};

const followWalk = (root: string): void => {
  const [up = '', down = ''] = newMigration(join(root, 'drizzle'), 'add_is_draft').map((path) => path.slice(root.length + 1));
  edit(root, up, (text) => text.replace('select 1;\n', blockOf('add column is_draft')));
  edit(root, down, (text) => text.replace('select 1;\n', blockOf('drop column is_draft')));
  edit(root, UPGRADE, (text) => text.replace(/(?<=const STEPS_BACK = )\d+/, (steps) => String(Number(steps) + 1)));
  edit(root, SCHEMA, (text) => text.replace(/(?=^ *\/\*\*[^\n]*\n *documentDate:)/m, blockOf("boolean('is_draft')")));
  edit(root, FIELDS, (text) => text.replace(/(?=^ *\{\n *key: 'document_date')/m, blockOf("key: 'is_draft'")));
};

/** The files of the copy that are new or differ from those of the project. */
const changedFiles = (root: string): string[] =>
  [...PARTS.map((part) => `${part}/src`), 'drizzle', 'tests']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => statSync(join(root, path)).isFile())
    .filter((path) => !existsSync(join(ROOT, path)) || !readFileSync(join(ROOT, path)).equals(readFileSync(join(root, path))));

/** Uses the field in each place that derives from its declaration. Types: what it is there; values: on standard output. */
const PROBE = `
import { documentBody } from '@sheaf/contract/documents';
import { documentListQuery } from '@sheaf/contract/documents';
import { type Document, documents } from '@sheaf/db/schema';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { sortKeyOf, toFieldValues } from './document-fields.ts';

const sort: DocumentSortField = 'is_draft';
const isDraft = (row: Document): boolean => toFieldValues(row).is_draft;
const [column, declared] = [documents.isDraft, documentBody.shape.is_draft];
const key = sortKeyOf(sort);
const row: Partial<Document> = { isDraft: true };
console.log(
  JSON.stringify({
    isDraft: isDraft(row as Document),
    accepts: [declared.safeParse(true).success, declared.safeParse(null).success],
    about: declared.description,
    sort: documentListQuery.parse({ sort }).sort,
    sortsBy: [key.by === column, key.type, key.hasNullsLowest],
  }),
);
`;

const addProbe = (root: string, text = PROBE): string => {
  const path = join(root, 'packages/documents/src/probe.ts');
  writeFileSync(path, text);
  return path;
};

test(`a field that people only read takes at most ${MAX_FILES} files and is in answers and lists then`, (t) => {
  using copy = copySources();
  followWalk(copy.root);
  const files = changedFiles(copy.root);
  t.true(files.length <= MAX_FILES, files.join(', '));
  t.true(files.includes(FIELDS) && files.includes(SCHEMA), files.join(', '));
  t.deepEqual(JSON.parse(execFileSync(process.execPath, [addProbe(copy.root)], { encoding: 'utf8' })), {
    isDraft: true,
    accepts: [true, false],
    about: 'Whether the document is a draft',
    sort: 'is_draft',
    sortsBy: [true, 'boolean', false],
  });
});

/** Uses the declared filters and changes of a field. */
const EDITED_PROBE = `
import { bulkDownloadRequest, documentListQuery, documentUpdate } from '@sheaf/contract/documents';
import { searchFilters } from '@sheaf/contract/search';
import type { Document } from '@sheaf/db/schema';
import { changedFieldsOf, givenFieldsOf } from './document-fields.ts';

const update = documentUpdate.parse({ shelf_number: 3 });
const row: Partial<Document> = { shelfNumber: 2, archiveNumber: 7 };
console.log(
  JSON.stringify({
    changed: changedFieldsOf(row as Document, update),
    unchanged: changedFieldsOf({ ...row, shelfNumber: 3 } as Document, update),
    given: givenFieldsOf(update),
    refuses: documentUpdate.safeParse({ shelf_number: 0 }).success,
    filters: [
      documentListQuery.parse({ shelf_number: '3' }).shelf_number,
      bulkDownloadRequest.parse({ filter: { shelf_number: 3 } }).filter?.shelf_number,
      searchFilters.parse({ shelf_number: 3 }).shelf_number,
    ],
  }),
);
`;

const addShelfNumber = (root: string): void => {
  edit(root, SCHEMA, (text) => text.replace(/(?=^ *\/\*\*[^\n]*\n *documentDate:)/m, "    shelfNumber: integer('shelf_number'),\n"));
  edit(root, FIELDS, (text) => text.replace(/(?=^ *\{\n *key: 'document_date')/m, blockOf("key: 'shelf_number'")));
};

test('a field that people change and filter by is so in the API by its declaration', (t) => {
  using copy = copySources();
  addShelfNumber(copy.root);
  t.deepEqual(JSON.parse(execFileSync(process.execPath, [addProbe(copy.root, EDITED_PROBE)], { encoding: 'utf8' })), {
    changed: { columns: { shelfNumber: 3 }, published: { shelf_number: 3 } },
    unchanged: { columns: {}, published: {} },
    given: ['shelf_number'],
    refuses: false,
    filters: [3, 3, 3],
  });
});

const typeCheck = (root: string, file: string): void => {
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ extends: './base.json', files: [file], include: [], exclude: [] }));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--checkers', '1', '-p', root], { cwd: root, encoding: 'utf8' });
};

// each type check takes seconds
fullOnly(test)('the compiler knows the new field and refuses one whose column has another type', (t) => {
  t.timeout(3 * 180_000);
  using copy = copySources();
  followWalk(copy.root);
  const probe = addProbe(copy.root);
  t.notThrows(() => typeCheck(copy.root, probe));
  addShelfNumber(copy.root);
  t.notThrows(() => typeCheck(copy.root, addProbe(copy.root, EDITED_PROBE)));
  addProbe(copy.root);
  edit(copy.root, SCHEMA, (text) => text.replace("isDraft: boolean('is_draft').notNull().default(false)", "isDraft: text('is_draft')"));
  t.throws(() => typeCheck(copy.root, probe));
});
