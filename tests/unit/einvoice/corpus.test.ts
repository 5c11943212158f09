import { detectEinvoice, EinvoiceError, einvoiceText, readEinvoice, renderEinvoiceHtml } from '@sheaf/einvoice';
import test from 'ava';
import { compareFacts, einvoiceCorpus, einvoiceXml } from '../../support/einvoice-corpus.ts';

const entries = (await einvoiceCorpus()) ?? [];
const stored = entries.filter(({ kind, stored }) => stored !== false && (kind === 'einvoice-xml' || kind === 'hostile'));

if (stored.length === 0) test.skip('the corpus of e-invoices is not there', () => {});

for (const entry of stored.filter(({ file }) => !file.endsWith('.pdf'))) {
  test(`${entry.file} gives every field that it holds, or a clear error`, async (t) => {
    const xml = await einvoiceXml(entry);
    if (entry.kind === 'hostile') {
      await t.throwsAsync(readEinvoice(xml!), { instanceOf: EinvoiceError });
      return;
    }
    const invoice = await readEinvoice(xml!);
    t.deepEqual(compareFacts(entry, invoice).wrong, []);
    t.is(detectEinvoice(xml!.subarray(0, 65_536))?.document, invoice.document);
    t.true(einvoiceText(invoice).includes(invoice.number ?? ''));
    t.true(renderEinvoiceHtml(invoice, 'de').endsWith('</html>\n'));
  });
}
