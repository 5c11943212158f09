import { type Invoice, readEinvoice, validateEinvoice } from '@sheaf/einvoice';
import { RULES } from '@sheaf/einvoice/testing';
import test from 'ava';
import { breakersOf, CATEGORIES, inCategory, SPECIAL_BREAKERS } from './category-breakers.ts';
import { ciiXml } from './cii-xml.ts';
import { BREAKERS } from './rule-breakers.ts';
import { ublXml } from './ubl-xml.ts';

const valid = await readEinvoice(Buffer.from(ublXml()));

const codesOf = (invoice: Invoice): string[] => validateEinvoice(invoice).map(({ code }) => code);

test('an invoice that keeps all rules has no violation', (t) => {
  t.deepEqual(codesOf(valid), []);
});

for (const [code, breaker] of Object.entries(BREAKERS)) {
  test(`an invoice that breaks ${code} has that violation`, (t) => {
    t.true(codesOf(breaker(valid)).includes(code), codesOf(breaker(valid)).join(' '));
  });
}

for (const category of CATEGORIES) {
  const invoice = inCategory(valid, category);

  test(`an invoice in the VAT category ${category.code} can keep all rules`, (t) => {
    t.deepEqual(codesOf(invoice), []);
  });

  for (const [code, breaker] of Object.entries(breakersOf(category))) {
    test(`an invoice that breaks ${code} has that violation`, (t) => {
      t.true(codesOf(breaker(invoice)).includes(code), codesOf(breaker(invoice)).join(' '));
    });
  }
}

for (const [code, [categoryCode, breaker]] of Object.entries(SPECIAL_BREAKERS)) {
  test(`an invoice that breaks ${code} has that violation`, (t) => {
    const category = CATEGORIES.find((one) => one.code === categoryCode)!;
    t.true(codesOf(breaker(inCategory(valid, category))).includes(code));
  });
}

test('every rule has a code of its own, a message, and an invoice above that breaks it', (t) => {
  const codes = RULES.map(({ code }) => code);
  t.is(new Set(codes).size, codes.length);
  t.true(RULES.every(({ message }) => message.endsWith('.')));
  const broken = new Set([
    ...Object.keys(BREAKERS),
    ...CATEGORIES.flatMap((one) => Object.keys(breakersOf(one))),
    ...Object.keys(SPECIAL_BREAKERS),
  ]);
  t.deepEqual(
    codes.filter((code) => !broken.has(code)),
    [],
  );
});

test('sums are exact where floating point is not', (t) => {
  const [line] = valid.lines;
  const lines = ['0.10', '0.20', '99.70'].map((netAmount) => ({ ...line!, netAmount }));
  t.deepEqual(codesOf({ ...valid, lines }), []);
  t.deepEqual(codesOf({ ...valid, lines: lines.toSpliced(0, 1, { ...line!, netAmount: '0.11' }) }), ['BR-CO-10']);
});

test('an invoice of negative amounts is measured like any other', (t) => {
  const negative = (text: string | undefined): string | undefined => (text === undefined ? undefined : `-${text}`);
  const invoice: Invoice = {
    ...valid,
    lines: valid.lines.map((line) => ({ ...line, quantity: negative(line.quantity), netAmount: negative(line.netAmount) })),
    taxes: valid.taxes.map((tax) => ({ ...tax, taxable: negative(tax.taxable), amount: negative(tax.amount) })),
    totals: { ...valid.totals, lines: '-100', net: '-100', tax: '-19', grandTotal: '-119', payable: '-119' },
  };
  t.deepEqual(codesOf(invoice), []);
});

test('lines of several rates are summed up for each rate', (t) => {
  const [line] = valid.lines;
  const [tax] = valid.taxes;
  const lines = [line!, { ...line!, tax: { category: 'S', rate: '7.00' }, netAmount: '10.00' }];
  const taxes = [tax!, { ...tax!, rate: '7', taxable: '10.00', amount: '0.70' }];
  const totals = { ...valid.totals, lines: '110.00', net: '110.00', tax: '19.70', grandTotal: '129.70', payable: '129.70' };
  t.deepEqual(codesOf({ ...valid, lines, taxes, totals }), []);
  t.deepEqual(codesOf({ ...valid, lines, taxes: [tax!, { ...taxes[1]!, rate: '8' }], totals }), ['BR-S-08']);
});

test('profiles without lines are not asked for lines', async (t) => {
  for (const profileId of ['urn:factur-x.eu:1p0:minimum', 'urn:factur-x.eu:1p0:basicwl'])
    t.deepEqual(codesOf(await readEinvoice(Buffer.from(ciiXml({ profileId, lines: '' })))), []);
  t.true(codesOf(await readEinvoice(Buffer.from(ciiXml({ lines: '' })))).includes('BR-16'));
});

test('the extension of XRechnung may count payments of third parties', (t) => {
  const totals = { ...valid.totals, payable: '122.00' };
  const base = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
  t.deepEqual(codesOf({ ...valid, totals, profileId: base }), ['BR-CO-16']);
  t.deepEqual(codesOf({ ...valid, totals, profileId: `${base}#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0` }), []);
});
