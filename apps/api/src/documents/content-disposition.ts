/** Names that every client reads alike; all others are also given in UTF-8. */
const PLAIN = /^[A-Za-z0-9 ._-]+$/;

/** `text` as RFC 8187 writes it: all but a few characters as percent signs and bytes. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The header of RFC 6266 with the name of a file, whatever is in that name. Not express's own: it sends Latin-1 letters as bare
 * bytes, which some clients take for UTF-8.
 */
export const contentDisposition = (type: 'attachment' | 'inline', filename: string): string => {
  if (PLAIN.test(filename)) return `${type}; filename="${filename}"`;
  const fallback = filename.replaceAll(/[^\x20-\x7e]|%(?=[0-9A-Fa-f]{2})/gu, '?').replaceAll(/["\\]/g, '\\$&');
  return `${type}; filename="${fallback}"; filename*=UTF-8''${percentEncode(filename)}`;
};
