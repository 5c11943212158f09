const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** `text` for the content or a quoted attribute of HTML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

// Apart from the schemas, which the threads that read documents have no use for: they would load them for each thread.

/** `text` as PostgreSQL and JSON accept it: without NUL, and without halves of surrogate pairs. */
export const storableText = (text: string): string => {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
};

/** A copy of `data` with every text in it made storable. */
export const storableJson = <T extends object>(data: T): T =>
  JSON.parse(JSON.stringify(data, (_key, value: unknown) => (typeof value === 'string' ? storableText(value) : value))) as T;

/**
 * `text` without the `character`s at its end. An expression such as `/x+$/` tries each of them anew where something follows,
 * which takes time in proportion to the square of their number.
 */
export const stripEnd = (text: string, character: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
};

/** `text` without the `character`s at its beginning and its end. */
export const stripBoth = (text: string, character: string): string => {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return stripEnd(text.slice(start), character);
};
