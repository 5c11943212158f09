import type { Address, Adjustment, Attachment, Invoice, Line, Party, PaymentMeans } from '../invoice.ts';
import { type LabelKey, labelOf, titleOf, VIEW_LANGUAGES, type ViewLanguage } from './labels.ts';
import {
  formatAmount,
  formatDay,
  formatNumber,
  formatRate,
  Html,
  type HtmlValue,
  html,
  listOf,
  section,
  tableOf,
  taxesView,
  totalsView,
} from './total-view.ts';

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

const rowsOf = (means: PaymentMeans): (readonly [LabelKey, string | undefined])[] => [
  ['paymentMeans', means.text ?? means.code],
  ['paymentReference', means.reference],
  ...means.accounts.flatMap(({ id, name, bic }) => [['account', id] as const, ['accountName', name] as const, ['bic', bic] as const]),
  ['card', means.cardNumber],
  ['mandate', means.mandate],
  ['debitedAccount', means.debitedAccount],
];

const paymentView = ({ paymentMeans, paymentTerms }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'payment',
    language,
    ...paymentMeans.map((means) => listOf(rowsOf(means), language)),
    listOf([['paymentTerms', paymentTerms]], language),
  );

const small = (text: string | undefined): Html | undefined => (text === undefined ? undefined : html`<div class="small">${text}</div>`);

const adjustmentText = (adjustment: Adjustment, language: ViewLanguage): string => {
  const label = labelOf(adjustment.isCharge ? 'charge' : 'allowance', language);
  return `${label}: ${[formatAmount(adjustment.amount, language), adjustment.reason ?? adjustment.reasonCode].filter(Boolean).join(' ')}`;
};

const itemOf = (line: Line, language: ViewLanguage): HtmlValue => [
  html`<div>${line.name}</div>`,
  small(line.description),
  small(line.note),
  small(line.sellerItemId && `${labelOf('itemNumber', language)}: ${line.sellerItemId}`),
  ...line.itemAttributes.map(({ name, value }) => small(`${name ?? ''}: ${value ?? ''}`)),
  small(line.period && `${formatDay(line.period.start, language) ?? ''} – ${formatDay(line.period.end, language) ?? ''}`),
  ...line.adjustments.map((adjustment) => small(adjustmentText(adjustment, language))),
];

const linesView = ({ lines }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'lines',
    language,
    tableOf(
      lines,
      [
        { label: 'position', value: ({ id }) => id },
        { label: 'item', value: (line) => itemOf(line, language) },
        { label: 'quantity', isNumber: true, value: ({ quantity }) => formatNumber(quantity, language) },
        { label: 'unit', value: ({ unit }) => unit },
        { label: 'netPrice', isNumber: true, value: ({ netPrice }) => formatAmount(netPrice, language) },
        { label: 'taxRate', isNumber: true, value: ({ tax }) => formatRate(tax, language) },
        { label: 'netAmount', isNumber: true, value: ({ netAmount }) => formatAmount(netAmount, language) },
      ],
      language,
    ),
  );

const adjustmentsView = ({ adjustments }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'adjustments',
    language,
    tableOf(
      adjustments,
      [
        { label: 'category', value: ({ isCharge }) => labelOf(isCharge ? 'charge' : 'allowance', language) },
        { label: 'reason', value: ({ reason, reasonCode }) => reason ?? reasonCode },
        { label: 'taxRate', isNumber: true, value: ({ tax }) => formatRate(tax, language) },
        { label: 'amount', isNumber: true, value: ({ amount }) => formatAmount(amount, language) },
      ],
      language,
    ),
  );

type Words = readonly (string | undefined)[];

const partyWords = (party: Party | undefined): Words => [
  party?.name,
  party?.tradingName,
  ...addressLines(party?.address),
  ...(party?.identifiers ?? []).map(({ id }) => id),
  party?.legalId,
  party?.vatId,
  party?.taxId,
  party?.electronicAddress?.id,
  party?.contact?.name,
  party?.contact?.phone,
  party?.contact?.email,
];

