/** A part of the specification identifier (BT-24) in lower case, and what it is called. The first that fits counts. */
const PROFILES: readonly (readonly [part: string, name: string])[] = [
  ['xrechnung', 'XRECHNUNG'],
  ['peppol.eu:2017:poacc', 'PEPPOL-BIS-3'],
  ['peppol:pint', 'PEPPOL-PINT'],
  ['minimum', 'MINIMUM'],
  ['basicwl', 'BASIC WL'],
  ['basic', 'BASIC'],
  ['comfort', 'COMFORT'],
  ['extended', 'EXTENDED'],
  ['urn:cen.eu:en16931:2017', 'EN16931'],
];

/** The name of the profile that an identifier belongs to; undefined where it is not known. */
export const profileOf = (id: string | undefined): string | undefined => {
  const lower = id?.toLowerCase() ?? '';
  return PROFILES.find(([part]) => lower.includes(part))?.[1];
};
