import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { documentKey } from '@sheaf/storage';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';
import { fullOnly } from '../../support/full-run.ts';
import { type BackedUpLibrary, openBackedUpLibrary, writeOver } from '../backup/library.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');
const KEY = 'AppSecretKey-of-this-test-0123456789abcdef';

interface Answer {
  readonly status: number;
  readonly stderr: string;
  readonly lines: readonly string[];
}

const environmentOf = ({ database, folder }: BackedUpLibrary) => ({
  PATH: '/usr/bin:/bin',
  ...CODE_CACHE_ENVIRONMENT,
  DATABASE_URL: database.url.reveal(),
  DATA_PATH: join(folder, 'data'),
  UPLOAD_PATH: join(folder, 'uploads'),
  APP_SECRET_KEY: KEY,
});

const run = async (library: BackedUpLibrary, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const { stdout, ...ended } = await runSheafHere(['backup', ...args], { ...environmentOf(library), ...env }, library.folder);
  return { ...ended, lines: stdout.trimEnd().split('\n') };
};

/** As a program. */
const start = (library: BackedUpLibrary, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { timeout: 120_000, cwd: library.folder, env: { ...environmentOf(library), ...env } };
    execFile(SHEAF, ['backup', ...args], options, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), stderr, lines: stdout.trimEnd().split('\n') });
    });
  });

const schemasOf = async ({ database }: BackedUpLibrary): Promise<string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(`select nspname as name from pg_namespace where nspname like 'sheaf%'`);
  return rows.map(({ name }) => name);
};

test('sheaf backup makes an entry in BACKUP_PATH, prints its path last, and it verifies whole', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const made = await start(library, [], { BACKUP_PATH: library.backups });
  t.is(made.status, 0, made.stderr);
  const path = made.lines.at(-1) ?? '';
  t.is(path, join(library.backups, (await readdir(library.backups))[0] ?? ''));
  t.regex(made.stderr, /files: 1 \(6 bytes\): 1 new \(6 bytes\), 0 linked to the previous backup/);
  t.regex(made.stderr, /done in \d+\.\d s, \d+\.\d MB\/s/);
  t.regex(
    (await run(library, [], { BACKUP_PATH: library.backups })).stderr,
    /files: 1 \(6 bytes\): 0 new \(0 bytes\), 1 linked to the previous backup/,
  );

  const listed = await run(library, ['list'], { BACKUP_PATH: library.backups });
  t.is(listed.lines.length, 2);
  t.regex(listed.lines[0] ?? '', new RegExp(`^${library.backups}/sheaf-\\S+ {2}1 files, .*, schema \\d+$`));

  t.like(await start(library, ['verify', path]), { status: 0, lines: ['verified: no differences'] });
  t.deepEqual(await schemasOf(library), [], 'nothing of the scratch schema is left');
  await writeOver(
    join(path, documentKey((await readFile(join(path, 'files.list'), 'utf8')).slice(0, 64)).replace('documents', 'files')),
    'a nose',
  );
  const damaged = await run(library, ['verify', path, '--fast']);
  t.is(damaged.status, 1);
  t.regex(damaged.lines[0] ?? '', /its hash is different/);
  t.is(damaged.lines.at(-1), 'damaged: 1 difference');
});

fullOnly(test)('a table whose rows contradict the schema is found by verify, and not by --fast', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('a note');
  const { path } = await library.backup();
  // A backup that is true to itself, of a database that nobody can have: documents of nobody.
  const file = join(path, 'database/users.copy.gz');
  await writeFile(file, gzipSync(''));
  const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as { database: { tables: { name: string }[] } };
  const users = manifest.database.tables.find(({ name }) => name === 'users');
  Object.assign(users ?? {}, { rows: 0, bytes: 0, sha256: createHash('sha256').digest('hex') });
  const forged = JSON.stringify(manifest);
  await writeFile(join(path, 'manifest.json'), forged);
  await writeFile(join(path, 'manifest.json.sha256'), `${createHash('sha256').update(forged).digest('hex')}  manifest.json\n`);
  t.is((await run(library, ['verify', path, '--fast'])).status, 0);
  const { status, stderr, lines } = await run(library, ['verify', path]);
  t.is(status, 1);
  t.regex(`${stderr}${lines.join('\n')}`, /foreign key/);
});