const adjustmentWords = ({ reason, amount }: Adjustment): Words => [reason, amount];

const lineWords = (line: Line): Words => [
  line.id,
  line.name,
  line.description,
  line.note,
  line.sellerItemId,
  line.standardItemId?.id,
  ...line.itemAttributes.flatMap(({ name, value }) => [name, value]),
  line.quantity,
  line.unit,
  line.netPrice,
  line.netAmount,
  ...line.adjustments.flatMap(adjustmentWords),
];

const paymentWords = (means: PaymentMeans): Words => [
  means.text,
  means.reference,
  ...means.accounts.flatMap(({ id, name, bic }) => [id, name, bic]),
  means.mandate,
  means.debitedAccount,
];

const attachmentWords = ({ reference, description, name, uri }: Attachment): Words => [reference, description, name, uri];

/** The words of an invoice for search, one line per part: what it is called in every language of the view, then the texts as written. */
export const einvoiceText = (invoice: Invoice): string => {
  const { totals } = invoice;
  const rows: Words[] = [
    [...new Set(VIEW_LANGUAGES.map((language) => labelOf(titleOf(invoice.typeCode), language))), invoice.number],
    [invoice.issueDate, invoice.dueDate, invoice.deliveryDate, invoice.period?.start, invoice.period?.end],
    [invoice.buyerReference, invoice.orderReference, invoice.contractReference, ...invoice.precedingInvoices],
    ...[invoice.seller, invoice.buyer, invoice.payee, invoice.taxRepresentative].map(partyWords),
    addressLines(invoice.deliveryAddress),
    ...invoice.notes.map((note) => [note]),
    ...invoice.lines.map(lineWords),
    ...invoice.adjustments.map(adjustmentWords),
    ...invoice.taxes.map(({ rate, taxable, amount, exemptionReason }) => [rate && `${rate} %`, taxable, amount, exemptionReason]),
    [totals.net, totals.tax, totals.grandTotal, totals.prepaid, totals.payable, invoice.currency],
    ...invoice.paymentMeans.map(paymentWords),
    [invoice.paymentTerms],
    ...invoice.attachments.map(attachmentWords),
  ];
  return rows
    .map((words) => words.filter((word) => word !== undefined && word !== '').join(' '))
    .filter((row) => row !== '')
    .join('\n');
};

const joined = (...parts: readonly (string | undefined)[]): string | undefined => {
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? undefined : text;
};

/** The lines of an address as on a letter. */
const addressLines = (address: Address | undefined): string[] =>
  [...(address?.lines ?? []), joined(address?.postcode, address?.city), address?.subdivision, address?.country].filter(
    (line) => line !== undefined,
  );

const partyView = (heading: LabelKey, party: Party | undefined, language: ViewLanguage): Html | undefined =>
  party &&
  section(heading, language, addressView([party.name, party.tradingName, ...addressLines(party.address)]), detailsOf(party, language));

const deliveryView = (address: Address | undefined, language: ViewLanguage): Html | undefined =>
  address && section('deliveryAddress', language, addressView(addressLines(address)));

const addressView = (lines: readonly (string | undefined)[]): HtmlValue =>
  html`<address>${lines.filter((line) => line !== undefined).map((line) => html`<div>${line}</div>`)}</address>`;

const detailsOf = (party: Party, language: ViewLanguage): HtmlValue =>
  listOf(
    [
      ...party.identifiers.map(({ id }) => ['identifier', id] as const),
      ['legalId', party.legalId],
      ['vatId', party.vatId],
      ['taxId', party.taxId],
      ['electronicAddress', party.electronicAddress?.id],
      ['contact', joined(party.contact?.name, party.contact?.phone, party.contact?.email)],
    ],
    language,
  );

const headingOf = (title: LabelKey, number: string | undefined, language: ViewLanguage): string =>
  joined(labelOf(title, language), number) ?? '';
