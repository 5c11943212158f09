import type { Address, Identifier, Party } from '../invoice.ts';
import { all, at, attributeOf, textAt, textOf, type XmlNode } from '../xml/xml-node.ts';

export const ublIdentifier = (node: XmlNode | undefined): Identifier | undefined => {
  const id = textOf(node);
  return id === undefined ? undefined : { id, scheme: attributeOf(node, 'schemeID') ?? attributeOf(node, 'listID') };
};

export const ublAddress = (node: XmlNode | undefined): Address | undefined =>
  node && {
    lines: [textAt(node, 'StreetName'), textAt(node, 'AdditionalStreetName'), textAt(node, 'AddressLine', 'Line')].filter(
      (line) => line !== undefined,
    ),
    city: textAt(node, 'CityName'),
    postcode: textAt(node, 'PostalZone'),
    subdivision: textAt(node, 'CountrySubentity'),
    country: textAt(node, 'Country', 'IdentificationCode'),
  };

/** A cac:Party, or what has its parts. */
export const ublParty = (node: XmlNode | undefined): Party => {
  const legalName = textAt(node, 'PartyLegalEntity', 'RegistrationName');
  const tradingName = textAt(node, 'PartyName', 'Name');
  const contact = at(node, 'Contact');
  return {
    name: legalName ?? tradingName,
    tradingName: legalName === undefined || tradingName === legalName ? undefined : tradingName,
    identifiers: identifiersOf(node),
    legalId: textAt(node, 'PartyLegalEntity', 'CompanyID'),
    vatId: taxIdOf(node, true),
    taxId: taxIdOf(node, false),
    electronicAddress: ublIdentifier(at(node, 'EndpointID')),
    address: ublAddress(at(node, 'PostalAddress')),
    contact: contact && {
      name: textAt(contact, 'Name'),
      phone: textAt(contact, 'Telephone'),
      email: textAt(contact, 'ElectronicMail'),
    },
  };
};

/** The creditor identifier of SEPA (BT-90) stands among them and identifies no party. */
const identifiersOf = (node: XmlNode | undefined): Identifier[] =>
  all(node, 'PartyIdentification')
    .map((identification) => ublIdentifier(at(identification, 'ID')))
    .filter((identifier) => identifier !== undefined)
    .filter(({ scheme }) => scheme !== 'SEPA');

/** VAT (BT-31, BT-48, BT-63) is a scheme of its own; any other is a local registration (BT-32). */
const taxIdOf = (node: XmlNode | undefined, isVat: boolean): string | undefined => {
  const schemes = all(node, 'PartyTaxScheme');
  const scheme = schemes.find((one) => (textAt(one, 'TaxScheme', 'ID')?.toUpperCase() === 'VAT') === isVat);
  return textAt(scheme, 'CompanyID');
};
