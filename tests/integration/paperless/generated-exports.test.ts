import { createHash } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPaperlessArchive, PAPERLESS_MODELS, type PaperlessArchive, type PaperlessModel } from '@sheaf/paperless/archive';
import { isFullRun } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import {
  canMakePaperlessExports,
  type ExpectedExport,
  makePaperlessExports,
  type PaperlessExport,
} from '../../support/paperless-export.ts';

const PASSPHRASE = 'a pass phrase ä';

type Options = readonly string[];

/** Every version with every option at least once; what options do does not depend on the version. */
const ALL_VARIANTS: readonly Options[] = [
  ['--version', '3.0.5', '-z', '-p', '--passphrase', PASSPHRASE],
  ['--version', '2.20.15', '-na', '--passphrase', PASSPHRASE],
  ['--version', '2.12.0', '-p', '-na', '-nt'],
  ['--version', '2.12.0', '-sm', '-z'],
  ['--version', '2.7.2', '-z'],
  ['--version', '3.0.5'],
  ['--version', '3.0.5', '-sm', '-p', '-nt', '--seed', '7'],
  ['--version', '2.20.15', '-z', '-sm', '--seed', '5'],
  ['--version', '2.7.2', '--seed', '3'],
];
/** The first have each version and each option once. */
const VARIANTS = isFullRun ? ALL_VARIANTS : ALL_VARIANTS.slice(0, 5);
const HOSTILE: readonly Options[] = [['--hostile'], ['--hostile', '-z']];
const ALL_DATA_ONLY: readonly Options[] = [['--data-only', '-z', '-p'], ['--data-only'], ['--data-only', '-sm', '--version', '2.20.15']];
const DATA_ONLY = isFullRun ? ALL_DATA_ONLY : ALL_DATA_ONLY.slice(0, 1);
const LOCKED: Options = ['--passphrase', PASSPHRASE];

const testWithGenerator = canMakePaperlessExports() ? test : test.skip;

/** One for each of the options. The tests only read them. */
const exports = new Map<Options, PaperlessExport>();

if (canMakePaperlessExports()) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
  test.after.always(() => folder.remove());
  test.before(async () => {
    const all = [...VARIANTS, ...HOSTILE, ...DATA_ONLY, LOCKED];
    const made = await makePaperlessExports(all.map((options, at) => [join(folder.path, String(at)), options]));
    for (const [at, each] of made.entries()) exports.set(all[at] ?? [], each);
  });
}

const exportOf = (options: Options): PaperlessExport => {
  const found = exports.get(options);
  if (found === undefined) throw new Error(`no export was made with ${options.join(' ')}`);
  return found;
};

const open = async (t: ExecutionContext, options: Options): Promise<{ archive: PaperlessArchive; expected: ExpectedExport }> => {
  const { path, expected } = exportOf(options);
  const archive = await openPaperlessArchive(path, options.includes(PASSPHRASE) ? { passphrase: PASSPHRASE } : {});
  t.teardown(() => archive[Symbol.asyncDispose]());
  return { archive, expected };
};

const digestOf = async (archive: PaperlessArchive, name: string, algorithm: string): Promise<string | undefined> => {
  const opened = await archive.openFile(name);
  if (opened === undefined) return undefined;
  const hash = createHash(algorithm);
  let length = 0;
  for await (const piece of opened.stream) {
    hash.update(piece as Buffer);
    length += (piece as Buffer).length;
  }
  return length === opened.sizeBytes ? hash.digest('hex') : `${length} bytes instead of ${opened.sizeBytes}`;
};

const fieldsByKey = async (archive: PaperlessArchive, model: PaperlessModel) => {
  const found = new Map<number | string, { fields: unknown; files: Record<string, string | undefined> }>();
  for await (const { pk, fields, files } of archive.records([model]))
    found.set(pk, { fields: PAPERLESS_MODELS[model].parse(fields), files });
  return found;
};

const namesByKey = async (archive: PaperlessArchive, model: 'documents.tag' | 'documents.correspondent') =>
  new Map([...(await fieldsByKey(archive, model))].map(([pk, { fields }]) => [pk, (fields as { name: string }).name]));

