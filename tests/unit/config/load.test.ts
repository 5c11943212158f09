import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError, loadConfig } from '@sheaf/config';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<string>;

test.beforeEach((t) => {
  t.context = mkdtempSync(join(tmpdir(), 'sheaf-config-'));
});
test.afterEach.always((t) => rmSync(t.context, { recursive: true, force: true }));

const load = (folder: string, environment: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      ...environment,
    },
    flags: Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, { text, origin: 'command line' as const }])),
  });

/** The variables that are found wrong. */
const mistakes = (folder: string, environment: Record<string, string>): string[] => {
  try {
    load(folder, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues.map(({ variable }) => variable);
    throw error;
  }
};

test('without any setting the embedded database is used and the service listens on port 8080', (t) => {
  const { config } = load(t.context);
  t.is(config.database.url, undefined);
  t.deepEqual([config.server.host, config.server.port], ['0.0.0.0', 8080]);
});

test('DATABASE_URL goes before POSTGRES_*, and any of these is enough to leave the embedded database out', (t) => {
  t.is(
    load(t.context, { DATABASE_URL: 'postgresql://u:p@db/x', POSTGRES_HOST: 'other' }).config.database.url?.reveal(),
    'postgresql://u:p@db/x',
  );
  t.is(
    load(t.context, { POSTGRES_HOST: 'db', POSTGRES_PASSWORD: 'a/b@c' }).config.database.url?.reveal(),
    'postgresql://sheaf:a%2Fb%40c@db:5432/sheaf',
  );
});

test('SERVER_ADDRESS goes before SERVER_HOST and SERVER_PORT, and may be an IPv6 address', (t) => {
  const { config } = load(t.context, { SERVER_ADDRESS: '[::1]:9000', SERVER_PORT: '1' });
  t.deepEqual([config.server.host, config.server.port], ['::1', 9000]);
});

test('the command line goes before the environment', (t) => {
  t.is(load(t.context, { LOG_LEVEL: 'error' }, { LOG_LEVEL: 'debug' }).config.log.level, 'debug');
});

test('an empty value means unset', (t) => {
  t.is(load(t.context, { OCR_DPI: '' }).config.ocr.dpi, 300);
});

test('an old name still works, and the proper name wins over it', (t) => {
  t.is(load(t.context, { OCR_WORKERS: '3' }).config.ocr.concurrentJobs, 3);
  t.is(load(t.context, { OCR_WORKERS: '3', CONCURRENT_OCR_JOBS: '2' }).config.ocr.concurrentJobs, 2);
});

test('all mistakes are told at once, by the name under which the value was given', (t) => {
  const found = mistakes(t.context, {
    OCR_DPI: 'many',
    OCR_WORKERS: '-1',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://x/y',
    JWT_SECRET: 'short',
    OCR_ENABLED: 'perhaps',
  });
  t.deepEqual(found.toSorted(), ['DATABASE_URL', 'JWT_SECRET', 'LOG_LEVEL', 'OCR_DPI', 'OCR_ENABLED', 'OCR_WORKERS']);
});

test('the watch folder may not be, hold or lie in the upload folder, also through a link', (t) => {
  const uploads = join(t.context, 'uploads');
  mkdirSync(uploads);
  symlinkSync(uploads, join(t.context, 'link'));
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: uploads }), ['WATCH_FOLDER']);
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: `${uploads}/` }), ['WATCH_FOLDER']);
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: join(t.context, 'link') }), ['WATCH_FOLDER']);
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: join(uploads, 'in') }), ['WATCH_FOLDER']);
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: t.context }), ['WATCH_FOLDER']);
  t.deepEqual(mistakes(t.context, { WATCH_FOLDER: join(t.context, 'uploads2') }), []);
});

