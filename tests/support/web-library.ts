import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer, type ApiClient, makePdf } from '@sheaf/testkit';
import type { WholeService } from './in-chromium.ts';
import { makeScan } from './scan.ts';
import { waitFor } from './wait-for.ts';

export const PASSWORD = 'correct horse battery';

const LABELS = [
  ['Invoices', '#e8590c', 'What is to be paid'],
  ['Contracts', '#1971c2', 'Signed by both'],
  ['Tax 2026', '#2f9e44', ''],
  ['Rent', '#9c36b5', 'Flat and garage'],
] as const;

const LETTERS = [
  ['Invoice of the electricity works', ['Invoices'], ['Electricity works', 'Invoice 2026-0815', 'Payment is due within fourteen days.']],
  ['Lease of the flat', ['Contracts', 'Rent'], ['Lease', 'between the landlord and the tenant', 'The rent is 800 a month.']],
  ['Offer for a bicycle', [], ['Offer', 'A bicycle with eleven gears, delivered in May.']],
  ['Tax assessment', ['Tax 2026', 'Invoices', 'Contracts', 'Rent'], ['Tax office', 'Assessment for 2025', 'You get 312.50 back.']],
] as const;

/** The id of what was uploaded, once it is read. */
const ended = async (client: ApiClient, answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`the upload was answered with ${status}: ${JSON.stringify(body)}`);
  await client.waitForEnd(String(body['id']));
  return String(body['id']);
};

export interface WebLibrary {
  /** The one of three pages, with text. */
  readonly letter: string;
  readonly scan: string;
  readonly failed: string;
  readonly source: string;
}

/** Gives the administrator a little of everything that screens show. `folder` has to be in LOCAL_SOURCE_ROOTS. */
export const fillWebLibrary = async ({ anyone, given }: WholeService, folder: string): Promise<WebLibrary> => {
  const admin = await anyone.login('admin', PASSWORD);
  for (const [name, role] of [
    ['grace', 'editor'],
    ['viktor', 'viewer'],
    ['audrey', 'auditor'],
  ] as const)
    await admin.register(name, role);
  const ids = new Map<string, string>();
  for (const [name, color, description] of LABELS)
    ids.set(name, String((await admin.post('/api/labels', { name, color, description })).body['id']));

  const readings = LETTERS.map(([title, labels, lines], number) =>
    ended(
      admin,
      admin.upload(
        {
          name: `${title}.pdf`,
          bytes: new Uint8Array(
            makePdf(number === 0 ? [{ lines }, { lines: ['Second page', ...lines] }, { lines: ['The end.'] }] : [{ lines }]),
          ),
        },
        { title, ...(labels.length === 0 ? {} : { labels: labels.map((name) => ids.get(name)).join(',') }) },
      ),
    ),
  );
  const scanned = ended(admin, admin.upload({ name: 'receipt.tiff', bytes: await makeScan(['grocery receipt', 'other side']) }));
  const note = new TextEncoder().encode('A note of what has to be bought: bread, butter, a bicycle bell.');
  const noted = ended(admin, admin.upload({ name: 'note.txt', bytes: note }));
  const broken = ended(admin, admin.upload({ name: 'broken.pdf', bytes: new TextEncoder().encode('%PDF-1.7\nnot a document at all\n') }));
  const [letter = '', scan, failed] = [(await Promise.all(readings))[0], await scanned, await broken, await noted];

  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'minutes.txt'), 'Minutes of the meeting in March');
  await writeFile(join(folder, 'program.exe'), 'MZ');
  const made = await admin.post('/api/sources', { name: 'Papers of the office', type: 'local_folder', settings: { path: folder } });
  const source = String(made.body['id']);
  await admin.post(`/api/sources/${source}/sync`, {});
  await waitFor(async () => (await admin.get(`/api/sources/${source}`)).body['document_count'] === 1, {
    description: 'the source to be synced',
    limitMs: 30_000,
    everyMs: 100,
  });
  const [synced] = (await admin.get(`/api/documents?source_id=${source}`)).body['data'] as { id: string }[];
  await admin.waitForEnd(String(synced?.id));
  await admin.post('/api/sources', {
    name: 'Cloud',
    type: 'webdav',
    url: 'https://dav.example.org/ada/',
    username: 'ada',
    password: PASSWORD,
    enabled: false,
  });
  await admin.post('/api/keys', { name: 'Backup script', scope: ['documents.read', 'search.*'] });
  await given.database.pool.query(`
    insert into deliveries (id, notification_id, channel, recipient, payload, state, attempts, last_error, delivered_at)
      select gen_random_uuid(), id, case when row_number() over () % 2 = 0 then 'email' else 'webhook' end,
        'admin@example.org', jsonb_build_object('type', type, 'timestamp', created_at, 'data', jsonb_build_object('user_id', user_id)),
        case when row_number() over () % 3 = 0 then 'failed' else 'delivered' end, 3,
        case when row_number() over () % 3 = 0 then 'the host mail.example.org refused: 550 no such mailbox' end,
        case when row_number() over () % 3 = 0 then null else now() end
      from notifications limit 6`);
  return { letter, scan, failed, source };
};
