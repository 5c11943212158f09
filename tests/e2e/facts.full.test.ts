import { makePdf } from '@sheaf/testkit';
import test from 'ava';
import { z } from 'zod';
import { givenService, READING_ALONE } from '../support/given-service.ts';

const factsAnswer = z.looseObject({
  facts: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      value: z.string(),
      page: z.number().nullable(),
      box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).nullable(),
      is_chosen: z.boolean(),
    }),
  ),
});

const invoice = (lines: readonly string[]) => new Uint8Array(makePdf([{ lines: ['Northwind Trading Ltd.', ...lines] }]));

test('an invoice that is uploaded has its facts with their places, and its sender is known from then on', async (t) => {
  t.timeout(3 * 120_000);
  await using given = await givenService({ ALLOWED_FILE_TYPES: 'pdf' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const upload = async (name: string, lines: readonly string[]): Promise<string> => {
    const id = String((await admin.upload({ name, bytes: invoice(lines) })).body['id']);
    t.is((await admin.waitForEnd(id)).status, 'completed');
    return id;
  };
  const factsOf = async (id: string) => factsAnswer.parse((await admin.get(`/api/documents/${id}/facts`)).body).facts;

  const first = await upload('first.pdf', ['Invoice date: 17 May 2024', 'Total due GBP 1,200.00', 'IBAN GB82 WEST 1234 5698 7654 32']);
  const facts = await factsOf(first);
  for (const [kind, value] of [
    ['document_date', '2024-05-17'],
    ['total', '1200.00'],
    ['iban', 'GB82WEST12345698765432'],
  ] as const)
    t.like(
      facts.find((fact) => fact.kind === kind && fact.is_chosen),
      { value, page: 1 },
    );
  const box = facts.find(({ kind }) => kind === 'total')?.box;
  t.true(box != null && box.x > 0.1 && box.x < 0.5 && box.y > 0.08 && box.y < 0.2 && box.width > 0.02 && box.height < 0.05);
  t.like((await admin.get(`/api/documents/${first}`)).body, { document_date: '2024-05-17' });

  const sender = facts.find(({ kind }) => kind === 'sender');
  t.is((await admin.post(`/api/documents/${first}/facts/${String(sender?.id)}/choose`, {})).status, 200);
  const second = await upload('second.pdf', ['Reminder of 3 June 2024']);
  t.like(
    (await factsOf(second)).find(({ kind, is_chosen: isChosen }) => kind === 'sender' && isChosen),
    { value: 'Northwind Trading Ltd.' },
  );
});
