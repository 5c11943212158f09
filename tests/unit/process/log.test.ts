import { setImmediate } from 'node:timers/promises';
import { Secret } from '@sheaf/contract';
import { makeLogger, withLogFields } from '@sheaf/process';
import test from 'ava';
import { keepLines } from '../../support/log-lines.ts';
import { waitFor } from '../../support/wait-for.ts';

const openLog = (format: 'json' | 'text' = 'json', level: 'debug' | 'info' = 'info') => {
  const lines = keepLines();
  return { ...lines, log: makeLogger({ level, format }, 'test', lines.output) };
};

test('a line of JSON has its time, process, level, words and fields', (t) => {
  const { log, entries } = openLog();
  log.info({ pages: 12 }, 'read');
  const [entry = {}] = entries();
  t.like(entry, { level: 30, process: 'test', pid: process.pid, pages: 12, msg: 'read' });
  t.false(Number.isNaN(Date.parse(String(entry['time']))));
});

test('a line of text has its fields and no secret', async (t) => {
  const { log, text } = openLog('text');
  withLogFields({ request_id: 'r-1' }, () => log.warn({ url: 'redis://:hidden@cache:6379/0', pages: 12 }, 'careful'));
  await waitFor(() => text() !== '', { description: 'a line', limitMs: 20_000 });
  t.regex(text(), /WARN.*careful.*"request_id":"r-1".*"pages":12/);
  t.false(text().includes('hidden'));
});

test('a line of text says on which day it was, and how far its clock is from UTC', async (t) => {
  const { log, text } = openLog('text');
  log.info('done');
  await waitFor(() => text() !== '', { description: 'a line', limitMs: 2_000 });
  const [, day = '', time = '', offset = ''] = /^\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) ([+-]\d{4})\] INFO/.exec(text()) ?? [];
  t.true(Math.abs(Date.parse(`${day}T${time}${offset}`) - Date.now()) < 60_000, text());
});

test('lines have the ids of the work that causes them, through what it waits for, and nobody else’s', async (t) => {
  const { log, entries } = openLog();
  const work = (id: string): Promise<void> =>
    withLogFields({ job_id: id }, async () => {
      await setImmediate();
      log.info('outer');
      await withLogFields({ page: 1 }, async () => {
        await setImmediate();
        log.info({ job_id: `${id}!` }, 'inner');
      });
    });
  await Promise.all([work('a'), work('b')]);
  log.info('after');
  const seen = entries().map(({ msg, job_id, page }) => JSON.stringify({ msg, job_id, page }));
  t.deepEqual(seen.toSorted(), [
    '{"msg":"after"}',
    '{"msg":"inner","job_id":"a!","page":1}',
    '{"msg":"inner","job_id":"b!","page":1}',
    '{"msg":"outer","job_id":"a"}',
    '{"msg":"outer","job_id":"b"}',
  ]);
});

test('the level can be changed while the process runs', (t) => {
  const { log, entries } = openLog();
  log.debug('too little');
  log.level = 'debug';
  log.debug('worth it');
  log.level = 'error';
  log.warn('not any more');
  t.deepEqual(
    entries().map(({ msg }) => msg),
    ['worth it'],
  );
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.hidden-signature';
const KEY = `shf_hidden${'k'.repeat(37)}`;

/** What may come into a log by mistake; `hidden` is in each secret and must not be in the line. */
const SLIPS: Readonly<Record<string, readonly [fields: object, words: string]>> = {
  'a field called password': [{ password: 'hidden' }, 'x'],
  'a field deep down': [{ a: { b: { c: { d: { newPassword: 'hidden' } } } } }, 'x'],
  'a field with a quote in it': [{ a: { b: { c: { client_secret: 'hid"hidden"den' } } } }, 'x'],
  'headers of a request': [
    { req: { headers: { authorization: 'Bearer hidden', cookie: 'sheaf_session=hidden', 'x-api-key': 'hidden' } } },
    'x',
  ],
  'headers of an answer': [{ a: { b: { c: { 'set-cookie': ['s=hidden; Path=/', 't=hidden'] } } } }, 'x'],
  'a Secret': [{ value: new Secret('hidden') }, String(new Secret('hidden'))],
  'an address with a password in an error': [{ err: new Error('cannot connect to postgresql://sheaf:hidden@db:5432/sheaf') }, 'x'],
  'an address with an @ in its password': [{ err: new Error('postgresql://sheaf:hid@hidden@db/sheaf') }, 'x'],
  'the cause of an error': [{ err: new Error('outer', { cause: new Error('redis://:hidden@cache') }) }, 'x'],
  'a field of an error': [{ err: Object.assign(new Error('S3'), { config: { credentials: { secretAccessKey: 'hidden' } } }) }, 'x'],
  'keys of S3 in an error': [{ err: new Error("The key AKIAHIDDEN0123456789 with secretAccessKey: 'hidden' is refused") }, 'x'],
  'a token in an address': [{ path: '/api/auth/verify-email?token=hidden&x=1' }, 'GET /ws?access_token=hidden'],
  'a sign-in of a provider': [{ url: 'http://localhost/api/auth/oidc/callback?code=hidden&state=hidden' }, 'x'],
  'a signed address': [{ url: 'https://bucket.s3.amazonaws.com/k?X-Amz-Credential=hidden&X-Amz-Signature=hidden' }, 'x'],
  'a header in words': [{}, 'sent Authorization: Basic hidden and more'],
  'a bearer token in words': [{}, 'refused Bearer hidden0123 from ann'],
  'a token of ours in words': [{ jwt: JWT }, `got ${JWT}`],
  'an API key in words': [{}, `got ${KEY}`],
  'JSON in words': [{ err: new Error('the answer was {"access_token":"hidden","n":1}') }, 'x'],
  'an object as Node prints it': [{}, "given { username: 'ann', password: 'hidden' }"],
  'a connection string of Azure': [{}, 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hidden==;EndpointSuffix=b'],
  'a connection string of libpq': [{}, 'host=db user=sheaf password=hidden dbname=sheaf'],
};

for (const [name, [fields, words]] of Object.entries(SLIPS))
  test(`no secret reaches the log: ${name}`, (t) => {
    const { log, text, entries } = openLog();
    log.error(fields, words);
    t.false(/hidden/i.test(text()), text());
    t.is(entries().length, 1, 'and it is a line of JSON still');
  });

test('what is no secret stays', (t) => {
  const { log, entries } = openLog();
  const fields = {
    err: new Error('password authentication failed for user "sheaf"'),
    exit: 'ended with code=1, state=idle',
    url: 'https://dav.example.org/files/a@b?depth=1',
    tokens: 12,
    setting: 'password_min_length',
    basic: 'Basic authentication is switched off',
  };
  log.info(fields, 'done');
  const [entry = {}] = entries();
  t.like(entry, { exit: fields.exit, url: fields.url, tokens: 12, setting: fields.setting, basic: fields.basic });
  t.is((entry['err'] as { message: string }).message, fields.err.message);
});

test('a line that strangers made long takes no longer than its length', (t) => {
  const { log, entries } = openLog();
  for (const part of ['a', 'a=', 'token', '"', '\\"', 'a://', 'Bearer ', "password: '", 'x.y-'])
    log.info({ text: part.repeat(200_000) }, 'long');
  t.is(entries().length, 9);
});
