import type { Invoice } from '../invoice.ts';
import { formatDay } from './formats.ts';
import { Html, html } from './html-template.ts';
import { titleOf, type ViewLanguage } from './labels.ts';
import { adjustmentsView, linesView } from './line-view.ts';
import { deliveryView, headingOf, partyView } from './party-view.ts';
import { paymentView } from './payment-view.ts';
import { taxesView, totalsView } from './total-view.ts';
import { listOf, section, tableOf } from './view-parts.ts';

/** The content of the style element, for the hash in a policy. Nothing in it is loaded from elsewhere. */
export const EINVOICE_STYLE = `
  :root { color-scheme: light dark; }
  body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
  .parties { display: grid; gap: 0 2rem; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); }
  address { font-style: normal; } address div, .small, dd, p { white-space: pre-line; }
  dl { display: grid; gap: .1rem 1rem; grid-template-columns: max-content 1fr; margin: .5rem 0; } dt { opacity: .75; } dd { margin: 0; }
  table { border-collapse: collapse; width: 100%; } th, td { border-bottom: 1px solid #8886; padding: .3rem .4rem; text-align: left; vertical-align: top; }
  th { white-space: nowrap; }
  .number { text-align: right; white-space: nowrap; } .small { font-size: .87em; opacity: .8; }
  @media print { body { margin: 0; max-width: none; font-size: 10pt; } tr, dl { break-inside: avoid; } thead { display: table-header-group; } }
`;
const STYLE = new Html(EINVOICE_STYLE);

/**
 * A whole HTML page that shows the invoice in English or German, on screen and on paper. All texts of the invoice are escaped; there are
 * no scripts, no links and nothing that is loaded. It has one style element, EINVOICE_STYLE.
 */
export const renderEinvoiceHtml = (invoice: Invoice, language: ViewLanguage): string => {
  const heading = headingOf(titleOf(invoice.typeCode), invoice.number, language);
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title><style>${STYLE}</style></head>
<body>
<h1>${heading}</h1>
${factsView(invoice, language)}
<div class="parties">${[
    partyView('seller', invoice.seller, language),
    partyView('buyer', invoice.buyer, language),
    partyView('payee', invoice.payee, language),
    partyView('taxRepresentative', invoice.taxRepresentative, language),
    deliveryView(invoice.deliveryAddress, language),
  ]}</div>
${invoice.notes.length === 0 ? undefined : section('notes', language, ...invoice.notes.map((note) => html`<p>${note}</p>`))}
${linesView(invoice, language)}
${adjustmentsView(invoice, language)}
${taxesView(invoice, language)}
${totalsView(invoice, language)}
${paymentView(invoice, language)}
${attachmentsView(invoice, language)}
</body>
</html>
`.markup;
};

const factsView = (invoice: Invoice, language: ViewLanguage): Html | undefined => {
  const { period } = invoice;
  return listOf(
    [
      ['issueDate', formatDay(invoice.issueDate, language)],
      ['dueDate', formatDay(invoice.dueDate, language)],
      ['deliveryDate', formatDay(invoice.deliveryDate, language)],
      ['period', period && `${formatDay(period.start, language) ?? ''} – ${formatDay(period.end, language) ?? ''}`],
      ['currency', invoice.currency],
      ['buyerReference', invoice.buyerReference],
      ['orderReference', invoice.orderReference],
      ['contractReference', invoice.contractReference],
      ...invoice.precedingInvoices.map((number) => ['precedingInvoice', number] as const),
      ['profile', invoice.profile ?? invoice.profileId],
    ],
    language,
  );
};

const attachmentsView = ({ attachments }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'attachments',
    language,
    tableOf(
      attachments,
      [
        { label: 'reference', value: ({ reference }) => reference },
        { label: 'description', value: ({ description }) => description },
        { label: 'fileName', value: ({ name, uri }) => name ?? uri },
        { label: 'size', isNumber: true, value: ({ name, size }) => (name === undefined ? undefined : String(size)) },
      ],
      language,
    ),
  );
