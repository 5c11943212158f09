import { ApiClient, isFullRun } from '@sheaf/testkit';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import test from 'ava';
import { z } from 'zod';
import { type BadEntry, badCorpus, corpusPath } from '../support/corpus.ts';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { listenForProbes } from '../support/probes.ts';
import { commandsBelow } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

/** After so many hostile files a good one of somebody else goes in. */
const EVERY = 6;
/** A busy machine takes its time; what matters is printed. */
const GOOD_LIMIT_MS = 120_000;
/** Readers stay warm for half a minute; the office stays for good. */
const WARM_LIMIT_MS = 45_000;

/** tests/integration/extraction/corpus-bad.test.ts reads one of each kind, in the full run all; through the whole service goes one in six of those that have no secret. */
const isTried = ({ expect }: BadEntry, n: number): boolean => isFullRun || n % 6 === 0 || expect.must_not_contain !== undefined;

const corpus = badCorpus()?.filter(isTried);

interface Upload {
  readonly entry: BadEntry;
  /** None when it was refused at the door. */
  readonly id: string | undefined;
  readonly answer: string;
}

const uploadBad = async (client: ApiClient, entry: BadEntry): Promise<Upload> => {
  const { status, body } = await client.upload(corpusPath('bad', entry.file));
  if (status !== 201 && status !== 400) throw new Error(`${entry.file} was answered with ${status}: ${JSON.stringify(body)}`);
  return { entry, id: status === 201 ? String(body['id']) : undefined, answer: JSON.stringify(body) };
};

/** Seconds until a small text is read that goes in behind whatever is there already. */
const readGoodOne = async (client: ApiClient, n: number): Promise<number> => {
  const started = performance.now();
  const { body } = await client.upload({ name: `good-${n}.txt`, bytes: new TextEncoder().encode(`an honest paper, number ${n}`) });
  const { status } = await client.waitForEnd(String(body['id']), GOOD_LIMIT_MS);
  if (status !== 'completed') throw new Error(`a good text ended as ${status}`);
  return (performance.now() - started) / 1_000;
};

const quoted = (phrase: string): string => `"${phrase.replaceAll('"', ' ')}"`;

const pagesAnswer = z.object({ pages: z.array(z.looseObject({ page: z.number(), content: z.string() })), total: z.number() });

/** Every page of a document, as the interface answers them. */
const readPages = async (client: ApiClient, id: string): Promise<unknown[]> => {
  const all: unknown[] = [];
  for (let from = 1; ; from += MAX_PAGES_PER_ANSWER) {
    const { pages, total } = pagesAnswer.parse((await client.get(`/api/documents/${id}/pages?from=${from}`)).body);
    all.push(...pages);
    if (pages.length === 0) {
      if (all.length !== total) throw new Error(`${all.length} pages of ${total}`);
      return all;
    }
  }
};

/** What is wrong with how a file has ended. */
const judge = async (client: ApiClient, { entry: { file, expect }, id, answer }: Upload): Promise<string[]> => {
  if (id === undefined) {
    if (!/"message":"[^"]+/.test(answer)) return [`${file}: refused without a reason: ${answer}`];
    return expect.outcome === 'accept' ? [`${file}: refused: ${answer}`] : [];
  }
  const document = await client.waitForEnd(id);
  const wrong: string[] = [];
  if (document.status === 'failed' && !document.error?.message) wrong.push(`${file}: failed without a reason`);
  if (expect.outcome === 'reject' && document.status !== 'failed') wrong.push(`${file}: ${document.status}`);
  if (expect.outcome === 'accept' && document.status !== 'completed') wrong.push(`${file}: failed: ${document.error?.message}`);
  if (expect.outcome === 'accept' && expect.phrase !== undefined && !(await client.find(quoted(expect.phrase))).includes(id))
    wrong.push(`${file}: not found by ${quoted(expect.phrase)}`);
  const said = JSON.stringify([document, await readPages(client, id)]);
  for (const secret of expect.must_not_contain ?? []) if (said.includes(secret)) wrong.push(`${file}: contains ${secret}`);
  return wrong;
};

(corpus === undefined ? test.skip : test)('hostile and broken files end as they should, and nobody waits for them', async (t) => {
  t.timeout(3 * 240_000);
  await using probes = await listenForProbes();
  await using given = await givenService({ ALLOWED_FILE_TYPES: SUPPORTED_EXTENSIONS.join(','), LOG_LEVEL: 'warn' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const user = { username: 'erin', email: 'erin@example.org', password: 'correct horse battery', role: 'editor' };
  t.is((await admin.post('/api/auth/register', user)).status, 201);
  const erin = await new ApiClient(admin.url).login('erin');
  const workers = await given.service.processIds('ocr-worker');
  t.true(workers.length > 0);

  const uploads: Upload[] = [];
  const waits: number[] = [];
  for (const [n, entry] of (corpus ?? []).entries()) {
    uploads.push(await uploadBad(admin, entry));
    if (n % EVERY === EVERY - 1) waits.push(await readGoodOne(erin, n));
  }
  waits.push(await readGoodOne(erin, uploads.length));
  t.log(`a good text behind hostile files waited at most ${Math.max(...waits).toFixed(1)} s`);

  const wrong: string[] = [];
  for (const upload of uploads) wrong.push(...(await judge(admin, upload)));
  t.deepEqual(wrong, []);
  t.deepEqual(probes.calls, [], 'nothing left the machine');
  t.deepEqual(await given.service.processIds('ocr-worker'), workers, 'the worker has lived through all of them');
  const health = await admin.get('/health');
  t.is(health.status, 200, JSON.stringify(health.body));

  const leftOver = async () => (await commandsBelow(given.folder)).filter((command) => !command.includes('soffice'));
  const gone = async () => (await leftOver()).length === 0;
  await waitFor(gone, { description: 'programs to end', limitMs: WARM_LIMIT_MS, everyMs: 500 }).catch(async () =>
    t.deepEqual(await leftOver(), []),
  );
});
