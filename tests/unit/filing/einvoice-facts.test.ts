import type { Fact } from '@sheaf/facts';
import { withEinvoice } from '@sheaf/filing/testing/facts';
import type { EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import test from 'ava';

const INVOICE: EinvoiceFacts = {
  syntax: 'UBL',
  profile: 'EN16931',
  number: 'R-1',
  type_code: '380',
  issue_date: '2026-03-14',
  due_date: null,
  currency: 'EUR',
  grand_total: '1190.5',
  payable: '1190.5',
  seller: { name: 'ACME GmbH', trading_name: null, vat_id: null, iban: null },
  buyer: { name: null },
};

const fact = (fields: Pick<Fact, 'kind' | 'value'> & Partial<Fact>): Fact => ({
  page: 1,
  box: undefined,
  confidence: 0.9,
  rule: 'page',
  isAmbiguous: false,
  ...fields,
});

const found = (...candidates: readonly Fact[]) => ({ facts: [], candidates });

test('what an e-invoice states goes before what its pages do, and these stay to choose from', (t) => {
  const onPage = fact({ kind: 'document_date', value: '2026-04-14', isAmbiguous: true });
  const { facts, candidates } = withEinvoice(found(onPage), INVOICE);
  t.like(
    facts.find(({ kind }) => kind === 'document_date'),
    { value: '2026-03-14', confidence: 1, rule: 'einvoice', isAmbiguous: false, page: undefined },
  );
  t.deepEqual(
    candidates.filter(({ kind }) => kind === 'document_date').map(({ value }) => value),
    ['2026-03-14', '2026-04-14'],
  );
});

test('what the page states as well keeps its place there, and is said once', (t) => {
  const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
  const { candidates } = withEinvoice(found(fact({ kind: 'total', value: '1190.50', box, page: 2 })), INVOICE);
  t.deepEqual(
    candidates.filter(({ kind }) => kind === 'total').map(({ value, page, box: place }) => ({ value, page, place })),
    [{ value: '1190.50', page: 2, place: box }],
  );
});

test('the sender is the correspondent that its page is surely from', (t) => {
  const senderWith = (confidence: number) =>
    withEinvoice(found(fact({ kind: 'sender', value: 'Acme', correspondentId: 'known', confidence })), INVOICE).facts.find(
      ({ kind }) => kind === 'sender',
    );
  t.like(senderWith(0.8), { value: 'ACME GmbH', correspondentId: 'known' });
  t.like(senderWith(0.3), { value: 'ACME GmbH', correspondentId: undefined });
});