for (const options of VARIANTS) {
  testWithGenerator(`everything in an export is read: ${options.join(' ')}`, async (t) => {
    const { archive, expected } = await open(t, options);
    t.like(archive, {
      version: expected.paperless_version,
      checksumAlgorithm: expected.checksum_algorithm,
      isEncrypted: options.includes('--passphrase'),
    });
    const tags = await namesByKey(archive, 'documents.tag');
    t.deepEqual(
      [...tags.values()],
      expected.tags.map(({ name }) => name),
    );
    const correspondents = await namesByKey(archive, 'documents.correspondent');
    const documents = await fieldsByKey(archive, 'documents.document');
    t.deepEqual(
      [...documents.keys()].toSorted((a, b) => Number(a) - Number(b)),
      expected.documents.map(({ pk }) => pk),
    );
    for (const wanted of expected.documents) {
      const { fields, files } = documents.get(wanted.pk) ?? t.fail();
      const document = PAPERLESS_MODELS['documents.document'].parse(fields);
      t.is(document.title, wanted.title);
      t.is(document.checksum, wanted.manifest_checksum);
      t.deepEqual(
        document.tags.map((key) => tags.get(key)),
        wanted.tags,
      );
      t.is(correspondents.get(document.correspondent ?? -1) ?? null, wanted.correspondent);
      t.is(files.original, wanted.exported_file);
      t.is(await digestOf(archive, wanted.exported_file, 'sha256'), wanted.file_state === 'missing' ? undefined : wanted.sha256);
      const checksum = await digestOf(archive, wanted.exported_file, archive.checksumAlgorithm);
      t.is(checksum === document.checksum, wanted.file_state === 'ok');
      t.is(files.archive === undefined, !wanted.has_archive);
      if (files.archive !== undefined)
        t.is(await digestOf(archive, files.archive, archive.checksumAlgorithm), document.archive_checksum ?? '');
      t.is(files.thumbnail === undefined, options.includes('-nt'));
    }
  });

  testWithGenerator(`every record that matters has the fields that are known of it: ${options.join(' ')}`, async (t) => {
    const { archive, expected } = await open(t, options);
    const counts = new Map<string, number>();
    for await (const { model, fields } of archive.records(Object.keys(PAPERLESS_MODELS))) {
      const parsed = PAPERLESS_MODELS[model as PaperlessModel].safeParse(fields);
      t.true(parsed.success, `${model}: ${parsed.error?.message}`);
      counts.set(model, (counts.get(model) ?? 0) + 1);
    }
    const { counts: wanted } = expected;
    t.like(Object.fromEntries(counts), {
      'documents.note': wanted['notes'],
      'documents.customfieldinstance': wanted['custom_field_instances'],
      'documents.customfield': wanted['custom_fields'],
      'documents.savedview': wanted['saved_views'],
      'auth.user': wanted['users'],
      'paperless_mail.mailrule': wanted['mail_rules'],
      'documents.workflow': wanted['workflows'],
    });
    const accounts = await fieldsByKey(archive, 'paperless_mail.mailaccount');
    const passwords = [...accounts.values()].map(({ fields }) => (fields as { password: string }).password);
    t.deepEqual(
      archive.isEncrypted ? passwords.map((password) => archive.decrypt(password)) : passwords,
      expected.mail_accounts.map(({ password }) => password),
    );
  });
}

testWithGenerator('names that lead out of an export lead to nothing, in a folder and in an archive', async (t) => {
  for (const options of HOSTILE) {
    const { archive, expected } = await open(t, options);
    t.is(expected.hostile_documents?.length, 6);
    for (const { file } of expected.hostile_documents ?? []) t.is(await archive.openFile(file), undefined, file);
    t.is(await archive.openFile('../slip.txt'), undefined);
    t.is(await archive.openFile('/abs-slip.txt'), undefined);
  }
});

testWithGenerator('an export without its documents is refused', async (t) => {
  for (const options of DATA_ONLY) await t.throwsAsync(open(t, options), { code: 'data_only' }, options.join(' '));
});

testWithGenerator('a wrong passphrase is noticed, and a missing one leaves the secrets closed', async (t) => {
  const { path } = exportOf(LOCKED);
  await t.throwsAsync(openPaperlessArchive(path, { passphrase: 'another' }), { code: 'passphrase_wrong' });
  await using archive = await openPaperlessArchive(path);
  t.true(archive.isEncrypted);
  const accounts = await fieldsByKey(archive, 'paperless_mail.mailaccount');
  t.is(accounts.size, 3);
  for (const { fields } of accounts.values()) t.is(archive.decrypt((fields as { password: string }).password), undefined);
});
