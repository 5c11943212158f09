import { EinvoiceError, readEinvoice } from '@sheaf/einvoice';
import { findProgram } from '@sheaf/extraction/testing';
import { testWhere } from '../../support/conditional-test.ts';
import { compareFacts, einvoiceCorpus, einvoiceXml } from '../../support/einvoice-corpus.ts';

const corpus = await einvoiceCorpus();
const isPossible = corpus !== undefined && (await findProgram('pdfdetach')) !== undefined;
const declare = testWhere(isPossible, 'there is no corpus of e-invoices, or pdfdetach is not installed');

declare('the XML that is embedded in each PDF of the corpus gives every field that it holds, or a clear error', async (t) => {
  for (const entry of (corpus ?? []).filter(({ file }) => file.endsWith('.pdf'))) {
    const xml = await einvoiceXml(entry);
    if (entry.kind === 'pdf-without-einvoice') t.is(xml, undefined, entry.file);
    else if (entry.kind === 'hostile') await t.throwsAsync(readEinvoice(xml!), { instanceOf: EinvoiceError }, entry.file);
    else t.deepEqual(compareFacts(entry, await readEinvoice(xml!)).wrong, [], entry.file);
  }
});
