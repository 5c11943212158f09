import type { Entry } from 'ldapts';

/** Every value of an attribute as text; its name in any case, as directories answer in the case of their schema. */
export const readValues = (entry: Entry, attribute: string): readonly string[] => {
  const wanted = attribute.toLowerCase();
  const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted && name !== 'dn') ?? [];
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === 'string' && one !== '');
};

export const readValue = (entry: Entry, attribute: string): string | undefined => readValues(entry, attribute)[0];

/** Active Directory's id of an entry, 16 bytes. */
export const readObjectGuid = (entry: Entry): string | undefined => {
  const value = entry['objectGUID'];
  return Buffer.isBuffer(value) && value.length > 0 ? value.toString('hex') : undefined;
};
