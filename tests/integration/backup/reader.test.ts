import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { appendFile, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { openBackup } from '@sheaf/backup';
import { AppError } from '@sheaf/contract';
import type { ErrorCode } from '@sheaf/vocabulary/error-codes';
import test, { type ExecutionContext } from 'ava';
import { pack } from 'tar-stream';
import { fullOnly } from '../../support/full-run.ts';
import { hashOf, openBackedUpLibrary, writeOver } from './library.ts';

const fileOf = (bytes: string): string => `files/${hashOf(bytes).slice(0, 2)}/${hashOf(bytes).slice(2, 4)}/${hashOf(bytes)}`;

const refuses = async (t: ExecutionContext, path: string, code: ErrorCode, message?: RegExp): Promise<void> => {
  const error = await t.throwsAsync(openBackup(path), { instanceOf: AppError });
  t.is(error.code, code);
  if (message !== undefined) t.regex(error.message, message);
};

/** Changes the manifest and makes its hash right again, as somebody would who means harm. */
const forgeManifest = async (entry: string, change: (text: string) => string): Promise<void> => {
  const forged = change(await readFile(join(entry, 'manifest.json'), 'utf8'));
  await writeFile(join(entry, 'manifest.json'), forged);
  await writeFile(join(entry, 'manifest.json.sha256'), `${createHash('sha256').update(forged).digest('hex')}  manifest.json\n`);
};

test('each damaged, cut or missing file of a backup is found and named', async (t) => {
  await using library = await openBackedUpLibrary();
  for (const bytes of ['one', 'two', 'three']) await library.add(bytes);
  const { path } = await library.backup();
  await writeOver(join(path, fileOf('one')), 'eno');
  await truncate(join(path, fileOf('two')), 2);
  await rm(join(path, fileOf('three')));
  await writeOver(join(path, 'database/users.copy.gz'), 'no gzip');
  await writeFile(join(path, 'database/documents.copy.gz'), gzipSync('other rows\n'));
  await using backup = await openBackup(path);
  const findings = await backup.verifyChecksums();
  for (const name of [fileOf('one'), fileOf('two'), fileOf('three'), 'database/users.copy.gz', 'database/documents.copy.gz'])
    t.is(findings.filter((finding) => finding.includes(name)).length, 1, name);
  t.is(findings.length, 5);
});

test('a list of files that was changed is found, also where it only lacks lines', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('one');
  const { path } = await library.backup();
  await writeFile(join(path, 'files.list'), '');
  await using backup = await openBackup(path);
  t.is((await backup.verifyChecksums()).length, 1);
});

test('who reads a damaged table or file gets an error at its end at the latest', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('one');
  const { path } = await library.backup();
  await writeOver(join(path, fileOf('one')), 'eno');
  await using backup = await openBackup(path);
  await t.throwsAsync(text(backup.file(hashOf('one'))), { code: 'BACKUP_DAMAGED' });
});

test('a table that unpacks to more than the manifest says ends at once', async (t) => {
  await using library = await openBackedUpLibrary();
  const { path } = await library.backup();
  await writeFile(join(path, 'database/users.copy.gz'), gzipSync(Buffer.alloc(50_000_000)));
  await using backup = await openBackup(path);
  let seen = 0;
  await t.throwsAsync(
    async () => {
      for await (const chunk of backup.table('users')) seen += (chunk as Buffer).length;
    },
    { code: 'BACKUP_DAMAGED' },
  );
  t.true(seen < 5_000_000, `read ${seen} bytes`);
});

test('a manifest without its hash, with another one, or of a later format is refused', async (t) => {
  await using library = await openBackedUpLibrary();
  const { path } = await library.backup();
  await refuses(t, join(path, 'nowhere'), 'NOT_A_BACKUP');
  await refuses(t, dirname(path), 'NOT_A_BACKUP', /no manifest/);
  await forgeManifest(path, (manifest) => manifest.replace('"format": 1', '"format": 2'));
  await refuses(t, path, 'NOT_A_BACKUP', /newer Sheaf/);
  await appendFile(join(path, 'manifest.json'), ' ');
  await refuses(t, path, 'BACKUP_DAMAGED');
});

test('a manifest whose names lead elsewhere is refused', async (t) => {
  await using library = await openBackedUpLibrary();
  const { path } = await library.backup();
  await forgeManifest(path, (manifest) => manifest.replace('"name": "users"', '"name": "../../etc/passwd"'));
  await refuses(t, path, 'NOT_A_BACKUP');
});

test('a link in the place of a file is not followed', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('one');
  const { path } = await library.backup();
  await rm(join(path, fileOf('one')));
  const outside = join(library.folder, 'outside');
  await writeFile(outside, 'one');
  await symlink(outside, join(path, fileOf('one')));
  await using backup = await openBackup(path);
  t.regex((await backup.verifyChecksums()).join('\n'), /is a link/);
});

interface Member {
  readonly name: string;
  readonly type?: 'file' | 'symlink' | 'link' | 'directory' | 'character-device';
  readonly linkname?: string;
}

const HOSTILE: Readonly<Record<string, readonly Member[]>> = {
  'a name above the folder': [{ name: '../../evil' }],
  'an absolute name': [{ name: '/tmp/evil' }],
  'a name above the folder behind a known one': [{ name: 'database/../../evil.copy.gz' }],
  'a name of no backup': [{ name: 'files/readme.txt' }],
  'a hash in the folder of another': [{ name: `files/00/00/${hashOf('one')}` }],
  'a symbolic link': [{ name: 'files.list', type: 'symlink', linkname: '/etc/passwd' }],
  'a hard link': [{ name: 'files.list', type: 'link', linkname: '/etc/passwd' }],
  'a device': [{ name: 'files.list', type: 'character-device' }],
  'a folder': [{ name: 'database', type: 'directory' }],
  'a file twice': [{ name: 'files.list' }, { name: 'files.list' }],
};

for (const [what, members] of Object.entries(HOSTILE))
  test(`an archive with ${what} is refused and leaves nothing behind`, async (t) => {
    await using library = await openBackedUpLibrary();
    const archive = join(library.folder, 'hostile.tar');
    const packed = pack();
    for (const { type = 'file', ...rest } of members) {
      const isFile = type === 'file';
      packed.entry({ ...rest, type, size: isFile ? 4 : 0 }, isFile ? 'evil' : '');
    }
    packed.finalize();
    await pipeline(Readable.from(packed, { objectMode: false }), createWriteStream(archive));
    await refuses(t, archive, 'NOT_A_BACKUP', /unexpected file|twice/);
    t.deepEqual(await readdir(library.folder), ['hostile.tar']);
  });

fullOnly(test)('an archive that is cut off anywhere is refused', async (t) => {
  await using library = await openBackedUpLibrary();
  await library.add('one');
  const { path } = await library.backup({ isArchive: true });
  const whole = await readFile(path);
  const cut = join(library.folder, 'cut.tar');
  for (const share of [0.1, 0.5, 0.9]) {
    await writeFile(cut, whole.subarray(0, Math.floor(whole.length * share)));
    await refuses(t, cut, 'NOT_A_BACKUP');
  }
  await writeFile(cut, 'no archive at all');
  await refuses(t, cut, 'NOT_A_BACKUP');
});
