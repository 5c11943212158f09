import type { Db } from '@sheaf/db';
import { savePages } from '@sheaf/documents/pages';
import { makeSignature, SignatureBacklog, storeSignature } from '@sheaf/filing/near-duplicates';
import { SignatureBuilder } from '@sheaf/filing/testing/near-duplicates';
import { silentLogger } from '@sheaf/process';
import { givenDocument, givenUser } from '@sheaf/testkit';
import { sql } from 'drizzle-orm';
import { machineLine } from './machine.ts';
import { type ScannedText, scannedTexts } from './scanned-papers.ts';
import { openScratchDatabase } from './scratch-database.ts';
import { readBulk } from './search-library.ts';

const TARGETS = { recall: 0.95, precision: 0.95, ms: 10, bytes: 200 };
/** Rows that the bytes are counted at. */
const ROWS = 100_000;

/** How well near-duplicates are found among `[DOCUMENTS]` others, what a document takes, and what is stored of it. */
export const run = async ([others = '2000']: readonly string[] = []): Promise<void> => {
  const texts = await scannedTexts();
  if (texts === undefined) return;
  await using database = await openScratchDatabase();
  const { db } = database;
  const ownerId = (await givenUser(db)).id;
  const background: string[] = [];
  for await (const { text } of readBulk(0, Number(others))) background.push(text);
  console.log(`${texts.length} scans among ${background.length} other documents; ${machineLine()}`);
  console.log('| | target | reached |\n|---|---|---|');
  const byId = new Map<string, ScannedText>();
  let ms = 0;
  const before = process.cpuUsage();
  for (const text of background) ms += await add(db, ownerId, text, () => {});
  for (const scanned of texts) ms += await add(db, ownerId, scanned.text, (id) => byId.set(id, scanned));
  const { user, system } = process.cpuUsage(before);
  await reportPairs(db, byId);
  report('ms of processor time of this process a document', TARGETS.ms, (user + system) / 1_000 / (texts.length + background.length), 1);
  report('ms a document', TARGETS.ms, ms / (texts.length + background.length), 1);
  report(`bytes a document, of ${ROWS}: rows and all indexes of signatures and pairs`, TARGETS.bytes, await bytesOf(db, ownerId), 0);
};

const report = (what: string, target: number, reached: number, decimals: number): void =>
  console.log(`| ${what} | at most ${target} | ${reached.toFixed(decimals)}${reached > target ? ' (MISSED)' : ''} |`);

/** A processed document with its signature, compared with all before it. Returns the milliseconds of the last two. */
const add = async (db: Db, ownerId: string, text: string, note: (id: string) => void): Promise<number> => {
  const { id } = await givenDocument(db, { ownerId, status: 'completed' });
  note(id);
  await savePages(db, id, [{ page: 1, content: text.replaceAll('\0', ' '), confidence: 1, origin: 'ocr', language: 'eng' }]);
  const started = performance.now();
  const signature = await makeSignature(db, id);
  await db.transaction((tx) => storeSignature(tx, id, signature));
  await new SignatureBacklog(db, silentLogger()).compare(1);
  return performance.now() - started;
};

const reportPairs = async (db: Db, byId: ReadonlyMap<string, ScannedText>): Promise<void> => {
  const { rows } = await db.execute<{ document_id: string; other_id: string }>(sql`select document_id, other_id from near_duplicates`);
  const found = rows.map(({ document_id: one, other_id: other }) => [byId.get(one), byId.get(other)] as const);
  const signed = await db.execute<{ document_id: string }>(sql`select document_id from minhash_signatures where signature is not null`);
  const texts = signed.rows.flatMap(({ document_id: id }) => byId.get(id) ?? []);
  for (const [name, isMeant] of [
    ['held out', (text: ScannedText | undefined) => text?.isHeldOut === true],
    ['learned from', (text: ScannedText | undefined) => text?.isHeldOut === false],
    ['all', () => true],
  ] as const) {
    const papers = Map.groupBy(texts.filter(isMeant), ({ paper }) => paper);
    const wanted = [...papers.values()].reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
    const meant = found.filter(([one]) => isMeant(one));
    const right = meant.filter(([one, other]) => one !== undefined && one.paper === other?.paper).length;
    const [recall, precision] = [right / wanted, right / meant.length];
    reportShare(`recall, ${name}`, TARGETS.recall, recall, `${right} of ${wanted}`);
    reportShare(`precision, ${name}`, TARGETS.precision, precision, `${right} of ${meant.length}`);
  }
  console.log(`| scans with a text too short to be compared | | ${byId.size - texts.length} |`);
};

const reportShare = (what: string, target: number, reached: number, of: string): void =>
  console.log(`| ${what} | ${target} | ${reached.toFixed(3)} (${of})${reached < target ? ' (MISSED)' : ''} |`);

const TOKENS_OF_CHANCE = 60;

/** The signature of a text of words and numbers of chance. */
const signatureOfChance = (): Uint8Array => {
  const builder = new SignatureBuilder();
  const numbers = Uint32Array.from({ length: TOKENS_OF_CHANCE }, () => Math.random() * 2 ** 32);
  builder.add(Array.from(numbers, (number, at) => ({ isNumber: at % 3 === 0, text: at % 3 === 0 ? String(number) : `w${number}` })));
  const signature = builder.build();
  if (signature === undefined) throw new Error('the text is too short');
  return signature;
};

const SIGNATURES_AT_ONCE = 5_000;

const addSignaturesOfChance = async (db: Db): Promise<void> => {
  const { rows } = await db.execute<{ id: string }>(sql`select id from documents where title = 'a' order by id`);
  for (let at = 0; at < rows.length; at += SIGNATURES_AT_ONCE) {
    const ids = rows.slice(at, at + SIGNATURES_AT_ONCE).map(({ id }) => id);
    const signatures = ids.map(() => Buffer.from(signatureOfChance()).toString('hex'));
    await db.execute(sql`insert into minhash_signatures (document_id, is_compared, signature)
      select id, true, decode(signature, 'hex') from unnest(${sql.param(ids)}::uuid[], ${sql.param(signatures)}::text[]) as made (id, signature)`);
  }
};

/** Rows with all indexes, and signatures of chance: they share the fewest bands, so the index is the largest. */
const bytesOf = async (db: Db, ownerId: string): Promise<number> => {
  await db.execute(sql`alter table documents disable trigger user`);
  await db.execute(sql`insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_enabled, ocr_language, source, status)
    select gen_random_uuid(), ${ownerId}, 'a', 'a', 'text/plain', 1, md5(n::text) || md5(n::text), 'a', true, 'eng', 'upload', 'completed'
    from generate_series(1, ${ROWS}) as n`);
  await addSignaturesOfChance(db);
  await db.execute(sql`vacuum minhash_signatures`);
  const { rows } = await db.execute<{ bytes: number; pairs: number; rows: number }>(sql`
    select pg_total_relation_size('minhash_signatures')::float8 as bytes, pg_total_relation_size('near_duplicates')::float8 as pairs,
      (select count(*)::int from minhash_signatures) as rows`);
  const [sizes] = rows;
  if (sizes === undefined) return Number.POSITIVE_INFINITY;
  return (sizes.bytes + sizes.pairs) / sizes.rows;
};