test('secrets are masked unless they are asked for, and the roles file comes along', async (t) => {
  await using library = await openBackedUpLibrary();
  const roles = join(library.folder, 'roles.yml');
  await writeFile(roles, 'roles:\n  clerk:\n    permissions: ["documents.read"]\n');
  const env = { BACKUP_PATH: library.backups, ROLES_FILE: roles };
  const plain = (await run(library, [], env)).lines.at(-1) ?? '';
  const effective = await readFile(join(plain, 'configuration/effective.json'), 'utf8');
  t.like(JSON.parse(effective), {
    APP_SECRET_KEY: { value: '***', origin: 'environment', isSecret: true },
    BACKUP_PATH: { value: library.backups, origin: 'environment', isSecret: false },
  });
  t.false(effective.includes(KEY) || effective.includes(library.database.url.reveal()));
  t.deepEqual((await readdir(join(plain, 'configuration'))).toSorted(), ['effective.json', 'roles.yml']);

  const secret = (await run(library, ['--with-secrets'], env)).lines.at(-1) ?? '';
  t.like(JSON.parse(await readFile(join(secret, 'configuration/effective.json'), 'utf8')), { APP_SECRET_KEY: { value: KEY } });
  const secrets = join(secret, 'configuration/secrets.json');
  t.is(await readFile(secrets, 'utf8'), await readFile(join(library.folder, 'data/secrets.json'), 'utf8'));
  t.is((await stat(secrets)).mode & 0o777, 0o600);
  t.is((await stat(join(secret, 'configuration'))).mode & 0o777, 0o700);
  t.is((await run(library, ['verify', secret, '--fast'])).status, 0);
});

fullOnly(test)('a lost file is told by its document, the backup is kept, and the exit code is 1', async (t) => {
  await using library = await openBackedUpLibrary();
  const { id, sha256 } = await library.add('a note');
  await library.add('another note');
  await library.storage.delete(documentKey(sha256));
  const { status, stderr, lines } = await run(library, [], { BACKUP_PATH: library.backups });
  t.is(status, 1);
  t.regex(stderr, new RegExp(`document ${id}: its file is missing, and no older backup has it`));
  t.is((await readdir(library.backups)).length, 1);
  const verified = await run(library, ['verify', lines.at(-1) ?? '', '--fast']);
  t.is(verified.status, 0);
  t.regex(verified.stderr, /1 files were already missing/);
});

fullOnly(test)('paths on the command line are those of the folder where it is called', async (t) => {
  await using library = await openBackedUpLibrary();
  await mkdir(join(library.folder, 'here'));
  const made = await run(library, ['--output', 'here', '--archive']);
  t.is(made.status, 0, made.stderr);
  const [name = ''] = await readdir(join(library.folder, 'here'));
  t.is(made.lines.at(-1), join(library.folder, 'here', name));
  t.is((await run(library, ['verify', `here/${name}`, '--fast'])).status, 0);
  t.deepEqual(await readdir(join(library.folder, 'here')), [name], 'what the archive was unpacked to is gone');
  t.regex((await run(library, ['list', '--output', 'here'])).lines.join('\n'), /archive of \d/);
});

test('flags of another command, and numbers that are none, are wrong usage', async (t) => {
  await using library = await openBackedUpLibrary();
  for (const args of [
    ['--fast'],
    ['list', '--keep', '2'],
    ['--keep', '0'],
    ['--keep', 'all'],
    ['verify'],
    ['verify', 'a', 'b'],
    ['make', 'x'],
  ])
    t.like(await run(library, args), { status: 2, lines: [''] }, args.join(' '));
});

test('a backup of a database with another schema is refused with the way out', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.database.pool.query('delete from migrations where version = (select max(version) from migrations)');
  const { status, stderr } = await run(library, []);
  t.is(status, 1);
  t.regex(stderr, /schema version \d+, but this version of Sheaf requires \d+\. Run bin\/migrate up/);
});
