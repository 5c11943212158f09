/** `text` as PostgreSQL and JSON accept it: without NUL, and without halves of surrogate pairs. */
export const storableText = (text: string): string => {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
};

/** A copy of `data` with every text in it made storable. */
export const storableJson = <T extends object>(data: T): T =>
  JSON.parse(JSON.stringify(data, (_key, value: unknown) => (typeof value === 'string' ? storableText(value) : value))) as T;
