import { commonNameOf, normaliseName } from './distinguished-name.ts';

/** A group as a directory names it. */
export interface Group {
  readonly dn: string;
  readonly names: readonly string[];
}

/** A name that reads like a distinguished name could pass for another group, as the admin group is compared by it. */
const isPlainName = (name: string): boolean => !name.includes('=') && name.trim() !== '';

export const groupOf = (dn: string, names?: readonly string[]): Group => {
  const own = commonNameOf(dn);
  return { dn, names: (names ?? (own === undefined ? [] : [own])).filter(isPlainName) };
};

/** Whether `group` is the one that an operator wrote: by distinguished name however it is spelled, or by name in any case. */
const isMeant = (group: Group, written: string): boolean => {
  const name = normaliseName(written);
  if (name !== undefined) return name === normaliseName(group.dn);
  return group.names.some((one) => one.toLowerCase() === written.trim().toLowerCase());
};

/**
 * What `groups` are called: distinguished names, plain names, and, for each one that the settings mention, the very spelling of the
 * settings, so that whoever maps groups to roles compares text.
 */
export const namesOfGroups = (groups: readonly Group[], mentioned: readonly string[]): readonly string[] => {
  const written = mentioned.filter((name) => groups.some((group) => isMeant(group, name)));
  // A plain name that the settings do not mean must not equal what they say by chance of spelling.
  const others = groups.flatMap(({ dn, names }) => [dn, ...names]);
  return [...new Set([...written, ...others])];
};
