import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { mountingStep, newEndpoint } from '../../generators/endpoint.ts';
import { newMigration } from '../../generators/migration.ts';
import { newVariable } from '../../generators/variable.ts';
import { fullOnly } from '../../support/full-run.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A copy of the project in which parts can be changed: their sources, beside the packages that are installed. */
const copyProject = (parts: readonly string[]) => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-generated-'));
  for (const part of parts) {
    cpSync(join(ROOT, part, 'src'), join(root, part, 'src'), { recursive: true });
    cpSync(join(ROOT, part, 'package.json'), join(root, part, 'package.json'));
    symlinkSync(join(ROOT, part, 'node_modules'), join(root, part, 'node_modules'));
  }
  mkdirSync(join(root, 'tests'));
  cpSync(join(ROOT, 'tests/package.json'), join(root, 'tests/package.json'));
  // what a generated test imports
  for (const file of ['running-api.ts', 'composed-api.ts', 'files-below.ts'])
    cpSync(join(ROOT, 'tests/support', file), join(root, 'tests/support', file));
  symlinkSync(join(ROOT, 'tests/node_modules'), join(root, 'tests/node_modules'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  cpSync(join(ROOT, 'tsconfig.json'), join(root, 'base.json'));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
};

const typeCheck = (root: string, files: readonly string[]): void => {
  // the types of browsers, which dependencies of other files bring along in the whole project
  const compilerOptions = { lib: ['es2024', 'dom'] };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ extends: './base.json', compilerOptions, files, include: [], exclude: [] }));
  // one checker: several of them check what they share several times over
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--checkers', '1', '-p', root], { cwd: root, encoding: 'utf8' });
};

// the type check of what is generated takes most of the time
fullOnly(test)('a new endpoint, its test and a new variable pass the type check', (t) => {
  t.timeout(3 * 180_000);
  using project = copyProject(['apps/api', 'packages/config']);
  const { root } = project;
  // a folder with services, an id as Express writes it
  const endpoint = newEndpoint(root, { method: 'get', path: '/api/documents/:id/remarks', access: 'documents.read' });
  const alone = newEndpoint(root, { method: 'post', path: '/api/remarks', access: 'signed-in' });
  // "delete" alone could not be the name of a constant
  const removal = newEndpoint(root, { method: 'delete', path: '/api/remarks/{id}', access: 'signed-in' });
  const several = newEndpoint(root, { method: 'get', path: '/api/users/{user_id}/remarks/:remark_id', access: 'users.read' });
  const variable = newVariable(join(root, 'packages/config/src'), { name: 'WATCH_REMARK_LIMIT', kind: 'integer', group: 'Watch folder' });
  t.deepEqual(
    endpoint.map((path) => path.slice(root.length + 1)),
    ['apps/api/src/documents/remarks.ts', 'tests/integration/api/documents-remarks.test.ts'],
  );
  t.true(readFileSync(variable, 'utf8').includes("  WATCH_REMARK_LIMIT: integer(0, 1_000)('Watch folder', {"));
  t.true(readFileSync(endpoint[0] ?? '', 'utf8').includes('export const remarks = (_services: DocumentServices): Route =>'));
  t.notThrows(() => typeCheck(root, [...endpoint, ...alone, ...removal, ...several, variable]));
  t.throws(() => newEndpoint(root, { method: 'get', path: '/api/documents/{id}/remarks', access: 'documents.read' }));
});

test('a name that is taken or malformed is refused', (t) => {
  const folder = join(ROOT, 'packages/config/src');
  t.throws(() => newVariable(folder, { name: 'WATCH_FOLDER', kind: 'text', group: 'Watch folder' }));
  t.throws(() => newVariable(folder, { name: 'watch', kind: 'text', group: 'Watch folder' }));
  t.throws(() => newVariable(folder, { name: 'NEW_ONE', kind: 'colour', group: 'Watch folder' }));
  t.throws(() => newVariable(folder, { name: 'NEW_ONE', kind: 'text', group: 'No such group' }), { message: /Watch folder/ });
  t.throws(() => newEndpoint(ROOT, { method: 'dance', path: '/api/notes', access: 'signed-in' }));
  t.throws(() => newEndpoint(ROOT, { method: 'get', path: '/api/notes', access: 'documents.dance' }), {
    message: /ACTIONS in packages\/vocabulary\/src\/permissions\.ts.*documents\.read/,
  });
  t.throws(() => newMigration(ROOT, 'Not A Name'));
});

test('a path that is malformed is refused with its mistake', (t) => {
  const expected: readonly (readonly [path: string, mistake: RegExp])[] = [
    ['notes', /does not start with \/api\//],
    ['/notes', /does not start with \/api\//],
    ['/api', /does not name a resource/],
    ['/api/{id}', /does not name a resource/],
    ['/api/notes?limit=3', /query string.*`query`/],
    ['/api/notes/', /the part ""/],
    ['/api/notes/{noteId}', /the part "\{noteId\}".*\{document_id\}/],
    ['/api/notes/Old', /the part "Old"/],
    ['/api/documents/{id}/notes/{id}', /\{id\} twice/],
  ];
  for (const [path, mistake] of expected)
    t.throws(() => newEndpoint(ROOT, { method: 'get', path, access: 'signed-in' }), { message: mistake }, path);
});

test('the parameters of a path are IDs of rows by their names', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sheaf-endpoints-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  const [route = '', routeTest = ''] = newEndpoint(root, {
    method: 'get',
    path: '/api/users/{user_id}/notes/:note_id',
    access: 'users.read',
  });
  t.is(route, join(root, 'apps/api/src/users/notes.ts'));
  const text = readFileSync(route, 'utf8');
  t.true(text.includes("path: '/api/users/{user_id}/notes/{note_id}'"));
  t.true(text.includes('params: z.strictObject({ user_id: rowId, note_id: rowId })'));
  t.notRegex(readFileSync(routeTest, 'utf8'), /request\('[^']*\{/);
  const [one = ''] = newEndpoint(root, { method: 'get', path: '/api/documents/{id}/notes', access: 'documents.read' });
  t.true(readFileSync(one, 'utf8').includes('params: idParams'));
});

test('a route in a new folder needs a list of routes, another one its place in the list', (t) => {
  t.is(mountingStep(ROOT, join(ROOT, 'apps/api/src/labels/unused.ts')), 'add the route to apps/api/src/labels/routes.ts');
  t.regex(
    mountingStep(ROOT, join(ROOT, 'apps/api/src/no-such-resource/list.ts')),
    /^write apps\/api\/src\/no-such-resource\/routes\.ts .* allRoutes in apps\/api\/src\/routes\.ts$/,
  );
});

test('a new migration has the next number, and a way back', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-migrations-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '0041_before.sql'), '');
  newMigration(folder, 'add_notes');
  t.deepEqual(readdirSync(folder), ['0041_before.sql', '0042_add_notes.down.sql', '0042_add_notes.sql']);
});
