import { readFile } from 'node:fs/promises';
import type { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { slowPage, textBomb, textPage } from '../support/hostile-pdf.ts';
import { familyOf } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const WORKER = 'apps/ocr-worker/src/main.ts';
/** Half of them take the memory, half the time. */
const HOSTILE = 64;
/** Leaves 700 MB to the programs that parse documents. */
const MEMORY_LIMIT_MB = 1_400;

const upload = async (client: ApiClient, name: string, bytes: Uint8Array): Promise<string> => {
  const { status, body } = await client.upload({ name, bytes: new Uint8Array(bytes) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

/** Text bombs that take a gigabyte each, and between them pages that take minutes to draw. */
const uploadHostile = async (client: ApiClient): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < HOSTILE; n += 1)
    ids.push(await upload(client, `hostile-${n}.pdf`, n % 2 === 0 ? textBomb(2_000_000, `bomb ${n}`) : slowPage(3_000, `page ${n}`)));
  return ids;
};

const residentMegabytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
};

/** The most that all programs of a process had in memory, looked at ten times a second until it is disposed of. */
const watchPrograms = (pid: number) => {
  let most = 0;
  const look = async (): Promise<void> => {
    const programs = (await familyOf(pid)).filter((one) => one !== pid);
    const sizes = await Promise.all(programs.map(residentMegabytes));
    most = Math.max(
      most,
      sizes.reduce((sum, megabytes) => sum + megabytes, 0),
    );
  };
  const timer = setInterval(() => void look(), 100);
  return { most: () => Math.round(most), [Symbol.dispose]: () => clearInterval(timer) };
};

/** Seconds from the upload until it is completed. */
const timeUrgent = async (client: ApiClient, name: string): Promise<number> => {
  const bytes = name.endsWith('.pdf')
    ? textPage(`an urgent page ${name}`)
    : new TextEncoder().encode(`an urgent page about quicksilver, ${name}`);
  const started = performance.now();
  const id = await upload(client, name, bytes);
  await client.post(`/api/documents/${id}/retry-ocr`, { priority: 'urgent' });
  const { status } = await client.waitForEnd(id, 240_000);
  if (status !== 'completed') throw new Error(`${name} is ${status}`);
  return (performance.now() - started) / 1_000;
};

test(`with ${HOSTILE} hostile files in the queue, those that take too much memory fail, the worker goes on, and urgent texts are processed`, async (t) => {
  t.timeout(3 * 600_000);
  await using given = await givenService({ OCR_WORKER_PROCESSES: '1', CONCURRENT_OCR_JOBS: '2', MEMORY_LIMIT_MB: String(MEMORY_LIMIT_MB) });
  const { service } = given;
  const admin = await (await service.ready()).register('admin');
  const [worker = 0] = await service.processIds(WORKER);
  using programs = watchPrograms(worker);
  const hostile = await uploadHostile(admin);
  const seconds: number[] = [];
  for (let n = 0; n < 3; n += 1) seconds.push(await timeUrgent(admin, `urgent-${n}.txt`));

  const failed = await waitFor(
    async () => {
      const documents = await Promise.all(hostile.map((id) => admin.document(id)));
      const ended = documents.filter(({ error }) => error?.code === 'memory_exceeded');
      return ended.length >= 3 && ended;
    },
    {
      description: () => `documents that take too much memory to fail; so far ${service.output.slice(-3_000)}`,
      limitMs: 240_000,
      everyMs: 500,
    },
  );
  for (let n = 3; n < 6; n += 1) seconds.push(await timeUrgent(admin, `urgent-${n}.txt`));

  seconds.push(await timeUrgent(admin, 'urgent.pdf')); // needs a place of its own, and no page reader

  t.log(
    `urgent texts and a PDF took ${seconds.map((one) => one.toFixed(1)).join(', ')} s; parsers together ${programs.most()} MB at most, of 700`,
  );
  t.true(
    failed.every(({ error }) => error?.message.includes(`Increase MEMORY_LIMIT_MB=${MEMORY_LIMIT_MB}`)),
    failed[0]?.error?.message,
  );
  t.true(
    failed.every(({ id }) => hostile.indexOf(id) % 2 === 0),
    'only those that took the memory',
  );
  t.deepEqual(await service.processIds(WORKER), [worker], 'the worker was not restarted');
  t.notRegex(service.output, /child process restart failed|process exited/);
});
