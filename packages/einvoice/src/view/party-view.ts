import type { Address, Party } from '../invoice.ts';
import { type Html, type HtmlValue, html } from './html-template.ts';
import { type LabelKey, labelOf, type ViewLanguage } from './labels.ts';
import { listOf, section } from './view-parts.ts';

const joined = (...parts: readonly (string | undefined)[]): string | undefined => {
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? undefined : text;
};

/** The lines of an address as on a letter. */
export const addressLines = (address: Address | undefined): string[] =>
  [...(address?.lines ?? []), joined(address?.postcode, address?.city), address?.subdivision, address?.country].filter(
    (line) => line !== undefined,
  );

export const partyView = (heading: LabelKey, party: Party | undefined, language: ViewLanguage): Html | undefined =>
  party &&
  section(heading, language, addressView([party.name, party.tradingName, ...addressLines(party.address)]), detailsOf(party, language));

export const deliveryView = (address: Address | undefined, language: ViewLanguage): Html | undefined =>
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

export const headingOf = (title: LabelKey, number: string | undefined, language: ViewLanguage): string =>
  joined(labelOf(title, language), number) ?? '';