test('uploads have the narrow list of types and e-invoices, and other routes the full one, until the list is set', (t) => {
  const byDefault = load(t.context).config.ingest.allowedFileTypes;
  t.deepEqual(byDefault.upload, ['pdf', 'txt', 'doc', 'docx', 'png', 'jpg', 'jpeg', 'xml']);
  t.true(byDefault.elsewhere.includes('xlsx'));
  const given = load(t.context, { ALLOWED_FILE_TYPES: 'pdf, .JPG' }).config.ingest.allowedFileTypes;
  t.deepEqual(given.upload.toSorted(), ['jpeg', 'jpg', 'pdf']);
  t.deepEqual(given.elsewhere, given.upload);
  t.deepEqual(mistakes(t.context, { ALLOWED_FILE_TYPES: 'pdf,exe' }), ['ALLOWED_FILE_TYPES']);
});

test('secrets are made once, kept in a file only the owner reads, and printed nowhere', (t) => {
  const first = load(t.context).config;
  const second = load(t.context).config;
  t.is(first.tokens.secret.reveal(), second.tokens.secret.reveal());
  t.true(first.tokens.secret.reveal().length >= 32);
  t.is(statSync(join(t.context, 'data/secrets.json')).mode & 0o777, 0o600);
  t.false(inspect(first, { depth: 9 }).includes(first.tokens.secret.reveal()));
  t.false(JSON.stringify(first).includes(first.tokens.secret.reveal()));
});

test('two processes with the same settings have the same hash, and another setting gives another', (t) => {
  t.is(load(t.context, { PROCESS_INSTANCE: '0' }).hash, load(t.context, { PROCESS_INSTANCE: '1' }).hash);
  t.not(load(t.context).hash, load(t.context, { OCR_DPI: '200' }).hash);
});

test('the cloud engine needs its address and its key, and the local one has an older name', (t) => {
  t.deepEqual(mistakes(t.context, { OCR_ENGINE: 'cloud' }).toSorted(), ['CLOUD_OCR_ENDPOINT', 'CLOUD_OCR_KEY']);
  const account = { CLOUD_OCR_ENDPOINT: 'https://name.example', CLOUD_OCR_KEY: 'abc' };
  t.deepEqual(mistakes(t.context, { OCR_ENGINE: 'cloud', ...account, CLOUD_OCR_ENDPOINT: 'name.example' }), ['CLOUD_OCR_ENDPOINT']);
  t.deepEqual(mistakes(t.context, { OCR_ENGINE: 'cloud', ...account, CLOUD_OCR_KEY: 'a b' }), ['CLOUD_OCR_KEY']);
  t.is(load(t.context, { OCR_ENGINE: 'Cloud', ...account }).config.ocr.cloud?.key.reveal(), 'abc');
  t.is(load(t.context, { OCR_ENGINE: 'tesseract', ...account }).config.ocr.engine, 'local');
  t.is(load(t.context, account).config.ocr.cloud, undefined);
});

test('the networks that requests may go to are networks or addresses', (t) => {
  const { outbound } = load(t.context, { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8, ::1, fd00::/8', OUTBOUND_DENY_PRIVATE: 'true' }).config;
  t.deepEqual(outbound, { allowedNetworks: ['127.0.0.0/8', '::1', 'fd00::/8'], denyPrivate: true, caFile: undefined });
  t.deepEqual(load(t.context).config.outbound, { allowedNetworks: [], denyPrivate: false, caFile: undefined });
  for (const wrong of ['127.0.0.0/33', '::/129', 'localhost', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0/8']) {
    t.deepEqual(mistakes(t.context, { OUTBOUND_ALLOWED_NETWORKS: wrong }), ['OUTBOUND_ALLOWED_NETWORKS'], wrong);
  }
});

test('with reading in several languages disabled, OCR_LANGUAGE names one', (t) => {
  const off = { FEATURE_MULTI_LANGUAGE_OCR: 'false' };
  t.deepEqual(mistakes(t.context, { ...off, OCR_LANGUAGE: 'eng+deu' }), ['OCR_LANGUAGE']);
  t.deepEqual(mistakes(t.context, { ...off, OCR_LANGUAGE: 'deu' }), []);
  t.deepEqual(mistakes(t.context, { OCR_LANGUAGE: 'eng+deu' }), []);
});
