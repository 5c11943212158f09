/** Texts that were typed by strangers, as PostgreSQL takes them: it has no NUL, and in JSON no half of a character. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The same for every text in what will be JSON. */
export const storableJson = (data: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(data, (_key, value: unknown) => (typeof value === 'string' ? storable(value) : value))) as Record<
    string,
    unknown
  >;
