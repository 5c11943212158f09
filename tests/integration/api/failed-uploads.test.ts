// Every file that was seen on an upload has its line in the ledger, also one that did not arrive or could not be kept.
import { connect, type Socket } from 'node:net';
import type { LedgerEntryBody } from '@sheaf/contract/imports';
import { givenPerson, type Person } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ MAX_FILE_SIZE_MB: '1', ALLOWED_FILE_TYPES: 'pdf,txt' });
const MEGABYTE = 1024 ** 2;

interface Part {
  readonly name: string;
  readonly content: string;
}

const send = async (
  { client }: Person,
  path: string,
  field: string,
  files: readonly Part[],
  fields: Readonly<Record<string, string>> = {},
) => {
  const form = new FormData();
  for (const { name, content } of files) form.append(field, new Blob([content]), name);
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return (await client.request(`/api/documents/${path}`, { method: 'POST', body: form })).status;
};

const linesOf = async ({ client }: Person): Promise<readonly (readonly [string, string, string | null])[]> => {
  const { body } = await client.get('/api/ingest?sort=path&order=asc');
  return (body['data'] as LedgerEntryBody[]).map(({ path, state, reason_code: code }) => [path, state, code]);
};

/** Begins a form with files that it never ends. */
const beginForm = ({ anyone }: RunningApi, { token }: Person, path: string, field: string, names: readonly string[]): Socket => {
  const { hostname, port } = new URL(anyone.url);
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/documents/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 900000\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n\r\n${names.map((name) => `${part(name)}${'x'.repeat(300_000)}`).join('\r\n')}`,
  );
  return socket;
};

// one after the other: each counts the files that wait in the folder of all
for (const [path, field, names, codes] of [
  ['upload', 'file', ['cut.txt'], ['incomplete', 'broken_off']],
  ['bulk-upload', 'files', ['cut-1.txt', 'cut-2.txt'], ['incomplete']],
] as const)
  test.serial(`each file of a form to ${path} that breaks off has failed`, async (t) => {
    const person = await givenPerson(t.context, 'editor');
    const before = (await t.context.storedFiles()).length;
    const socket = beginForm(t.context, person, path, field, names);
    await waitFor(async () => (await t.context.storedFiles()).length >= before + names.length, {
      description: 'the files to arrive',
      limitMs: 20_000,
    });
    socket.destroy();
    const lines = await waitFor(
      async () => {
        const found = await linesOf(person);
        return found.length === names.length && found;
      },
      { description: 'the lines of the ledger', limitMs: 20_000 },
    );
    for (const [index, [name, state, code]] of lines.entries()) {
      t.deepEqual([name, state], [names[index] ?? '', 'failed']);
      t.true((codes as readonly (string | null | undefined)[]).includes(code), String(code));
    }
    const { rows } = await t.context.database.pool.query("select data ->> 'state' as state from events where owner_id = $1", [person.id]);
    t.deepEqual(
      rows,
      names.map(() => ({ state: 'failed' })),
    );
  });

test.serial('a form that is wrong itself has its files in the ledger as failed, with what is wrong', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  const file = (name: string) => [{ name, content: name }];
  const nobody = '019eb1f0-0000-7000-8000-000000000000';
  t.is(await send(person, 'upload', 'file', file('a.txt'), { owner_id: 'me' }), 400);
  t.is(await send(person, 'upload', 'file', file('b.txt'), { labels: nobody }), 400);
  t.is(await send(person, 'bulk-upload', 'files', [...file('c.txt'), ...file('d.txt')], { default_labels: nobody }), 400);
  t.is(await send(person, 'bulk-upload', 'files', file('e.txt'), { language: '../etc' }), 400);
  const lines = await linesOf(person);
  t.deepEqual(
    lines.map(([name, state]) => `${name} ${state}`),
    ['a.txt failed', 'b.txt failed', 'c.txt failed', 'd.txt failed', 'e.txt failed'],
  );
  for (const [, , code] of lines) t.truthy(code);
});

test.serial('a form in which no file was seen has no line', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  t.is(await send(person, 'upload', 'file', [], { title: 'x' }), 400);
  t.is(await send(person, 'upload', 'document', [{ name: 'a.txt', content: 'a' }]), 400);
  t.is(await send(person, 'upload', 'file', [{ name: 'a.txt', content: 'x'.repeat(4 * MEGABYTE) }]), 400);
  t.deepEqual(await linesOf(person), []);
});

test.serial('of several files each has its own line, good or bad', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  const files = [
    { name: 'a.txt', content: 'said by a' },
    { name: 'b.txt', content: 'said by a' },
    { name: 'c.exe', content: 'MZ' },
    { name: 'd.txt', content: 'x'.repeat(MEGABYTE + 1) },
  ];
  t.is(await send(person, 'bulk-upload', 'files', files), 201);
  t.deepEqual(
    (await linesOf(person)).map(([name, state]) => `${name} ${state}`),
    ['a.txt ingested', 'b.txt duplicate', 'c.exe ignored', 'd.txt ignored'],
  );
});
