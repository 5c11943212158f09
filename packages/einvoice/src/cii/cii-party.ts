import type { Address, Identifier, Party } from '../invoice.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-node.ts';

export const ciiIdentifier = (node: XmlNode | undefined): Identifier | undefined => {
  const id = textOf(node);
  return id === undefined ? undefined : { id, scheme: attributeOf(node, 'schemeID') ?? attributeOf(node, 'listID') };
};

export const ciiAddress = (node: XmlNode | undefined): Address | undefined =>
  node && {
    lines: [textAt(node, 'LineOne'), textAt(node, 'LineTwo'), textAt(node, 'LineThree')].filter((line) => line !== undefined),
    city: textAt(node, 'CityName'),
    postcode: textAt(node, 'PostcodeCode'),
    subdivision: textAt(node, 'CountrySubDivisionName'),
    country: textAt(node, 'CountryID'),
  };

/** A ram:TradePartyType. */
export const ciiParty = (node: XmlNode | undefined): Party => {
  const legalName = textAt(node, 'Name');
  const tradingName = textAt(node, 'SpecifiedLegalOrganization', 'TradingBusinessName');
  const contact = at(node, 'DefinedTradeContact');
  return {
    name: legalName ?? tradingName,
    tradingName: legalName === undefined || tradingName === legalName ? undefined : tradingName,
    identifiers: [...all(node, 'ID'), ...all(node, 'GlobalID')].map(ciiIdentifier).filter((identifier) => identifier !== undefined),
    legalId: textAt(node, 'SpecifiedLegalOrganization', 'ID'),
    vatId: taxIdOf(node, 'VA'),
    taxId: taxIdOf(node, 'FC'),
    electronicAddress: ciiIdentifier(at(node, 'URIUniversalCommunication', 'URIID')),
    address: ciiAddress(at(node, 'PostalTradeAddress')),
    contact: contact && {
      name: textAt(contact, 'PersonName') ?? textAt(contact, 'DepartmentName'),
      phone: textAt(contact, 'TelephoneUniversalCommunication', 'CompleteNumber'),
      email: textAt(contact, 'EmailURIUniversalCommunication', 'URIID'),
    },
  };
};

/** VAT (BT-31, BT-48, BT-63) is VA or VAT; FC is a local registration (BT-32). */
const taxIdOf = (node: XmlNode | undefined, scheme: 'VA' | 'FC'): string | undefined =>
  all(node, 'SpecifiedTaxRegistration')
    .map((registration) => at(registration, 'ID'))
    .filter((id) => attributeOf(id, 'schemeID')?.toUpperCase().startsWith(scheme) ?? false)
    .map(textOf)
    .find((id) => id !== undefined);
