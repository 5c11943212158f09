import type { Correspondent } from '@sheaf/facts';
import { domainsIn, likenessOf, splitIntoAtoms } from '@sheaf/facts/testing';
import test from 'ava';
import { factOf, valueOf } from './facts-of.ts';

const works: Correspondent = {
  id: 'w',
  name: 'Stadtwerke Musterstadt GmbH',
  aliases: ['SWM Energie'],
  ibans: ['DE89 3704 0044 0532 0130 00'],
  vatIds: ['DE 123 456 789'],
  domains: ['swm.example'],
};
const bank: Correspondent = { id: 'b', name: 'Musterbank AG' };
const correspondents = [works, bank];

const senderOf = (text: string) => factOf('sender', text, { correspondents });

const WAYS: Readonly<Record<string, string>> = {
  'sender.name': 'STADTWERKE  MUSTERSTADT GMBH\nMain street 1',
  'sender.iban': 'Hello\nIBAN DE89370400440532013000',
  'sender.vat_id': 'Hello\nUSt-IdNr. DE123456789',
  'sender.domain': 'Hello\nservice@swm.example',
  'sender.similar_name': 'Stadtwerk3 Musterstadt GmbH\nMain street 1',
};

for (const [rule, text] of Object.entries(WAYS)) {
  test(`a known correspondent is found by ${rule.slice(7)}`, (t) => {
    t.like(senderOf(text), { value: works.name, correspondentId: 'w', rule });
  });
}

test('a known name with some wrong characters is preferred to a name of the letterhead', (t) => {
  t.is(senderOf('STADTVVERKE MUSTERSTAOT GMBH\nReceiver Trading Ltd.')?.correspondentId, 'w');
});

test('an alias gives the name of its correspondent', (t) => {
  t.like(senderOf('swm energie\nInvoice'), { value: works.name, correspondentId: 'w' });
});

test('a name may go on in the next row', (t) => {
  t.is(senderOf('Stadtwerke\nMusterstadt GmbH\nInvoice')?.correspondentId, 'w');
});

test('a known name in the text below comes after that of the letterhead', (t) => {
  t.is(senderOf(`Musterbank AG\n${'a line of text\n'.repeat(40)}to Stadtwerke Musterstadt GmbH`)?.correspondentId, 'b');
});

test('a number that several have names one of them only together with a name', (t) => {
  const branches = ['North', 'South'].map((name) => ({ id: name, name: `Shop ${name}`, vatIds: ['DE123456789'] }));
  const text = 'SHOP SOUTH\nUSt-IdNr. DE123456789';
  t.is(valueOf('sender', text, { correspondents: branches }), 'Shop South');
  t.true((factOf('sender', 'USt-IdNr. DE123456789', { correspondents: branches })?.confidence ?? 1) < 0.75);
});

const LETTERHEADS: Readonly<Record<string, string>> = {
  'Muster GmbH - Uferweg 40 - 63571 Gelnhausen\nAcme Ltd.\n93B Long Road': 'Muster GmbH',
  'POSTED\nACME HARDWARE SDN BHD (126926-H)\nNO 1, JALAN ANGSA': 'ACME HARDWARE SDN BHD',
  'GREEN LEAF VEGETARIAN\nRESTAURANT SDN BHD\n(1095514-X)': 'GREEN LEAF VEGETARIAN RESTAURANT SDN BHD',
  'Sprzedawca: Firma Testowa Sp. z o.o.\nNabywca: Jan Kowalski': 'Firma Testowa Sp. z o.o.',
  'SE_ANGOR\nBLUE DOOR RESTAURANT\n43200 CHERAS': 'BLUE DOOR RESTAURANT',
  'FACTUUR.          Blauw B.V.\n                  Weena 664': 'Blauw B.V.',
  'Invoice\nBill to:\nReceiver Inc.': '',
  'Le Receveur\nTitulaire du compte : PRESSE NET - IBAN': 'PRESSE NET',
};

test('without a known one the sender is the name in the letterhead', (t) => {
  for (const [text, name] of Object.entries(LETTERHEADS)) t.is(valueOf('sender', text) ?? '', name, text);
});

test('the name that the domain of the document has is preferred', (t) => {
  t.is(valueOf('sender', 'Global Things\nAzure Interior\ninfo@azureinterior.example'), 'Azure Interior');
});

test('domains are those of mail and web addresses', (t) => {
  const domains = domainsIn(splitIntoAtoms('www.a-b.example/x, me.too@mail.c.example and 12.50 e.g. nothing'));
  t.deepEqual(
    domains,
    ['a-b.example', 'mail.c.example'].flatMap((domain, at) => (at === 1 ? ['me.too', domain] : [domain])),
  );
});

test('names are alike by the pairs of characters that they share', (t) => {
  t.is(likenessOf('night', 'night'), 1);
  t.is(likenessOf('night', 'nacht'), 0.25);
  t.is(likenessOf('', ''), 0);
});
