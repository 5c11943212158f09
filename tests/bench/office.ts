import { readFile } from 'node:fs/promises';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';
import { corpusPath, officeCorpus } from '../support/corpus.ts';
import { openBenchService } from './bench-service.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const KINDS = ['docx', 'odt', 'xlsx', 'pptx'] as const;
/** The first warms LibreOffice up and is not counted. */
const ROUNDS = 6;
const LIMIT_MS = 60_000;
const WANTED_SECONDS = 0.3;
/** Of more pages than "a few". */
const LONG = /aes\.www_conferences/;

const EOCD_BYTES = 22;

/** The same archive with a comment behind it: other bytes, so that nothing made for an earlier round is used again. */
const withComment = (zip: Buffer, comment: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.concat([zip, Buffer.from(comment)]);
  bytes.writeUInt16LE(comment.length, zip.length - 2);
  return new Uint8Array(bytes);
};

const readSamples = async (): Promise<{ file: string; bytes: Buffer }[]> => {
  const files = (officeCorpus() ?? []).map(({ file }) => file).filter((file) => !LONG.test(file));
  const wanted = files.filter((file) => KINDS.some((kind) => kind === extensionOf(file)));
  const samples = await Promise.all(wanted.map(async (file) => ({ file, bytes: await readFile(corpusPath('office', file)) })));
  return samples.filter(({ bytes }) => bytes.readUInt32LE(bytes.length - EOCD_BYTES) === 0x06054b50);
};

/** Seconds from claim to completed of office documents of a few pages, one at a time through the whole service. */
export const run = async (): Promise<void> => {
  const samples = await readSamples();
  if (samples.length === 0) return;
  console.log(`Office documents, ${ROUNDS - 1} rounds, one at a time; ${machineLine()}`);
  const seconds = new Map<string, number[]>();
  await using bench = await openBenchService();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { file, bytes } of samples) {
      const id = await bench.upload(file, withComment(bytes, `round ${round}`));
      const took = await bench.secondsOf(id, LIMIT_MS);
      if (round > 0) seconds.set(file, [...(seconds.get(file) ?? []), took]);
    }
  }
  report(seconds);
};

const report = (seconds: ReadonlyMap<string, readonly number[]>): void => {
  console.log('| kind | documents | median s | slowest document, median s |\n|---|---|---|---|');
  const all = [...seconds.values()].flat();
  for (const kind of KINDS) {
    const ofKind = [...seconds].filter(([file]) => extensionOf(file) === kind).map(([, values]) => values);
    const slowest = Math.max(...ofKind.map((values) => median(values) ?? 0));
    console.log(`| ${kind} | ${ofKind.length} | ${median(ofKind.flat())?.toFixed(2) ?? '-'} | ${slowest.toFixed(2)} |`);
  }
  const middle = median(all) ?? Number.POSITIVE_INFINITY;
  console.log(`| all | ${seconds.size} | ${middle.toFixed(2)} | |`);
  console.log(`${middle <= WANTED_SECONDS ? 'reached' : 'MISSED'}: median ${WANTED_SECONDS} s`);
};
